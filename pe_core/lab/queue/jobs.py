"""Runs for those who ask for them: each belongs to who has started it, and what is kept is there at once.

A run is on one of the trainers of a pool. Where that has gone before the run has ended, the run has failed, and what
was last seen of it stays.
"""

import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.cluster import Cluster, WorkerTrainer
from pe_core.lab.queue.job import LIVE, Snapshot, State, submission
from pe_core.lab.queue.process import Here, OneProcess, Processes
from pe_core.lab.queue.trainer import Trainer, TrainerGone
from pe_core.lab.results.record import RunRecord
from pe_core.lab.storage.run_hash import is_hash, run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.parameters import require

REMEMBERED = 128  # names of runs; a run that is kept has two
FRESH = 0.2  # seconds for which one look does for all: a room that watches a run asks as one visitor does
OPERATOR = "operator"  # who may do what the owner of any run may
LOST = "The process that trained it has ended."

# The trainers that there are; those that have gone are replaced or left out.
Pool = OneProcess | Processes | Here | Cluster
RemoteTrainer = OneProcess | Here | WorkerTrainer


class NotYours(ValueError):
    """Somebody else's run was to be paused, stopped or removed."""


@dataclass(eq=False)
class Run:
    """A run as it was last seen and the trainer that has it; a run from the store has none."""

    job_id: str
    trainer: RemoteTrainer | None
    last: Snapshot
    unkept: str = ""  # why the store could not note that it has begun
    fresh_until: float = -math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self) -> Snapshot:
        """Return the run as it stands now, or stood a moment ago; `LOST` where its trainer has gone or forgotten it."""
        with self.lock:
            if self.trainer is None or time.monotonic() < self.fresh_until:
                return self.last
            try:
                self.last = self.trainer.ask(Trainer.snapshot, self.job_id)
            except (TrainerGone, KeyError):
                if self.last.state not in LIVE:
                    return self.last
                return replace(self.last, state="failed", place=None, seconds_left=None, message=LOST)
            if self.last.state in LIVE and self.unkept:
                self.last = replace(self.last, unkept=self.unkept)
            self.fresh_until = time.monotonic() + FRESH
            return self.last

    def change(self, do: Callable[[Trainer, str], None]) -> None:
        """Let its trainer change it; who looks next sees that."""
        if self.trainer is not None:
            self.trainer.ask(do, self.job_id)
            self.fresh_until = -math.inf


class JobManager:
    """The runs of one app, on the trainers of a pool, with a store of those that have finished.

    An owner may have `max_own` live runs; nobody's runs, with an empty owner, are not counted.
    """

    def __init__(self, pool: Pool, store: RunStore | None = None, *, max_own: int = 2) -> None:
        self._pool = pool
        self._store = store
        self._max_own = max_own
        self._runs: OrderedDict[str, Run] = OrderedDict()  # by id, and by hash once it is kept
        self._lock = threading.Lock()

    @property
    def n_workers(self) -> int:
        """How many encodings one trainer trains at the same time."""
        return self._pool.n_workers

    def submit(
        self,
        config: RunConfig,
        dataset: Dataset,
        owner: str = "",
        *,
        again: bool = False,
        keeps_weights: bool = False,
    ) -> str:
        """Hand a run to the trainer that has least to do and return its id.

        A run that the store has is finished at once, and its id is its hash there, unless it is to be trained `again`.
        With `keeps_weights` the store keeps models of an own text, too. Raises `ValueError` if the text is short, the
        queue full, no trainer answers, or the owner has as many live runs as one may have.
        """
        new = submission(config, dataset, owner, keeps_weights=keeps_weights)
        run = run_hash(config, new.text)
        with suppress(StoreError):  # one that fails has no such run
            if not again and self.find(run):
                return run
        trainers = self._pool.trainers()
        require(bool(trainers), "trainers", "answer", "no answer")
        live = _live(trainers) or {one: one.ask(Trainer.live) for one in trainers}  # which says why none answers
        if owner:
            own = sum(whose == owner for runs in live.values() for whose, _ in runs.values())
            require(own < self._max_own, "your live runs", f"be fewer than {self._max_own} to start another", own)
        trainer = min(live, key=lambda one: sum(state != "paused" for _, state in live[one].values()))
        handed = self._remember(new.job_id, Run(new.job_id, trainer, trainer.ask(Trainer.submit, new)))
        if self._store is not None:
            try:
                self._store.begin(config, new.text, owner)
            except StoreError as error:
                handed.unkept = str(error)
        return new.job_id

    def find(self, run: str) -> bool:
        """Return whether there is a run with this id, or with this hash in the store, from where it is fetched.

        Raises `StoreError` where the store would have to be asked and cannot answer.
        """
        if self.knows(run):
            return True
        record = self._store.get(run) if self._store is not None else None
        if self._store is None or record is None:
            return False
        self._remember(run, Run(run, None, _finished(record, run, self._store.owner(run) or "")))
        return True

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, without asking the store."""
        with suppress(KeyError):
            return bool(self._found(job_id).look())
        return False

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now; `KeyError` if there is no such run. One that nobody looks at ends."""
        run = self._found(job_id)
        found = run.look()
        if found.kept:
            self._remember(found.kept, run)
        return found

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return trained weights as safetensors, None if they are gone; `KeyError` if there is no such run."""
        run = self._found(job_id)
        if run.trainer is not None:
            with suppress(TrainerGone, KeyError):
                found = run.trainer.ask(Trainer.weights, run.job_id, encoding, seed)
                if found is not None:
                    return found
        kept = run.look().kept
        return self._store.weights(kept, encoding, seed) if kept and self._store is not None else None

    def pause(self, job_id: str, by: str = "") -> None:
        """Take a run out of the queue until it is resumed; nothing happens to one that has ended.

        This and all other changes raise `NotYours` for anybody but the owner and the operator.
        """
        self._change(job_id, by, Trainer.pause)

    def resume(self, job_id: str, by: str = "") -> None:
        """Put a paused run at the end of the queue; `ValueError` if the queue is full."""
        self._change(job_id, by, Trainer.resume)

    def cancel(self, job_id: str, by: str = "") -> None:
        """End a run; what has come out so far stays to be looked at."""
        self._change(job_id, by, Trainer.cancel)

    def remove(self, run: str, by: str = "") -> None:
        """Forget the run with this hash, here and in the store; `StoreError` where that fails."""
        if self._store is not None:
            _check(self._store.owner(run) or by, by)  # what is nobody's anybody removes
            self._store.remove(run)
        with self._lock:
            found = self._runs.pop(run, None)
        if found is not None:
            with suppress(TrainerGone, KeyError):
                found.change(Trainer.forget)

    def counts(self) -> Mapping[State, int]:
        """Return how many runs wait, train and are paused."""
        return Counter(state for runs in _live(self._trainers()).values() for _, state in runs.values())

    def close(self) -> None:
        """End all runs of trainers that are our own, and wait for them."""
        self._pool.close()

    def _trainers(self) -> Sequence[RemoteTrainer]:
        with suppress(ValueError):  # none answers
            return self._pool.trainers()
        return []

    def _found(self, name: str) -> Run:
        """Return a run by its id or hash; one that another app has handed to a trainer of this one is looked for."""
        with self._lock:
            if name in self._runs:
                self._runs.move_to_end(name)
                return self._runs[name]
        if not is_hash(name):
            for trainer in self._trainers():
                with suppress(TrainerGone, KeyError):
                    return self._remember(name, Run(name, trainer, trainer.ask(Trainer.snapshot, name)))
        raise KeyError(name)

    def _remember(self, name: str, run: Run) -> Run:
        """Note a run under a name, and forget those that nobody has asked for the longest."""
        with self._lock:
            self._runs[name] = run
            self._runs.move_to_end(name)
            while len(self._runs) > REMEMBERED:
                self._runs.popitem(last=False)
        return run

    def _change(self, job_id: str, by: str, do: Callable[[Trainer, str], None]) -> None:
        snapshot = self.snapshot(job_id)
        _check(snapshot.owner, by)
        if snapshot.state in LIVE:
            self._found(job_id).change(do)


def _live(trainers: Iterable[RemoteTrainer]) -> dict[RemoteTrainer, Mapping[str, tuple[str, State]]]:
    """Return owner and state of the live runs of each of the trainers that answer."""
    found = {}
    for trainer in trainers:
        with suppress(TrainerGone):
            found[trainer] = trainer.ask(Trainer.live)
    return found


def _check(owner: str, by: str) -> None:
    """Raise `NotYours` where a run of this owner is not for this visitor to change."""
    if by not in (owner, OPERATOR):
        raise NotYours("run must be your own to be changed, got one of another visitor")


def _finished(record: RunRecord, run: str, owner: str) -> Snapshot:
    """Return a run from the store, where it has this hash."""
    steps = sum(len(curve) for by_seed in record.curves.values() for curve in by_seed.values())
    return Snapshot("finished", None, 1.0, steps, None, None, "", record, owner, kept=run)
