"""The database of the store: its tables, transactions, and what is said when it fails."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    inspect,
)
from sqlalchemy import select as choose
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from pe_core.encodings.own import MAX_KEY
from pe_core.parameters import require

PATIENCE = 30.0  # seconds that a write waits for those of other processes, which SQLite lets in without an order
_LOCK = 0x7065_6C61  # any number that nothing else in a PostgreSQL database locks

VERSION = 4
METADATA = MetaData()
RUNS = Table(
    "runs",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("began", Double, nullable=False),  # seconds since 1970
    Column("ended", Double),
    Column("owner", String(64), nullable=False, server_default=""),  # nobody's where it is empty
    Column("private", Boolean, nullable=False),  # of an own text
    Column("expires", Double),  # seconds since 1970, NULL where it is kept for good
    Column("settings", Text, nullable=False),  # this and all that follow are JSON
    Column("text", Text, nullable=False),
    Column("versions", Text, nullable=False),
    Column("ratios", Text),
    Column("record", Text),
)
# All that decides what is listed, the newest first. Without it the database would walk through every record.
LISTED = Index("runs_listed", *(RUNS.c[name] for name in ("began", "hash", "state", "private", "owner", "expires")))
WEIGHTS = Table(
    "weights",
    METADATA,
    Column("hash", String(64), primary_key=True),  # of the run
    Column("encoding", String(MAX_KEY), primary_key=True),
    Column("seed", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)
STORE_VERSION = Table("store_version", METADATA, Column("number", Integer, primary_key=True, autoincrement=False))

log = logging.getLogger(__name__)


class StoreError(Exception):
    """The store could not be read or written; the message says why, in a sentence for a visitor."""


class Database:
    """The tables of the store in the database of an SQLAlchemy URL; before they are first used they are made."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._has_tables = False  # as far as is known

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a connection whose work is done whole or not at all; whatever fails meanwhile is a `StoreError`."""
        try:
            self._make_tables()
            with self._engine.begin() as connection:
                yield connection
        except (SQLAlchemyError, sqlite3.Error, OSError, ImportError, ValueError, TypeError) as error:
            self._has_tables = False  # the file may be gone, or the server have been set up anew
            log.exception("the store of runs failed")
            reason = _reason(error)
            raise StoreError(f"runs must lie in a database that can be read and written, got {reason}") from error

    def _make_tables(self) -> None:
        """Make the tables if there are none; raise `StoreError` where there are those of another version."""
        if self._has_tables:
            return
        with self._engine.connect() as connection:
            there = _are_there(connection)
        if not there:
            with self._engine.begin() as connection:
                lock(connection)
                if not _are_there(connection):  # another process may have made them meanwhile
                    METADATA.create_all(connection)
                    connection.execute(STORE_VERSION.insert().values(number=VERSION))
        self._has_tables = True

    @cached_property
    def _engine(self) -> Engine:
        return _open(self._url)


def _are_there(connection: Connection) -> bool:
    """Return whether the database has our tables; raise `StoreError` if they are of another version."""
    names = inspect(connection).get_table_names()
    if STORE_VERSION.name not in names and RUNS.name not in names:
        return False
    version = connection.scalar(choose(func.max(STORE_VERSION.c.number))) if STORE_VERSION.name in names else None
    if version != VERSION:
        rule = f"runs must lie in a store of version {VERSION}, which this version of the code has"
        raise StoreError(f"{rule}, got one of version {version or 'none'}: name another store, or remove this one")
    return True


def lock(connection: Connection) -> None:
    """Wait for the other transactions that have taken this lock, and keep it until this one is over."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # Python's module would begin with the first change
    else:
        connection.execute(choose(func.pg_advisory_xact_lock(_LOCK)))


def _open(url: str) -> Engine:
    """Return the engine of a database; connections last for one transaction, and SQLite is told to share."""
    address = make_url(url)
    backend = address.get_backend_name()
    require(backend in ("sqlite", "postgresql"), "store", "be of SQLite or PostgreSQL", backend)
    if backend == "postgresql":
        return create_engine(address, poolclass=NullPool)
    require(address.database not in (None, "", ":memory:"), "SQLite URL", "name a file", repr(url))
    if "uri" not in address.query:
        Path(str(address.database)).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address, poolclass=NullPool, connect_args={"timeout": PATIENCE})

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
