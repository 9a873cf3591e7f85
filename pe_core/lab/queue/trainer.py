"""Where runs train: a fair queue, worker threads, snapshots, pause, resume, cancel; how a trainer elsewhere is asked.

Workers serve the first run in the queue that has work. After its turn a run goes to the end, so that a long run never
keeps a short one waiting for long. Within a run, the encoding that has done least goes first, so that all curves grow
together. A run that nobody looks at ends by itself, and so does one that is paused for long.
With a store, a run that ends well is kept; a failure of the store ends no run.
"""

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, TypeVarTuple

import torch

from pe_core.lab.device import CPU, checked
from pe_core.lab.queue.job import (
    KEEP_OWN_WEIGHTS,
    LIVE,
    Job,
    Snapshot,
    State,
    Submission,
    Trainee,
    drop_weights,
    job_of,
    keep,
    remember,
    trim,
    work_on,
)
from pe_core.lab.results.record import is_own
from pe_core.lab.storage.run_hash import CODE
from pe_core.lab.storage.store import RunStore
from pe_core.parameters import require

NICENESS = 10  # a worker gets all of an idle core, and a tenth of a busy one
TURN = 5.0  # seconds that the first run is served while others wait

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


def become_worker() -> None:
    """Let this thread compute on one core and give way to all others, so that a page answers while models train."""
    torch.set_num_threads(1)  # a second thread would only wait for cores that other workers have
    # Elsewhere the niceness would be that of the whole process.
    if sys.platform == "linux":
        os.nice(NICENESS)


SLICE = 0.2  # seconds that a worker stays with one encoding
UNWATCHED = 75.0  # seconds that a run goes on when nobody looks at it: browsers look once a minute from a hidden tab
PAUSE = 900.0  # seconds after which a paused run ends


class Trainer:
    """A queue of runs and the worker threads that serve it.

    Each of the `n_workers` uses one core; `max_live` runs may be queued or running, and as many paused; `store` keeps
    finished runs; `device` is where all workers compute.
    """

    def __init__(
        self,
        *,
        n_workers: int = os.cpu_count() or 1,
        max_live: int = 8,
        store: RunStore | None = None,
        device: str = CPU,
    ) -> None:
        self._device = device
        self._store = store
        self._max_live = max_live
        self._jobs: dict[str, Job] = {}
        self._queue: list[Job] = []  # the runs that take turns, the one whose turn it is first
        self._turn_began = -math.inf
        self._changed = threading.Condition()
        self._closed = False
        self.n_workers = n_workers
        self._workers = [
            threading.Thread(target=self._work, name=f"lab-{number}", daemon=True) for number in range(self.n_workers)
        ]
        for worker in self._workers:
            worker.start()

    def submit(self, submission: Submission) -> Snapshot:
        """Put a run at the end of the queue and return it as it stands; `ValueError` if the queue is full."""
        job = job_of(submission, self._device)
        with self._changed:
            require(not self._closed, "lab", "be open to take a run", "closed")
            self._check_room()
            remember(self._jobs, submission.job_id, job)
            self._enqueue(job)
        return self.snapshot(submission.job_id)

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now; `KeyError` if there is no such run, as here and below."""
        with self._changed:
            job = self._jobs[job_id]
            job.last_seen = time.monotonic()
            place = self._queue.index(job) if job in self._queue else None
            return job.snapshot(place, len(self._queue), self.n_workers)

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return weights in memory as safetensors, None if they are gone."""
        with self._changed:
            return self._jobs[job_id].weights().get((encoding, seed))

    def live(self) -> Mapping[str, tuple[str, State]]:
        """Return the owner and the state of all runs that wait, train or are paused, by id."""
        with self._changed:
            return {key: (job.owner, job.state) for key, job in self._jobs.items() if job.state in LIVE}

    def pause(self, job_id: str) -> None:
        """Take a run out of the queue, ready to go on for a while; nothing happens to a run that has ended.

        Raises `ValueError` where as many runs are paused as may wait.
        """
        with self._changed:
            job = self._jobs[job_id]
            if job in self._queue:
                n_paused = sum(job.state == "paused" for job in self._jobs.values())
                rule = f"be fewer than {self._max_live} to pause another"
                require(n_paused < self._max_live, "paused runs", rule, n_paused)
                self._leave(job)
                job.state, job.paused_at = "paused", time.monotonic()

    def resume(self, job_id: str) -> None:
        """Put a paused run at the end of the queue; `ValueError` if the queue is full."""
        with self._changed:
            job = self._jobs[job_id]
            if job.state == "paused":
                self._check_room()
                self._enqueue(job)

    def cancel(self, job_id: str) -> None:
        """End a run; what has come out so far stays to be looked at."""
        with self._changed:
            self._end(self._jobs[job_id], "stopped", "Stopped.")

    def forget(self, job_id: str) -> None:
        """Let go of the weights of a run, and of the name that it has in the store."""
        with self._changed:
            self._jobs[job_id].kept = ""
            self._jobs[job_id].drop_weights()

    def close(self) -> None:
        """End all runs and wait for the workers."""
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                self._end(job, "stopped", "The lab was closed.")
            self._changed.notify_all()
        for worker in self._workers:
            worker.join()

    def _check_room(self) -> None:
        n_queued = len(self._queue)
        require(n_queued < self._max_live, "queue", f"have fewer than {self._max_live} runs to take another", n_queued)

    def _work(self) -> None:
        become_worker()
        while True:
            with self._changed:
                self._end_unwatched()
                taken = None if self._closed else self._next()
                if taken is None:
                    if self._closed:
                        return
                    self._changed.wait(timeout=1.0)  # that nobody looks any more, nobody says
                    continue
            job, trainee = taken
            failure = work_on(job, trainee, SLICE, self._changed)
            if job.is_complete and self._store:  # before it is told to have finished; a second worker may do it again
                keep(job, self._store)
            with self._changed:
                job.put_down(trainee)
                if failure is not None:
                    self._end(job, "failed", failure)
                elif job.is_complete:
                    self._end(job, "finished", "")
                self._changed.notify_all()
            if job.state not in LIVE:
                trim()

    def _enqueue(self, job: Job) -> None:
        if not self._queue:
            self._turn_began = time.monotonic()
        job.state = "queued"
        self._queue.append(job)
        self._changed.notify_all()

    def _leave(self, job: Job) -> None:
        if job is self._queue[0]:
            self._turn_began = time.monotonic()  # the next one has its turn whole
        self._queue.remove(job)

    def _next(self) -> tuple[Job, Trainee] | None:
        """Return the first run that has an idle encoding, and of its idle encodings the one that has done least."""
        now = time.monotonic()
        if len(self._queue) > 1 and now - self._turn_began > TURN:
            self._queue.append(self._queue.pop(0))
            self._turn_began = now
        waiting = next((job for job in self._queue if job.idle), None)
        return (waiting, waiting.take()) if waiting else None

    def _end(self, job: Job, state: State, message: str) -> None:
        if job.state in LIVE:
            job.end(state, message)
            if job in self._queue:
                self._leave(job)
            drop_weights(self._jobs.values())

    def _end_unwatched(self) -> None:
        now = time.monotonic()
        for job in self._jobs.values():
            unseen = now - job.last_seen
            if unseen > UNWATCHED:
                self._end(job, "stopped", "Stopped, because nobody was watching any more.")
            elif job.state == "paused" and now - job.paused_at > PAUSE:
                self._end(job, "stopped", f"Stopped, because it was paused for more than {PAUSE / 60:.0f} minutes.")
            if unseen > KEEP_OWN_WEIGHTS and is_own(job.text):
                job.drop_weights()


class TrainerGone(ValueError):
    """A trainer somewhere else has ended, or does not answer any more."""


@dataclass(frozen=True)
class TrainerOptions:
    """How a trainer is made where it runs; `store` is the URL of one, empty for none.

    `versions` are those of code and torch of who asks for it.
    """

    store: str = ""
    max_live: int = 8
    n_workers: int = os.cpu_count() or 1
    device: str = CPU
    versions: tuple[str, str] = (CODE, torch.__version__)

    def trainer(self) -> Trainer:
        """Return a trainer made so, with its workers; `ValueError` where code and torch are others, or no such device.

        Its numbers would not be those of the runs that it is asked for.
        """
        here = CODE, torch.__version__
        require(here == self.versions, "code and torch of a worker", f"be {self.versions}", here)
        store = RunStore(self.store) if self.store else None
        return Trainer(n_workers=self.n_workers, max_live=self.max_live, store=store, device=checked(self.device))


def answer(trainer: Trainer, do: Callable[..., object], arguments: Sequence[object]) -> object:
    """Do what a trainer is asked; return what came out, or the error."""
    try:
        return do(trainer, *arguments)
    except Exception as error:
        return error


def understood(answered: Any) -> Any:
    """Return what came out, or raise the error."""
    if isinstance(answered, Exception):
        raise answered
    return answered
