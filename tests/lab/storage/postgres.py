"""A PostgreSQL server of the tests' own, in a folder that goes with it; PostgreSQL does not run as root."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from tests.waiting import until

ADMIN = "postgres"  # the name of the database's own administrator, and of the user of many systems who runs it


def program(name: str) -> str | None:
    """The path of one of PostgreSQL's programs, which Debian keeps off the path; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Server:
    """A server on a free port of this machine; it trusts whoever asks."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pe-postgres-"))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            known = {user.pw_name: user for user in pwd.getpwall()}
            user = known.get(ADMIN) or known["nobody"]
            os.chown(self._folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        options = f"-D data -U {ADMIN} --auth=trust --encoding=UTF8 --locale=C --no-sync"
        command = [program("initdb") or "initdb", *options.split()]
        subprocess.run(command, cwd=self._folder, check=True, stdout=subprocess.DEVNULL, **self._as)
        self._reserved = socket.socket()  # nobody else gets its port, while the server itself may listen there
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port = self._reserved.getsockname()[1]
        self._n_databases = 0
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        log = (self._folder / "log").open("ab")
        command = [program("postgres") or "postgres", "-D", "data", "-p", str(self.port), *settings]
        self.process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, **self._as)
        log.close()
        until(self._answers, lambda: f"PostgreSQL does not answer: {self._log()}", every=0.05)

    def _answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except OperationalError:
            assert self.process.poll() is None, self._log()
            return False
        return True

    def _log(self) -> str:
        return (self._folder / "log").read_text()

    def kill(self) -> None:
        """Let it die as if by a failure of its machine; what was written is there when it is started again."""
        others = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.wait()
        until(lambda: not any(map(_is_alive, others)), lambda: f"they go on without their server: {others}")

    def close(self) -> None:
        """Stop it at once, as nothing of it is to stay, and remove its folder."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        self._reserved.close()
        shutil.rmtree(self._folder)

    def url(self, database: str = ADMIN, user: str = ADMIN) -> str:
        """The address of a database as one of its users."""
        return URL.create("postgresql+psycopg", user, None, "127.0.0.1", self.port, database).render_as_string()

    def new_database(self) -> str:
        """Make an empty database and return its address."""
        self._n_databases += 1
        name = f"test_{self._n_databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def execute(self, statement: str, url: str | None = None) -> None:
        """Execute a statement as the administrator."""
        engine = create_engine(url or self.url(), poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
