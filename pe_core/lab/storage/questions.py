"""What the store asks its database: one run, its weights, and the lists."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, false, or_
from sqlalchemy import select as choose

from pe_core.lab.results.record import TextFacts
from pe_core.lab.storage.database import RUNS, WEIGHTS

FINISHED = RUNS.c.state == "finished"
TRAINED = choose(WEIGHTS.c.hash).distinct()  # the database answers it from its index
_LISTED = [RUNS.c[name] for name in ("hash", "state", "began", "ended", "settings", "text", "versions", "ratios")]
_BY_TIME = RUNS.c.began.desc(), RUNS.c.hash.desc()


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


def one(run: str) -> tuple[ColumnElement[bool], ...]:
    """Return what holds of the row of this run alone, while it has not expired."""
    return RUNS.c.hash == run, _there()


def expired() -> ColumnElement[bool]:
    """Return what holds of the rows of runs whose time is over."""
    return RUNS.c.expires <= time.time()


def weights(run: str, encoding: str, seed: int) -> tuple[ColumnElement[bool], ...]:
    """Return what holds of the row of these weights alone."""
    return WEIGHTS.c.hash == run, WEIGHTS.c.encoding == encoding, WEIGHTS.c.seed == seed


def listed(connection: Connection, limit: int, viewer: str) -> list[KeptRun]:
    """Return the newest finished runs that anybody may see, and whatever is the viewer's own."""
    return _newest(connection, or_(_public() & FINISHED, _own(viewer)), limit)


def owned(connection: Connection, owner: str) -> list[KeptRun]:
    """Return all runs of an owner."""
    return _newest(connection, _own(owner), None)


def with_weights(connection: Connection, viewer: str) -> list[KeptRun]:
    """Return the finished runs whose trained weights are here, of those that the viewer may see."""
    return _newest(connection, or_(_public(), _own(viewer)) & FINISHED & RUNS.c.hash.in_(TRAINED), None)


def newest_with_weights(owner: str | None) -> Select[Any]:
    """Return the question for the hashes of finished runs with weights, the one that ended last first.

    They are the public runs, or else the private ones of an owner.
    """
    whose = _public() if owner is None else RUNS.c.private & (RUNS.c.owner == owner)
    return choose(RUNS.c.hash).where(whose, FINISHED, RUNS.c.hash.in_(TRAINED)).order_by(RUNS.c.ended.desc())


def _public() -> ColumnElement[bool]:
    return ~RUNS.c.private


def _own(viewer: str) -> ColumnElement[bool]:
    """Return what holds of the rows of a viewer; none are of one who is nobody."""
    return RUNS.c.owner == viewer if viewer else false()


def _there() -> ColumnElement[bool]:
    """Return what holds of rows that have not expired."""
    return or_(RUNS.c.expires.is_(None), RUNS.c.expires > time.time())


def _newest(connection: Connection, wanted: ColumnElement[bool], limit: int | None) -> list[KeptRun]:
    """Return the runs that are wanted, the last one that was begun first."""
    found = choose(RUNS.c.hash, RUNS.c.owner, RUNS.c.expires).where(wanted, _there()).order_by(*_BY_TIME)
    chosen = found.limit(limit).subquery()  # from the index alone
    question = choose(*_LISTED, chosen.c.owner, chosen.c.expires).join(chosen, chosen.c.hash == RUNS.c.hash)
    return [_kept(dict(row)) for row in connection.execute(question.order_by(*_BY_TIME)).mappings()]


def _kept(row: Mapping[str, Any]) -> KeptRun:
    parts = {name: json.loads(row[name] or "{}") for name in ("settings", "text", "versions", "ratios")}
    return KeptRun(**{**row, **parts, "text": TextFacts.from_content(parts["text"])})
