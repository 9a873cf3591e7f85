"""nginx with the project's own settings, on a free port."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.serving import ROOT, wait_until_healthy
from tests.lab.storage.postgres import program
from tests.waiting import PATIENCE


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def missing() -> list[str]:
    """Return which programs of these tests this machine does not have."""
    found = {
        "nginx": shutil.which("nginx", path=PROGRAMS),
        "envsubst": shutil.which("envsubst"),
        "PostgreSQL": program("initdb"),
    }
    return [name for name, path in found.items() if path is None]


def need_programs() -> None:
    """Fail the test where nginx or PostgreSQL is missing."""
    if absent := missing():
        pytest.fail(f"{' and '.join(absent)} cannot be found: run ./tests/programs.sh")


PROGRAMS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))


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
