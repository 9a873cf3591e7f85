"""What is told of a run while it waits, trains, is paused, and after it has ended."""

from dataclasses import dataclass
from typing import Literal

from pe_core.lab.results.record import RunRecord

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
LIVE: tuple[State, ...] = ("queued", "running", "paused")


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: where it stands, how fast it goes, and what has come out so far.

    `place` counts the runs ahead in the queue, None once the run has ended or is paused. `seconds_left` is None until a
    speed has been measured. `message` says why a run failed or was stopped. `owner` is empty where nobody
    owns the run. `kept` is the hash that the run has in the store, once it is there; `unkept` says why it could not be
    put there.
    """

    state: State
    place: int | None
    done: float  # of the time of all its work, 0 to 1
    steps: int
    tokens_per_second: float | None
    seconds_left: float | None
    message: str
    record: RunRecord
    owner: str = ""
    kept: str = ""
    unkept: str = ""


@dataclass(frozen=True)
class Live:
    """What is known at a glance of a run that has not ended: whose it is, and its state."""

    owner: str
    state: State
