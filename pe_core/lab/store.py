"""Finished runs, kept by the hash of all that decides their numbers, in any database that SQLAlchemy knows.

A run is noted as unfinished when it begins and kept whole, in one transaction, when it has ended well; so whenever a
process dies, every finished run is there, and what was not finished says so. Weights and texts are never kept.
"""

import json
import logging
import platform
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from sqlalchemy import Column, Connection, Double, Engine, MetaData, String, Table, Text, Update, create_engine, event
from sqlalchemy import select as choose
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from pe_core.lab import results
from pe_core.lab.evaluation import ratio
from pe_core.lab.results import RunRecord, TextFacts
from pe_core.lab.run_hash import CODE, is_hash, run_hash
from pe_core.lab.training import RunConfig
from pe_core.parameters import require

PATIENCE = 5.0  # seconds that a write waits for that of another process
MOST_LISTED = 200

log = logging.getLogger(__name__)

_text = Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")  # their plain text ends at 64 kB, a run at some 6 MB
_metadata = MetaData()
_runs = Table(
    "runs",
    _metadata,
    Column("hash", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("began", Double, nullable=False),  # seconds since 1970
    Column("ended", Double),
    Column("settings", _text, nullable=False),  # this and all that follow are JSON
    Column("text", _text, nullable=False),
    Column("versions", _text, nullable=False),
    Column("ratios", _text),
    Column("record", _text),
)
_LISTED = [column for column in _runs.c if column.name != "record"]


class StoreError(Exception):
    """The store could not be read or written; the message says why, in a sentence for a visitor."""


@dataclass(frozen=True)
class KeptRun:
    """A run in the list: all but its numbers. `ratios` are those of the verdicts by encoding, as far as it has any."""

    hash: str
    state: Literal["unfinished", "finished"]
    began: float  # seconds since 1970
    ended: float | None
    settings: Mapping[str, Any]
    text: TextFacts
    versions: Mapping[str, str]
    ratios: Mapping[str, float]


class RunStore:
    """Runs in the database of an SQLAlchemy URL, shared by threads and processes.

    The database is opened with the first question. Every method raises `StoreError`, and nothing else, where it cannot
    be read or written; the next one tries again.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine: Engine | None = None

    def begin(self, config: RunConfig, text: TextFacts) -> None:
        """Note that a run is under way; nothing happens to one that is kept already."""
        row = _row(config, text, "unfinished")
        again = _runs.update().where(_runs.c.hash == row["hash"], _runs.c.state == "unfinished")
        with self._errors():
            self._write(row, again.values(began=row["began"]))

    def put(self, record: RunRecord) -> None:
        """Keep a finished run, whole or not at all."""
        ratios = {key: ratio(outcome.lengths) for key, outcome in record.outcomes.items()}
        row = _row(record.config, record.text, "finished")
        row |= {"ended": row["began"], "ratios": json.dumps(ratios), "record": results.exact_json(record)}
        ended = {name: value for name, value in row.items() if name != "began"}
        with self._errors():
            self._write(row, _runs.update().where(_runs.c.hash == row["hash"]).values(ended))

    def get(self, run: str) -> RunRecord | None:
        """Return the finished run of this hash, None if there is none."""
        document = self.document(run)
        with self._errors():
            return None if document is None else results.from_json(document)

    def document(self, run: str) -> str | None:
        """Return the finished run of this hash as the JSON that was kept, with all digits; None if there is none."""
        kept = choose(_runs.c.record).where(_runs.c.hash == run, _runs.c.state == "finished")
        if not is_hash(run):
            return None  # a link can hold anything
        with self._errors(), self._transaction() as connection:
            document: str | None = connection.scalar(kept)
            return document

    def listing(self, limit: int = MOST_LISTED) -> list[KeptRun]:
        """Return the newest runs, the last one that was begun first."""
        newest = choose(*_LISTED).order_by(_runs.c.began.desc(), _runs.c.hash).limit(limit)
        with self._errors(), self._transaction() as connection:
            return [_kept(dict(row)) for row in connection.execute(newest).mappings()]

    def remove(self, run: str) -> None:
        """Forget a run, finished or not; nothing happens if there is none."""
        with self._errors(), self._transaction() as connection:
            connection.execute(_runs.delete().where(_runs.c.hash == run))

    def _write(self, row: dict[str, Any], update: Update) -> None:
        """Change the row that `update` means, or else add `row`, in one transaction."""
        try:
            with self._transaction() as connection:
                if not connection.execute(update).rowcount:
                    connection.execute(_runs.insert().values(row))
        except IntegrityError:  # it is there: kept already, or begun by another process just now
            with self._transaction() as connection:
                connection.execute(update)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        if self._engine is None:
            self._engine = _open(self._url)
        with self._engine.begin() as connection:
            connection.execute(CreateTable(_runs, if_not_exists=True))
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
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


def _row(config: RunConfig, text: TextFacts, state: str) -> dict[str, Any]:
    versions = {"python": platform.python_version(), "torch": torch.__version__, "code": CODE}
    return {
        "hash": run_hash(config, text),
        "state": state,
        "began": time.time(),
        "settings": json.dumps(config.settings()),
        "text": json.dumps(asdict(text)),
        "versions": json.dumps(versions),
    }


def _kept(row: Mapping[str, Any]) -> KeptRun:
    parts = {name: json.loads(row[name] or "{}") for name in ("settings", "text", "versions", "ratios")}
    return KeptRun(
        row["hash"], row["state"], row["began"], row["ended"], **{**parts, "text": TextFacts(**parts["text"])}
    )
