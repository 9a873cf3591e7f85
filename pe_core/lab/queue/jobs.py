"""Runs for those who ask for them: each belongs to who has started it, and what is kept is there at once."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from pe_core.lab.experiment.datasets import Dataset
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.placement import KEPT, Placement
from pe_core.lab.queue.snapshot import LIVE, Snapshot, State
from pe_core.lab.queue.submission import submission
from pe_core.lab.queue.trainers import Pool
from pe_core.lab.results.record import RunRecord
from pe_core.lab.storage.run_hash import is_hash, run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.parameters import require

SOON = 10.0  # seconds that a run goes on whose page has gone, unless one comes back
OPERATOR = "operator"  # who may do what the owner of any run may


class NotYours(ValueError):
    """Somebody else's run was to be paused, stopped or removed."""


class JobManager:
    """The runs of one app, on the trainers of a pool, with a store of those that have finished.

    An owner may have `max_own` live runs; nobody's runs, with an empty owner, are not counted.
    """

    def __init__(self, pool: Pool, store: RunStore | None = None, *, max_own: int = 2) -> None:
        self._placement = Placement(pool)
        self._store = store
        self._max_own = max_own
        self._kept: dict[str, Snapshot] = {}  # from the store, by hash
        self._ids: dict[str, str] = {}  # of runs that have been kept since they were submitted here, by hash
        self._unkept: dict[str, str] = {}  # why the store could not note that a run has begun, by id
        self._lock = threading.Lock()

    @property
    def n_workers(self) -> int:
        """How many encodings one trainer trains at the same time."""
        return self._placement.n_workers

    def submit(
        self,
        config: RunConfig,
        dataset: Dataset,
        owner: str = "",
        *,
        again: bool = False,
        keeps_weights: bool = False,
    ) -> str:
        """Hand a run to a trainer and return its id.

        A run that the store has is finished at once, and its id is its hash there, unless it is to be trained `again`.
        With `keeps_weights` the store keeps models of an own text, too. Raises `ValueError` if the text is short, the
        queue full, or the owner has as many live runs as one may have.
        """
        dataset.check_length(max(config.lengths))
        new = submission(config, dataset, owner, keeps_weights=keeps_weights)
        run = run_hash(config, new.text)
        if not again and self._has(run):
            return run
        if owner:
            own = self._placement.live(owner)
            require(own < self._max_own, "your live runs", f"be fewer than {self._max_own} to start another", own)
        self._placement.submit(new)
        if self._store is not None:
            try:
                self._store.begin(config, new.text, owner)
            except StoreError as error:
                self._unkept[new.job_id] = str(error)
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
        kept = _finished(record, run, self._store.owner(run) or "")
        with self._lock:
            self._kept[run] = kept
            for oldest in list(self._kept)[: max(0, len(self._kept) - KEPT)]:
                del self._kept[oldest]
        return True

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, without asking the store."""
        if job_id in self._kept or job_id in self._ids:
            return True
        return not is_hash(job_id) and self._placement.knows(job_id)

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now and renew its lease; `KeyError` if there is no such run."""
        if kept := self._kept.get(job_id):
            return kept
        placed = self._ids.get(job_id, job_id)
        found = self._placement.snapshot(placed)
        if found.kept:
            with self._lock:
                self._ids[found.kept] = placed
        if found.state in LIVE:
            return replace(found, unkept=self._unkept.get(placed, found.unkept))
        self._unkept.pop(placed, None)
        return found

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return trained weights as safetensors, None if they are gone; `KeyError` if there is no such run."""
        if job_id not in self._kept:
            found = self._placement.weights(self._ids.get(job_id, job_id), encoding, seed)
            if found is not None:
                return found
        kept = self.snapshot(job_id).kept
        return self._store.weights(kept, encoding, seed) if kept and self._store is not None else None

    def pause(self, job_id: str, by: str = "") -> None:
        """Take a run out of the queue until it is resumed; nothing happens to one that has ended.

        This and all other changes raise `NotYours` for anybody but the owner and the operator.
        """
        self._change(job_id, by, self._placement.pause)

    def resume(self, job_id: str, by: str = "") -> None:
        """Put a paused run at the end of the queue; `ValueError` if the queue is full."""
        self._change(job_id, by, self._placement.resume)

    def cancel(self, job_id: str, by: str = "") -> None:
        """End a run; what has come out so far stays to be looked at."""
        self._change(job_id, by, self._placement.cancel)

    def release(self, job_id: str, *, seconds: float = SOON) -> None:
        """Shorten the lease of a run whose page has gone; a page that comes back in time renews it."""
        if job_id not in self._kept:
            with suppress(KeyError):
                self._placement.release(self._ids.get(job_id, job_id), seconds)

    def remove(self, run: str, by: str = "") -> None:
        """Forget the run with this hash, here and in the store; `StoreError` where that fails."""
        if self._store is not None:
            _check(self._store.owner(run) or by, by)  # what is nobody's, as runs of older versions, anybody removes
            self._store.remove(run)
        with self._lock:
            self._kept.pop(run, None)
            job_id = self._ids.pop(run, None)
        if job_id is not None:
            with suppress(KeyError):
                self._placement.forget(job_id)

    def counts(self) -> Mapping[State, int]:
        """Return how many runs wait, train and are paused."""
        return self._placement.counts()

    def close(self) -> None:
        """End all runs of trainers that are our own, and wait for them."""
        self._placement.close()

    def _has(self, run: str) -> bool:
        """Return whether there is a run of this hash; a store that fails has none."""
        with suppress(StoreError):
            return self.find(run)
        return False

    def _change(self, job_id: str, by: str, change: Callable[[str], None]) -> None:
        snapshot = self.snapshot(job_id)
        _check(snapshot.owner, by)
        if snapshot.state in LIVE:
            change(self._ids.get(job_id, job_id))


def _check(owner: str, by: str) -> None:
    """Raise `NotYours` where a run of this owner is not for this visitor to change."""
    if by not in (owner, OPERATOR):
        raise NotYours("run must be your own to be changed, got one of another visitor")


def _finished(record: RunRecord, run: str, owner: str) -> Snapshot:
    """Return a run from the store, where it has this hash."""
    steps = sum(len(curve) for by_seed in record.curves.values() for curve in by_seed.values())
    return Snapshot("finished", None, 1.0, steps, None, None, "", record, owner, kept=run)
