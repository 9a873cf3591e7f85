"""A trainer that is somewhere else, as the app sees it, and the other side, which does what it is asked."""

import pickle
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pe_core.lab.device import CPU
from pe_core.lab.queue.snapshot import Live, Snapshot
from pe_core.lab.queue.submission import Submission
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.storage.store import RunStore

FRESH = 0.2  # seconds for which one snapshot does for all who look: a room that watches a run asks as one visitor does
REMEMBERED = 64  # snapshots


@dataclass(frozen=True)
class TrainerOptions:
    """How a trainer is made where it runs; `store` is the URL of one, empty for none."""

    store: str = ""
    max_live: int = 8
    n_workers: int | None = None
    lease: float = 75.0
    device: str = CPU

    def trainer(self) -> Trainer:
        """Return a trainer made so, with its workers."""
        store = RunStore(self.store) if self.store else None
        return Trainer(
            n_workers=self.n_workers, max_live=self.max_live, lease=self.lease, store=store, device=self.device
        )


def answer(trainer: Trainer, question: bytes) -> bytes:
    """Do what a `RemoteTrainer` asks, and return what came out or the error, for `understood`."""
    method, arguments = pickle.loads(question)
    try:
        return pickle.dumps((True, getattr(trainer, method)(*arguments)))
    except Exception as error:
        return pickle.dumps((False, error))


class RemoteTrainer(ABC):
    """A trainer that is asked by messages; each method is that of `AnyTrainer`."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, Snapshot]] = {}
        self._lock = threading.Lock()

    @abstractmethod
    def _told(self, question: bytes) -> bytes:
        """Return what `answer` returns there; `TrainerGone` if it cannot be asked."""

    def submit(self, submission: Submission) -> None:
        """Put a run at the end of the queue; `ValueError` if the queue is full."""
        self._ask("submit", submission)

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now, or stood a moment ago, and renew its lease."""
        with self._lock:
            at, seen = self._seen.get(job_id, (0.0, None))
        if seen is not None and time.monotonic() - at < FRESH:
            return seen
        found: Snapshot = self._ask("snapshot", job_id)
        with self._lock:
            self._seen.pop(job_id, None)
            self._seen[job_id] = time.monotonic(), found
            for oldest in list(self._seen)[: max(0, len(self._seen) - REMEMBERED)]:
                del self._seen[oldest]
        return found

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return trained weights that are in memory there, None if they are gone."""
        found: bytes | None = self._ask("weights", job_id, encoding, seed)
        return found

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, live or ended."""
        return bool(self._ask("knows", job_id))

    def live(self) -> Mapping[str, Live]:
        """Return all runs that have not ended, by id."""
        found: Mapping[str, Live] = self._ask("live")
        return found

    def pause(self, job_id: str) -> None:
        """Take a run out of the queue, ready to go on."""
        self._change("pause", job_id)

    def resume(self, job_id: str) -> None:
        """Put a paused run at the end of the queue."""
        self._change("resume", job_id)

    def cancel(self, job_id: str) -> None:
        """End a run."""
        self._change("cancel", job_id)

    def release(self, job_id: str, seconds: float) -> None:
        """Shorten the lease of a run whose page has gone."""
        self._change("release", job_id, seconds)

    def forget(self, job_id: str) -> None:
        """Let go of what is kept of a run."""
        self._change("forget", job_id)

    def _change(self, method: str, job_id: str, *arguments: object) -> None:
        self._ask(method, job_id, *arguments)
        with self._lock:
            self._seen.pop(job_id, None)  # who has changed it sees that at once

    def _ask(self, method: str, *arguments: object) -> Any:
        done, value = pickle.loads(self._told(pickle.dumps((method, arguments))))
        if not done:
            raise value
        return value
