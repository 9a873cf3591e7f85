"""Where each run trains, and what becomes of it when its trainer is gone.

Trainers may be in other processes and on other machines. A run whose trainer has gone begins anew, on another one where
there is one; the same seed gives the same numbers. When that one goes too, the run is marked as failed: it may be what
ended them both.
"""

import logging
import threading
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pe_core.lab.device import CPU
from pe_core.lab.queue.snapshot import LIVE, Live, Snapshot, State
from pe_core.lab.queue.submission import Submission
from pe_core.lab.queue.trainers import AnyTrainer, Pool, TrainerGone
from pe_core.lab.results.record import collect
from pe_core.parameters import require

KEPT = 64  # runs that have ended and can still be looked at
ANEW = "It began anew, because the process that trained it has ended."
LOST = "The process that trained it has ended."

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Placed:
    """A run and the trainer that has it; `submission` is there as long as the run could begin anew."""

    job_id: str
    trainer: AnyTrainer
    submission: Submission | None = None
    last: Snapshot | None = None  # as it was when somebody looked
    began_anew: bool = False
    is_left: bool = False  # its page has gone
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def has_ended(self) -> bool:
        """Whether its end has been seen, so that it changes no more."""
        return self.last is not None and self.last.state not in LIVE


class Placement:
    """The runs that the trainers of a pool have, by id; a run of another app is found where trainers are shared."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._placed: dict[str, Placed] = {}
        self._lock = threading.Lock()

    @property
    def n_workers(self) -> int:
        """How many encodings one trainer trains at the same time."""
        return self._pool.n_workers

    def submit(self, submission: Submission) -> None:
        """Hand a run to the trainer that has least to do; `ValueError` if its queue is full or no trainer answers."""
        trainer = self._least_busy()
        trainer.submit(submission)
        with self._lock:
            self._placed[submission.job_id] = Placed(submission.job_id, trainer, submission)

    def live(self, owner: str) -> int:
        """Return how many live runs an owner has, on all trainers that run."""
        runs = self._live(self._pool.running()).values()
        return sum(one.owner == owner for live in runs for one in live.values())

    def counts(self) -> Mapping[State, int]:
        """Return how many runs of all trainers wait, train and are paused."""
        runs = self._live(self._pool.running()).values()
        return Counter(one.state for live in runs for one in live.values())

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, live or ended."""
        placed = self._placed.get(job_id) or self._adopt(job_id)
        if placed is None or placed.has_ended:
            return placed is not None
        try:
            return placed.trainer.knows(job_id)
        except TrainerGone:
            return True  # it begins anew, or is marked as failed

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now and renew its lease; `KeyError` if there is no such run."""
        placed = self._found(job_id)
        with placed.lock:
            if not placed.has_ended:
                placed.last = self._look(placed)
            elif placed.is_left:  # its trainer is told that somebody has come back, and keeps the weights
                with suppress(TrainerGone, KeyError):
                    placed.trainer.snapshot(job_id)
            placed.is_left = False
            if placed.has_ended:
                placed.submission = None
            assert placed.last is not None
            return placed.last

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return weights that the trainer of a run has in memory, None if it has none; `KeyError` for no such run."""
        placed = self._found(job_id)
        with suppress(TrainerGone, KeyError):
            return placed.trainer.weights(job_id, encoding, seed)
        return None

    # Where a trainer has gone, nothing happens: the next look begins the run anew.

    def pause(self, job_id: str) -> None:
        """Take a run out of the queue, ready to go on."""
        with suppress(TrainerGone):
            self._found(job_id).trainer.pause(job_id)

    def resume(self, job_id: str) -> None:
        """Put a paused run at the end of the queue; `ValueError` if the queue is full."""
        with suppress(TrainerGone):
            self._found(job_id).trainer.resume(job_id)

    def cancel(self, job_id: str) -> None:
        """End a run, which never begins anew."""
        placed = self._found(job_id)
        with placed.lock:
            if not placed.has_ended:
                placed.submission = placed.last = None
        with suppress(TrainerGone):
            placed.trainer.cancel(job_id)

    def release(self, job_id: str, seconds: float) -> None:
        """Shorten the lease of a run whose page has gone."""
        placed = self._found(job_id)
        placed.is_left = True
        with suppress(TrainerGone):
            placed.trainer.release(job_id, seconds)

    def forget(self, job_id: str) -> None:
        """Let go of the weights of a run, and of the name that it has in the store."""
        placed = self._found(job_id)
        with suppress(TrainerGone, KeyError):
            placed.trainer.forget(job_id)
        with placed.lock:
            if placed.last is not None:
                placed.last = replace(placed.last, kept="")

    def close(self) -> None:
        """End the trainers that are our own."""
        self._pool.close()

    def _found(self, job_id: str) -> Placed:
        placed = self._placed.get(job_id) or self._adopt(job_id)
        if placed is None:
            raise KeyError(job_id)
        return placed

    def _adopt(self, job_id: str) -> Placed | None:
        """Return a run that another app has handed to a trainer of this one, None if none has it."""
        for trainer in self._pool.running():
            with suppress(TrainerGone):
                if trainer.knows(job_id):
                    with self._lock:
                        return self._placed.setdefault(job_id, Placed(job_id, trainer))
        return None

    def _look(self, placed: Placed) -> Snapshot:
        """Return a run as its trainer has it; where that has gone, as it begins anew, or as it was and failed."""
        try:
            found = placed.trainer.snapshot(placed.job_id)
        except (TrainerGone, KeyError):  # a trainer that has been started again knows none of its runs
            log.warning("the trainer of run %s has gone", placed.job_id)
            found = self._begin_anew(placed)
        return replace(found, message=ANEW) if placed.began_anew and found.state in LIVE else found

    def _begin_anew(self, placed: Placed) -> Snapshot:
        of = placed.submission
        if of is not None and not placed.began_anew:
            placed.began_anew = True
            with suppress(TrainerGone, ValueError):  # none answers, or all queues are full
                trainer = self._least_busy()
                trainer.submit(of)
                placed.trainer = trainer
                return trainer.snapshot(placed.job_id)
        if placed.last is not None:
            return replace(placed.last, state="failed", place=None, seconds_left=None, message=LOST)
        if of is None:
            raise KeyError(placed.job_id)
        return Snapshot("failed", None, 0.0, 0, None, None, LOST, collect(of.config, of.text, {}, CPU), of.owner)

    def _least_busy(self) -> AnyTrainer:
        """Return the trainer with the fewest runs in its queue; `ValueError` if none answers."""
        live = self._live(self._pool.trainers())
        require(bool(live), "trainers", "answer", "no answer")
        self._forget_ended({job_id for runs in live.values() for job_id in runs})
        return min(live, key=lambda trainer: sum(one.state != "paused" for one in live[trainer].values()))

    def _live(self, trainers: Sequence[AnyTrainer]) -> dict[AnyTrainer, Mapping[str, Live]]:
        """Return the live runs of each of the trainers that answer."""
        found = {}
        for trainer in trainers:
            with suppress(TrainerGone):
                found[trainer] = trainer.live()
        return found

    def _forget_ended(self, live: Set[str]) -> None:
        """Forget the oldest runs that have ended, whether somebody has seen it or not."""
        with self._lock:
            ended = [job_id for job_id in self._placed if job_id not in live]
            for job_id in ended[: max(0, len(ended) - KEPT)]:
                del self._placed[job_id]
