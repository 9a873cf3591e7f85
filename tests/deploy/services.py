"""nginx with the project's own settings, and a PostgreSQL server of a test's own, each on a free port."""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.browser.serving import ROOT, wait_until_healthy


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def missing() -> list[str]:
    """Return which programs of these tests this machine does not have."""
    found = {"nginx": shutil.which("nginx", path=PROGRAMS), "envsubst": shutil.which("envsubst"), "initdb": initdb()}
    return [name for name, path in found.items() if path is None]


PROGRAMS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))


def initdb() -> Path | None:
    """Return the newest initdb; Debian keeps PostgreSQL's programs off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1] if found else Path(on_path) if on_path else None


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
        server.wait(timeout=20)


class Postgres:
    """A PostgreSQL server in a folder of its own, which can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        program = initdb()
        assert program is not None
        self._programs, self._data = program.parent, folder / "data"
        self._user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.port = free_port()
        if os.geteuid() == 0:
            for parent in (folder, *folder.parents[:2]):
                parent.chmod(0o755)
            shutil.chown(folder, "postgres")
        self._run("initdb", "-D", self._data, "-U", "explorer", "--auth=trust", "--no-sync", "--encoding=UTF8")

    @property
    def url(self) -> str:
        """What PE_STORE says to find it."""
        return f"postgresql+psycopg://explorer@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it; it answers when this returns."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._run("pg_ctl", "start", "-w", "-D", self._data, "-o", options, "-l", self._data / "log")

    def stop(self) -> None:
        """Stop it at once, with whatever it is at, as when its machine fails."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self._data)

    def _run(self, program: str, *arguments: object) -> None:
        command = [self._programs / program, *map(str, arguments)]
        user = self._user if os.geteuid() == 0 else None
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=user, cwd="/")


@contextmanager
def postgres(folder: Path) -> Iterator[Postgres]:
    """Start a PostgreSQL server, and stop it in the end if it still runs."""
    server = Postgres(folder)
    server.start()
    try:
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.stop()
