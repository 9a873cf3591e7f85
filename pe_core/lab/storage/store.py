"""Finished runs, kept by the hash of all that decides their numbers, in SQLite or PostgreSQL.

A run is noted as unfinished when it begins and kept whole, with its trained weights, in one transaction when it has
ended well; so whenever a process dies, every finished run is there, and what was not finished says so. Texts are never
kept. A run belongs to the browser that has begun it first. Runs of own texts are private: they are listed to their
owner alone, and expire.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, Update, false, or_
from sqlalchemy import select as choose

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord, TextFacts, is_own
from pe_core.lab.results.record_file import versions
from pe_core.lab.results.statistics import ratio
from pe_core.lab.storage.database import RUNS, WEIGHTS, Database, lock
from pe_core.lab.storage.database import StoreError as StoreError  # raised here, so had from here
from pe_core.lab.storage.run_hash import code_of, is_hash, run_hash
from pe_core.parameters import require

MAX_LISTED = 200
# Runs whose weights are kept, those that ended last: a run has some megabytes, and its numbers stay.
MAX_WITH_WEIGHTS = 64  # public ones
MAX_OWN_WITH_WEIGHTS = 4  # private ones of each owner
KEEP_OWN_DAYS = 7  # that a private run is kept
KEEP_OWN = KEEP_OWN_DAYS * 86_400.0  # seconds

_PUBLIC = ~RUNS.c.private
_FINISHED = RUNS.c.state == "finished"
# Finished runs with weights; the database answers it from its index.
_TRAINED = _FINISHED & RUNS.c.hash.in_(choose(WEIGHTS.c.hash).distinct())
_RECORD = choose(RUNS.c.record).where(_FINISHED)

Weights = Mapping[tuple[str, int], bytes]  # of a run, by encoding and seed, in the format of safetensors


@dataclass(frozen=True)
class KeptRun:
    """A run in the list: all but its numbers. `ratios` are those of the verdicts by encoding, as far as it has any.

    `owner` is empty where the run is nobody's, and `expires` None where it is kept for good.
    """

    hash: str
    state: Literal["unfinished", "finished"]
    began: float  # seconds since 1970
    ended: float | None
    settings: Mapping[str, Any]
    text: TextFacts
    versions: Mapping[str, str]
    ratios: Mapping[str, float]
    owner: str = ""
    expires: float | None = None


class RunStore:
    """Runs in the database of an SQLAlchemy URL, shared by threads and processes; private ones for `KEEP_OWN` seconds.

    The database is opened by the first query. Every method raises `StoreError`, and nothing else, where it cannot
    be read or written; the next one tries again. Owners and viewers are 64 hexadecimal digits, empty for nobody.
    """

    def __init__(self, url: str) -> None:
        self._database = Database(url)

    def begin(self, config: RunConfig, text: TextFacts, owner: str = "") -> None:
        """Note that a run is under way; nothing happens to one that is kept already."""
        with self._database.transaction() as connection:
            row = _row(config, text, "unfinished", owner)
            again = RUNS.update().where(_of(row["hash"]), RUNS.c.state == "unfinished")
            _write(connection, row, again.values(began=row["began"], expires=row["expires"]))

    def put(self, record: RunRecord, weights: Weights | None = None, owner: str = "") -> None:
        """Keep a finished run and the trained weights that are handed in, whole or not at all."""
        ratios = {key: ratio(record.mean(key).lengths) for key in record.done}
        with self._database.transaction() as connection:
            row = _row(record.config, record.text, "finished", owner)
            row |= {"ended": row["began"], "ratios": json.dumps(ratios), "record": record_file.exact_json(record)}
            ended = {name: value for name, value in row.items() if name not in ("began", "owner")}
            _write(connection, row, RUNS.update().where(_of(row["hash"])).values(ended))
            _put_weights(connection, row["hash"], weights or {})

    def get(self, run: str) -> RunRecord | None:
        """Return the finished run of this hash, None if there is none."""
        record: RunRecord | None = self._value(run, _RECORD, record_file.from_json)
        return record

    def document(self, run: str) -> str | None:
        """Return the finished run of this hash as the JSON that was kept, with all digits; None if there is none."""
        document: str | None = self._value(run, _RECORD)
        return document

    def owner(self, run: str) -> str | None:
        """Return who has begun the run of this hash, empty where it is nobody's; None if there is no such run."""
        owner: str | None = self._value(run, choose(RUNS.c.owner))
        return owner

    def weights(self, run: str, encoding: str, seed: int) -> bytes | None:
        """Return the trained weights of an encoding of a run with one of its seeds; None where there are none."""
        kept = choose(WEIGHTS.c.content).join(RUNS, RUNS.c.hash == WEIGHTS.c.hash)
        wanted = kept.where(WEIGHTS.c.encoding == encoding, WEIGHTS.c.seed == seed)
        content: bytes | None = self._value(run, wanted)
        return content

    def listing(self, limit: int = MAX_LISTED, viewer: str = "") -> list[KeptRun]:
        """Return the newest runs, the last one that was begun first, and forget those whose time is over.

        They are the finished ones of public texts and of tasks, and all that are the viewer's own.
        """
        with suppress(StoreError), self._database.transaction() as connection:  # who may only read still has the list
            _drop_expired(connection)
        return self._newest(or_(_PUBLIC & _FINISHED, _own(viewer)), limit)

    def owned(self, owner: str) -> list[KeptRun]:
        """Return all runs of an owner, the last one that was begun first."""
        return self._newest(_own(owner))

    def with_weights(self, viewer: str = "") -> list[KeptRun]:
        """Return the finished runs whose trained weights are here, of those that `listing` has, in the same order."""
        return self._newest(or_(_PUBLIC, _own(viewer)) & _TRAINED)

    def remove(self, run: str) -> None:
        """Forget a run, finished or not, and its weights; nothing happens if there is none."""
        with self._database.transaction() as connection:
            _remove(connection, run)

    def check(self) -> None:
        """Raise `StoreError` unless runs can be written, before any is trained for it."""
        with self._database.transaction() as connection:
            connection.execute(RUNS.update().where(false()).values(state=RUNS.c.state))

    def _value(self, run: str, question: Select[Any], read: Callable[[Any], Any] = lambda value: value) -> Any:
        """Return what a question finds of a run, as it is read; None where the run is not there or has expired."""
        if not is_hash(run):
            return None  # a link can hold anything
        with self._database.transaction() as connection:
            found = connection.scalar(question.where(_of(run), _there()))
            return None if found is None else read(found)

    def _newest(self, wanted: ColumnElement[bool], limit: int | None = None) -> list[KeptRun]:
        """Return the runs that are wanted, the last one that was begun first."""
        by_time = RUNS.c.began.desc(), RUNS.c.hash.desc()
        found = choose(RUNS.c.hash, RUNS.c.owner, RUNS.c.expires).where(wanted, _there()).order_by(*by_time)
        chosen = found.limit(limit).subquery()  # from the index alone
        names = ("hash", "state", "began", "ended", "settings", "text", "versions", "ratios")
        question = choose(*(RUNS.c[name] for name in names), chosen.c.owner, chosen.c.expires)
        question = question.join(chosen, chosen.c.hash == RUNS.c.hash).order_by(*by_time)
        with self._database.transaction() as connection:
            return [_kept(dict(row)) for row in connection.execute(question).mappings()]


def _row(config: RunConfig, text: TextFacts, state: str, owner: str) -> dict[str, Any]:
    require(not owner or is_hash(owner), "owner", "be 64 hexadecimal digits, or empty", repr(owner))
    now, private = time.time(), is_own(text)
    return {
        "hash": run_hash(config, text),
        "state": state,
        "began": now,
        "owner": owner,
        "private": private,
        "expires": now + KEEP_OWN if private else None,
        "settings": json.dumps(config.settings()),
        "text": json.dumps(asdict(text)),
        "versions": json.dumps({**versions(), "code": code_of(config.encodings)}),
    }


def _of(run: str) -> ColumnElement[bool]:
    return RUNS.c.hash == run


def _there() -> ColumnElement[bool]:
    """Return what holds of rows that have not expired."""
    return or_(RUNS.c.expires.is_(None), RUNS.c.expires > time.time())


def _own(viewer: str) -> ColumnElement[bool]:
    """Return what holds of the rows of a viewer; none are of one who is nobody."""
    return RUNS.c.owner == viewer if viewer else false()


def _kept(row: Mapping[str, Any]) -> KeptRun:
    parts = {name: json.loads(row[name] or "{}") for name in ("settings", "text", "versions", "ratios")}
    return KeptRun(**{**row, **parts, "text": TextFacts(**parts["text"])})


def _write(connection: Connection, row: Mapping[str, Any], update: Update) -> None:
    """Add `row`, or do the update where it is there, while no other process writes.

    An unfinished run that is nobody's belongs to whoever trains it now; a finished one stays whose it is.
    """
    lock(connection)  # not before the row is made: others wait for it
    _drop_expired(connection)
    nobodys = _of(row["hash"]), RUNS.c.state == "unfinished", RUNS.c.owner == ""
    connection.execute(RUNS.update().where(*nobodys).values(owner=row["owner"]))
    is_there = connection.scalar(choose(RUNS.c.hash).where(_of(row["hash"])))
    connection.execute(update if is_there else RUNS.insert().values(row))


def _put_weights(connection: Connection, run: str, weights: Weights) -> None:
    """Keep weights of a run beside those that it has of other encodings and seeds; forget those of the oldest runs.

    Public runs make room for public ones, private ones for those of the same owner, and unfinished ones for none.
    """
    for (encoding, seed), content in weights.items():
        own = WEIGHTS.c.hash == run, WEIGHTS.c.encoding == encoding, WEIGHTS.c.seed == seed
        connection.execute(WEIGHTS.delete().where(*own))
        row = {"hash": run, "encoding": encoding, "seed": seed, "content": content}
        connection.execute(WEIGHTS.insert().values(row))
    if weights:
        private, owner = connection.execute(choose(RUNS.c.private, RUNS.c.owner).where(_of(run))).one()
        beside = RUNS.c.private & (RUNS.c.owner == owner) if private else _PUBLIC
        by_end = choose(RUNS.c.hash).where(beside, _TRAINED).order_by(RUNS.c.ended.desc())
        for old in connection.scalars(by_end).all()[MAX_OWN_WITH_WEIGHTS if private else MAX_WITH_WEIGHTS :]:
            _drop_weights(connection, old)


def _drop_expired(connection: Connection) -> None:
    for run in connection.scalars(choose(RUNS.c.hash).where(RUNS.c.expires <= time.time())).all():
        _remove(connection, run)


def _remove(connection: Connection, run: str) -> None:
    connection.execute(RUNS.delete().where(_of(run)))
    _drop_weights(connection, run)


def _drop_weights(connection: Connection, run: str) -> None:
    connection.execute(WEIGHTS.delete().where(WEIGHTS.c.hash == run))
