"""nginx with the project's own settings, on a free port; what a server answers and counts."""

import os
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.serving import ROOT, wait_until_healthy
from tests.lab.storage.postgres import program
from tests.waiting import GIVES_WAY, PATIENCE


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


PROGRAMS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))


def need_programs() -> None:
    """Fail the test where nginx or PostgreSQL is missing."""
    paths = {
        "nginx": shutil.which("nginx", path=PROGRAMS),
        "envsubst": shutil.which("envsubst"),
        "PostgreSQL": program("initdb"),
    }
    if absent := [name for name, path in paths.items() if path is None]:
        pytest.fail(f"{' and '.join(absent)} cannot be found: run ./tests/programs.sh")


class Answer(NamedTuple):
    """What came back of a request."""

    status: int
    headers: Message
    content: bytes


def get(address: str, headers: dict[str, str] | None = None, data: bytes | None = None) -> Answer:
    """Return the answer to a request, whatever its status."""
    try:
        answer = urllib.request.urlopen(urllib.request.Request(address, data, headers or {}), timeout=GIVES_WAY)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return Answer(answer.status, answer.headers, answer.read())


def counted(app: str, name: str) -> int:
    """Return a number that the app of an address tells of itself, by its name there."""
    line = re.search(rf"^{re.escape(name)} (\S+)$", get(f"{app}/metrics").content.decode(), re.MULTILINE)
    assert line is not None, name
    return int(float(line[1]))


@contextmanager
def nginx(folder: Path, apps: Sequence[str], **settings: str) -> Iterator[str]:
    """Start nginx with deploy/nginx.conf before the apps at these addresses; yield its own address."""
    port, servers = free_port(), (app.removeprefix("http://") for app in apps)
    folder.chmod(0o755)
    words = {
        "PATH": PROGRAMS,
        "PE_APPS": " ".join(f"server {server} max_fails=1 fail_timeout=5s;" for server in servers),
        "PE_LISTEN": f"127.0.0.1:{port}",
        "PE_NGINX_TMP": str(folder),
        "PE_ACCESS_LOG": str(folder / "access.log"),
        **settings,
    }
    with (folder / "nginx.log").open("wb") as log:
        server = subprocess.Popen(["sh", ROOT / "deploy/nginx.sh"], env={**os.environ, **words}, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_healthy(address, server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)
