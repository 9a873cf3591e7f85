"""Any database that SQLAlchemy knows: opened by the first query, one connection for each transaction."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from pe_core.parameters import require

PATIENCE = 5.0  # seconds that a write waits for that of another process

log = logging.getLogger(__name__)


class StoreError(Exception):
    """The store could not be read or written; the message says why, in a sentence for a visitor."""


class Database:
    """The tables of `metadata` in the database of an SQLAlchemy URL; those that are missing are made."""

    def __init__(self, url: str, metadata: MetaData) -> None:
        self._url = url
        self._metadata = metadata
        self._engine: Engine | None = None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a connection whose work is done whole or not at all."""
        if self._engine is None:
            self._engine = _open(self._url)
        with self._engine.begin() as connection:
            for table in self._metadata.sorted_tables:
                connection.execute(CreateTable(table, if_not_exists=True))
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


def _open(url: str) -> Engine:
    """Return the engine of a database; connections last for one transaction, and SQLite is told to share."""
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        return create_engine(address, poolclass=NullPool)
    require(address.database not in (None, "", ":memory:"), "SQLite URL", "name a file", repr(url))
    engine = create_engine(address, poolclass=NullPool, connect_args={"timeout": PATIENCE})
    if "uri" not in address.query:
        Path(str(address.database)).parent.mkdir(parents=True, exist_ok=True)

    @event.listens_for(engine, "connect")
    def share(connection: sqlite3.Connection, _: object) -> None:
        with suppress(sqlite3.OperationalError):  # of a file that cannot be written, or is just being told by another
            connection.execute("PRAGMA journal_mode=WAL")  # those who read never wait for the one who writes

    return engine


def _reason(error: Exception) -> str:
    """Return why the store failed, without the addresses and names that a database server puts into its errors."""
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error | OSError | ImportError | ValueError | TypeError) or cause is error:
        return str(cause)
    return f"{type(cause).__name__}, of which the log of the server says more"
