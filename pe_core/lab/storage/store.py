"""Finished runs, kept by the hash of all that decides their numbers, in SQLite or PostgreSQL.

A run is noted as unfinished when it begins and kept whole, with its trained weights, in one transaction when it has
ended well; so whenever a process dies, every finished run is there, and what was not finished says so. Texts are never
kept. A run belongs to the browser that has begun it first. Runs of own texts are private: they are listed to their
owner alone, and expire.
"""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Update, false
from sqlalchemy import select as choose

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord, TextFacts, is_own
from pe_core.lab.results.record_file import versions
from pe_core.lab.results.statistics import ratio
from pe_core.lab.storage import questions
from pe_core.lab.storage.database import RUNS, WEIGHTS, Database
from pe_core.lab.storage.database import StoreError as StoreError  # raised here, so had from here
from pe_core.lab.storage.questions import KeptRun as KeptRun  # returned here, so had from here
from pe_core.lab.storage.run_hash import CODE, is_hash, run_hash
from pe_core.parameters import require

MAX_LISTED = 200
# Runs whose weights are kept, those that ended last: a run has some megabytes, and its numbers stay.
MAX_WITH_WEIGHTS = 64  # public ones
MAX_OWN_WITH_WEIGHTS = 4  # private ones of each owner
KEEP_OWN_DAYS = 7  # that a private run is kept
KEEP_OWN = KEEP_OWN_DAYS * 86_400.0  # seconds

Weights = Mapping[tuple[str, int], bytes]  # of a run, by encoding and seed, in the format of safetensors


class RunStore:
    """Runs in the database of an SQLAlchemy URL, shared by threads and processes; private ones for `keep_own` seconds.

    The database is opened by the first query. Every method raises `StoreError`, and nothing else, where it cannot
    be read or written; the next one tries again. Owners and viewers are 64 hexadecimal digits, empty for nobody.
    """

    def __init__(self, url: str, *, keep_own: float = KEEP_OWN) -> None:
        self._database = Database(url)
        self._keep_own = keep_own

    def begin(self, config: RunConfig, text: TextFacts, owner: str = "") -> None:
        """Note that a run is under way; nothing happens to one that is kept already."""
        with self._database.errors():
            row = self._row(config, text, "unfinished", owner)
            again = RUNS.update().where(RUNS.c.hash == row["hash"], RUNS.c.state == "unfinished")
            self._write(row, again.values(began=row["began"], expires=row["expires"]), {})

    def put(self, record: RunRecord, weights: Weights | None = None, owner: str = "") -> None:
        """Keep a finished run and the trained weights that are handed in, whole or not at all."""
        ratios = {key: ratio(record.mean(key).lengths) for key in record.done}
        with self._database.errors():
            row = self._row(record.config, record.text, "finished", owner)
            row |= {"ended": row["began"], "ratios": json.dumps(ratios), "record": record_file.exact_json(record)}
            ended = {name: value for name, value in row.items() if name not in ("began", "owner")}
            self._write(row, RUNS.update().where(RUNS.c.hash == row["hash"]).values(ended), weights or {})

    def get(self, run: str) -> RunRecord | None:
        """Return the finished run of this hash, None if there is none."""
        document = self.document(run)
        with self._database.errors():
            return None if document is None else record_file.from_json(document)

    def document(self, run: str) -> str | None:
        """Return the finished run of this hash as the JSON that was kept, with all digits; None if there is none."""
        if not is_hash(run):
            return None  # a link can hold anything
        with self._database.errors(), self._database.transaction() as connection:
            kept = choose(RUNS.c.record).where(*questions.one(run), questions.FINISHED)
            document: str | None = connection.scalar(kept)
            return document

    def owner(self, run: str) -> str | None:
        """Return who has begun the run of this hash, empty where it is nobody's; None if there is no such run."""
        if not is_hash(run):
            return None
        with self._database.errors(), self._database.transaction() as connection:
            owner: str | None = connection.scalar(choose(RUNS.c.owner).where(*questions.one(run)))
            return owner

    def weights(self, run: str, encoding: str, seed: int) -> bytes | None:
        """Return the trained weights of an encoding of a run with one of its seeds; None where there are none."""
        if not is_hash(run):
            return None
        with self._database.errors(), self._database.transaction() as connection:
            kept = choose(WEIGHTS.c.content).join(RUNS, RUNS.c.hash == WEIGHTS.c.hash)
            wanted = *questions.weights(run, encoding, seed), *questions.one(run)
            content: bytes | None = connection.scalar(kept.where(*wanted))
            return content

    def listing(self, limit: int = MAX_LISTED, viewer: str = "") -> list[KeptRun]:
        """Return the newest runs, the last one that was begun first, and forget those whose time is over.

        They are the finished ones of public texts and of tasks, and all that are the viewer's own.
        """
        with suppress(StoreError):  # a store that is only read still has its list
            self.drop_expired()
        with self._database.errors(), self._database.transaction() as connection:
            return questions.listed(connection, limit, viewer)

    def owned(self, owner: str) -> list[KeptRun]:
        """Return all runs of an owner, the last one that was begun first."""
        with self._database.errors(), self._database.transaction() as connection:
            return questions.owned(connection, owner)

    def with_weights(self, viewer: str = "") -> list[KeptRun]:
        """Return the finished runs whose trained weights are here, of those that `listing` has, in the same order."""
        with self._database.errors(), self._database.transaction() as connection:
            return questions.with_weights(connection, viewer)

    def drop_expired(self) -> None:
        """Forget the runs whose time is over, with their weights."""
        with self._database.errors(), self._database.transaction() as connection:
            _drop_expired(connection)

    def remove(self, run: str) -> None:
        """Forget a run, finished or not, and its weights; nothing happens if there is none."""
        with self._database.errors(), self._database.transaction() as connection:
            _remove(connection, run)

    def check(self) -> None:
        """Raise `StoreError` unless runs can be written, before any is trained for it."""
        with self._database.errors(), self._database.transaction() as connection:
            connection.execute(RUNS.update().where(false()).values(state=RUNS.c.state))

    def _row(self, config: RunConfig, text: TextFacts, state: str, owner: str) -> dict[str, Any]:
        require(not owner or is_hash(owner), "owner", "be 64 hexadecimal digits, or empty", repr(owner))
        now, private = time.time(), is_own(text)
        return {
            "hash": run_hash(config, text),
            "state": state,
            "began": now,
            "owner": owner,
            "private": private,
            "expires": now + self._keep_own if private else None,
            "settings": json.dumps(config.settings()),
            "text": json.dumps(text.content()),
            "versions": json.dumps({**versions(), "code": CODE.digest(config.read_with, config.repairs)}),
        }

    def _write(self, row: dict[str, Any], update: Update, weights: Weights) -> None:
        """Add `row`, or do the update where it is there, and keep the weights, in one transaction."""
        with self._database.transaction(alone=True) as connection:
            _drop_expired(connection)
            _claim(connection, row)
            is_there = choose(RUNS.c.hash).where(RUNS.c.hash == row["hash"])
            connection.execute(update if connection.scalar(is_there) else RUNS.insert().values(row))
            _put_weights(connection, row["hash"], weights)


def _claim(connection: Connection, row: Mapping[str, Any]) -> None:
    """Give an unfinished run that is nobody's to whoever trains it now; a finished one stays whose it is."""
    nobodys = RUNS.c.hash == row["hash"], RUNS.c.state == "unfinished", RUNS.c.owner == ""
    connection.execute(RUNS.update().where(*nobodys).values(owner=row["owner"]))


def _put_weights(connection: Connection, run: str, weights: Weights) -> None:
    """Keep weights of a run beside those that it has of other encodings and seeds; forget those of the oldest runs.

    Public runs make room for public ones, private ones for those of the same owner, and unfinished ones for none.
    """
    for (encoding, seed), content in weights.items():
        connection.execute(WEIGHTS.delete().where(*questions.weights(run, encoding, seed)))
        row = {"hash": run, "encoding": encoding, "seed": seed, "content": content}
        connection.execute(WEIGHTS.insert().values(row))
    if weights:
        private, owner = connection.execute(choose(RUNS.c.private, RUNS.c.owner).where(RUNS.c.hash == run)).one()
        beside = connection.scalars(questions.newest_with_weights(owner if private else None)).all()
        for old in beside[MAX_OWN_WITH_WEIGHTS if private else MAX_WITH_WEIGHTS :]:
            _drop_weights(connection, old)


def _drop_expired(connection: Connection) -> None:
    for run in connection.scalars(choose(RUNS.c.hash).where(questions.expired())).all():
        _remove(connection, run)


def _remove(connection: Connection, run: str) -> None:
    connection.execute(RUNS.delete().where(RUNS.c.hash == run))
    _drop_weights(connection, run)


def _drop_weights(connection: Connection, run: str) -> None:
    connection.execute(WEIGHTS.delete().where(WEIGHTS.c.hash == run))
