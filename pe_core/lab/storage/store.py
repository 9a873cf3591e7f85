"""Finished runs, kept by the hash of all that decides their numbers, in any database that SQLAlchemy knows.

A run is noted as unfinished when it begins and kept whole, with its trained weights, in one transaction when it has
ended well; so whenever a process dies, every finished run is there, and what was not finished says so. Texts are never
kept.
"""

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Double,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    String,
    Table,
    Text,
    Update,
    create_engine,
    event,
)
from sqlalchemy import select as choose
from sqlalchemy.dialects.mysql import LONGBLOB, MEDIUMTEXT
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from pe_core.encodings.own import MAX_KEY
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord, TextFacts, is_own
from pe_core.lab.results.record_file import versions
from pe_core.lab.results.statistics import ratio
from pe_core.lab.storage.run_hash import CODE, is_hash, run_hash
from pe_core.parameters import require

PATIENCE = 5.0  # seconds that a write waits for that of another process
MAX_LISTED = 200
MAX_WITH_WEIGHTS = 64  # runs whose weights are kept, the newest ones: a run has some megabytes, and its numbers stay

log = logging.getLogger(__name__)

Weights = Mapping[tuple[str, int], bytes]  # of a run, by encoding and seed, in the format of safetensors

_text = Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")  # their plain text ends at 64 kB, a run at some 6 MB
_content = LargeBinary().with_variant(LONGBLOB(), "mysql", "mariadb")  # their plain blob ends at 64 kB
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
_weights = Table(
    "weights",
    _metadata,
    Column("hash", String(64), primary_key=True),  # of the run
    Column("encoding", String(MAX_KEY), primary_key=True),
    Column("seed", Integer, primary_key=True, autoincrement=False),
    Column("content", _content, nullable=False),
)
_newest = choose(*(column for column in _runs.c if column.name != "record")).order_by(
    _runs.c.began.desc(), _runs.c.hash
)
_trained = choose(_weights.c.hash).distinct()  # the database answers it from its index


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

    The database is opened by the first query. Every method raises `StoreError`, and nothing else, where it cannot
    be read or written; the next one tries again.
    """

    def __init__(self, url: str) -> None:
        self._database = Database(url, _metadata)

    def begin(self, config: RunConfig, text: TextFacts, owner: str = "") -> None:
        """Note that a run is under way; nothing happens to one that is kept already."""
        row = _row(config, text, "unfinished")
        again = _runs.update().where(_runs.c.hash == row["hash"], _runs.c.state == "unfinished")
        with self._database.errors():
            self._write(row, again.values(began=row["began"]), {})

    def put(self, record: RunRecord, weights: Weights | None = None, owner: str = "") -> None:
        """Keep a finished run and its trained weights, whole or not at all."""
        ratios = {key: ratio(record.mean(key).lengths) for key in record.done}
        row = _row(record.config, record.text, "finished")
        row |= {"ended": row["began"], "ratios": json.dumps(ratios), "record": record_file.exact_json(record)}
        ended = {name: value for name, value in row.items() if name != "began"}
        with self._database.errors():
            self._write(row, _runs.update().where(_runs.c.hash == row["hash"]).values(ended), weights or {})

    def owner(self, run: str) -> str | None:
        return None

    def get(self, run: str) -> RunRecord | None:
        """Return the finished run of this hash, None if there is none."""
        document = self.document(run)
        with self._database.errors():
            return None if document is None else record_file.from_json(document)

    def document(self, run: str) -> str | None:
        """Return the finished run of this hash as the JSON that was kept, with all digits; None if there is none."""
        kept = choose(_runs.c.record).where(_runs.c.hash == run, _runs.c.state == "finished")
        if not is_hash(run):
            return None  # a link can hold anything
        with self._database.errors(), self._database.transaction() as connection:
            document: str | None = connection.scalar(kept)
            return document

    def weights(self, run: str, encoding: str, seed: int) -> bytes | None:
        """Return the trained weights of an encoding of a run with one of its seeds; None where there are none."""
        if not is_hash(run):
            return None
        with self._database.errors(), self._database.transaction() as connection:
            content: bytes | None = connection.scalar(choose(_weights.c.content).where(*_one(run, encoding, seed)))
            return content

    def listing(self, limit: int = MAX_LISTED, *, seen: Callable[[KeptRun], bool] = lambda run: True) -> list[KeptRun]:
        """Return the newest runs of those that may be `seen`, the last one that was begun first."""
        with self._database.errors(), self._database.transaction() as connection:
            return list(islice(filter(seen, _read(connection, _newest)), limit))  # no more rows than are listed

    def with_weights(self) -> list[KeptRun]:
        """Return the finished runs whose trained weights are here, the last one that was begun first."""
        trained = _runs.c.hash.in_(_trained)
        return self._listed(_newest.where(_runs.c.state == "finished", trained))

    def drop_own_weights(self) -> None:
        """Forget the weights of all runs whose text was somebody's own; earlier versions kept them."""
        own = [run.hash for run in self.with_weights() if is_own(run.text)]
        with self._database.errors(), self._database.transaction() as connection:
            for run in own:
                _drop_weights(connection, run)

    def remove(self, run: str) -> None:
        """Forget a run, finished or not; nothing happens if there is none."""
        with self._database.errors(), self._database.transaction() as connection:
            connection.execute(_runs.delete().where(_runs.c.hash == run))
            _drop_weights(connection, run)

    def _listed(self, question: Select[Any]) -> list[KeptRun]:
        with self._database.errors(), self._database.transaction() as connection:
            return list(_read(connection, question))

    def _write(self, row: dict[str, Any], update: Update, weights: Weights) -> None:
        """Change the row that `update` means, or else add `row`, and keep the weights, in one transaction."""
        try:
            with self._database.transaction() as connection:
                if not connection.execute(update).rowcount:
                    connection.execute(_runs.insert().values(row))
                _put_weights(connection, row["hash"], weights)
        except IntegrityError:  # it is there: kept already, or begun by another process just now
            with self._database.transaction() as connection:
                connection.execute(update)
                _put_weights(connection, row["hash"], weights)


def _read(connection: Connection, question: Select[Any]) -> Iterator[KeptRun]:
    return (_kept(dict(row)) for row in connection.execute(question).mappings())


def _put_weights(connection: Connection, run: str, weights: Weights) -> None:
    """Keep weights of a run beside those that it has of other encodings and seeds; forget those of the oldest runs."""
    for (encoding, seed), content in weights.items():
        connection.execute(_weights.delete().where(*_one(run, encoding, seed)))
        row = {"hash": run, "encoding": encoding, "seed": seed, "content": content}
        connection.execute(_weights.insert().values(row))
    if weights:
        newest = choose(_runs.c.hash).order_by(_runs.c.began.desc()).limit(MAX_WITH_WEIGHTS)
        connection.execute(_weights.delete().where(_weights.c.hash.not_in([run, *connection.scalars(newest)])))


def _drop_weights(connection: Connection, run: str) -> None:
    connection.execute(_weights.delete().where(_weights.c.hash == run))


def _one(run: str, encoding: str, seed: int) -> tuple[ColumnElement[bool], ...]:
    return _weights.c.hash == run, _weights.c.encoding == encoding, _weights.c.seed == seed


def _row(config: RunConfig, text: TextFacts, state: str) -> dict[str, Any]:
    return {
        "hash": run_hash(config, text),
        "state": state,
        "began": time.time(),
        "settings": json.dumps(config.settings()),
        "text": json.dumps(text.content()),
        "versions": json.dumps({**versions(), "code": CODE.digest(config.read_with, config.repairs)}),
    }


def _kept(row: Mapping[str, Any]) -> KeptRun:
    parts = {name: json.loads(row[name] or "{}") for name in ("settings", "text", "versions", "ratios")}
    return KeptRun(
        row["hash"],
        row["state"],
        row["began"],
        row["ended"],
        **{**parts, "text": TextFacts.from_content(parts["text"])},
    )
