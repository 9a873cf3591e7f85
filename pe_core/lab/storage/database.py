"""The database of the store: opening it, its version, transactions, and what is said when it fails."""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from pe_core.lab.storage import migrations
from pe_core.lab.storage.migrations import VERSION
from pe_core.parameters import require

PATIENCE = 5.0  # seconds that a write waits for that of another process

log = logging.getLogger(__name__)


class StoreError(Exception):
    """The store could not be read or written; the message says why, in a sentence for a visitor."""


class Database:
    """The tables of the store in the database of an SQLAlchemy URL.

    Before they are first read or written they are made, or brought to the version of this code.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine: Engine | None = None
        self._is_current = False  # as far as is known

    @contextmanager
    def reading(self) -> Iterator[tuple[Connection, int]]:
        """Open a connection to read with, beside the version of the tables: older where they cannot be changed."""
        version = self._look()
        if version < VERSION:
            try:
                version = self._migrate()
            except SQLAlchemyError as error:
                if version == 0:  # nothing that could be read
                    raise
                log.info("the store stays at version %d: %s", version, error)
        with self._transaction() as connection:
            yield connection, version

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a connection whose work is done whole or not at all."""
        if self._look() < VERSION:
            self._migrate()
        with self._transaction() as connection:
            yield connection

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn whatever fails into a `StoreError`."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError, ImportError, ValueError, TypeError) as error:
            log.exception("the store of runs failed")
            reason = _reason(error)
            raise StoreError(f"runs must lie in a database that can be read and written, got {reason}") from error

    def _look(self) -> int:
        """Return the version of the tables, which is asked for until it is that of this code."""
        if self._is_current:
            return VERSION
        with self._opened().connect() as connection:
            version = migrations.version_of(connection)
        if version > VERSION:
            rule = f"runs must lie in a store of version {VERSION} or older, which this version of the code knows"
            raise StoreError(f"{rule}, got one of version {version}, which a newer version has made")
        self._is_current = version == VERSION
        return version

    def _migrate(self) -> int:
        """Make the tables or bring them to the version of this code, which is returned."""
        with self._opened().begin() as connection:
            migrations.migrate(connection)
        self._is_current = True
        return VERSION

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._opened().begin() as connection:
                yield connection
        except SQLAlchemyError:
            self._is_current = False  # the file may be gone, or the server have been set up anew
            raise

    def _opened(self) -> Engine:
        if self._engine is None:
            self._engine = _open(self._url)
        return self._engine


def _open(url: str) -> Engine:
    """Return the engine of a database; connections last for one transaction, and SQLite is told to share."""
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        return create_engine(address, poolclass=NullPool)
    require(address.database not in (None, "", ":memory:"), "SQLite URL", "name a file", repr(url))
    if "uri" not in address.query:
        address = _of_file(address, Path(str(address.database)))
    engine = create_engine(address, poolclass=NullPool, connect_args={"timeout": PATIENCE})

    @event.listens_for(engine, "connect")
    def share(connection: sqlite3.Connection, _: object) -> None:
        with suppress(sqlite3.OperationalError):  # of a file that cannot be written, or is just being told by another
            connection.execute("PRAGMA journal_mode=WAL")  # those who read never wait for the one who writes

    return engine


def _of_file(address: URL, file: Path) -> URL:
    """Return the address of a file of SQLite, whose folder is made.

    SQLite writes beside a file that it reads, so one in a folder where nobody writes is told to be as it stays.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}-wal")
    if not file.exists() or os.access(file.parent, os.W_OK) or beside.exists():
        return address
    return address.set(database=f"{file.absolute().as_uri()}", query={"immutable": "1", "uri": "true"})


def _reason(error: Exception) -> str:
    """Return why the store failed, without the addresses and names that a database server puts into its errors."""
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error | OSError | ImportError | ValueError | TypeError) or cause is error:
        return str(cause)
    return f"{type(cause).__name__}, of which the log of the server says more"
