"""Runs in the background: a fair queue, worker threads, snapshots, pause, resume, cancel, and a lease on every run.

Workers serve the first run in the queue that has work. After its turn a run goes to the end, so that a long run never
keeps a short one waiting for long. Within a run, the encoding that has done least goes first, so that all curves grow
together. A run that no page has asked about during its lease ends by itself. With a store, a run that is kept is there
at once, and a run that ends well is kept; a failure of the store ends no run.
"""

import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping

from pe_core.lab.device import CPU
from pe_core.lab.experiment.datasets import Dataset
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.job import LIVE, Job, Snapshot, State, Trainee, job_of, kept_job, work_on
from pe_core.lab.queue.memory import drop_left_weights, drop_weights, keep, remember, trim
from pe_core.lab.queue.worker import become_worker
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.parameters import require

TURN = 5.0  # seconds that the first run is served while others wait


class JobQueue:
    """The runs that take turns; whoever touches it holds the lock of its `JobManager`."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []
        self._turn_began = time.monotonic()

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)

    def place(self, job: Job) -> int | None:
        """Return how many runs are ahead of a run, None if it is not in the queue."""
        return self._jobs.index(job) if job in self._jobs else None

    def join(self, job: Job) -> None:
        """Put a run at the end."""
        if not self._jobs:
            self._turn_began = time.monotonic()
        job.state = "queued"
        self._jobs.append(job)

    def leave(self, job: Job) -> None:
        """Take a run out; nothing happens if it is not in the queue."""
        if job not in self._jobs:
            return
        if job is self._jobs[0]:
            self._turn_began = time.monotonic()  # the next one has its turn whole
        self._jobs.remove(job)

    def next(self) -> tuple[Job, Trainee] | None:
        """Return the first run that has an idle encoding, and of its idle encodings the one that has done least."""
        now = time.monotonic()
        if len(self._jobs) > 1 and now - self._turn_began > TURN:
            self._jobs.append(self._jobs.pop(0))
            self._turn_began = now
        waiting = next((job for job in self._jobs if job.idle), None)
        return (waiting, waiting.take()) if waiting else None


SLICE = 0.2  # seconds that a worker stays with one encoding


class JobManager:
    """A queue of runs and the worker threads that serve it; one per process.

    `n_workers` defaults to the number of cores, each worker using one; `max_live` runs may be queued, running or
    paused; `lease` is the time in seconds that a run goes on unwatched; `store` keeps finished runs; `device` is where
    all workers compute.
    """

    def __init__(
        self,
        *,
        n_workers: int | None = None,
        max_live: int = 8,
        lease: float = 75.0,
        store: RunStore | None = None,
        device: str = CPU,
    ) -> None:
        self._lease = lease
        self._device = device
        self._store = store
        self._max_live = max_live
        self._jobs: dict[str, Job] = {}
        self._queue = JobQueue()
        self._changed = threading.Condition()
        self._closed = False
        self.n_workers = n_workers or os.cpu_count() or 1
        self._workers = [
            threading.Thread(target=self._work, name=f"lab-{number}", daemon=True) for number in range(self.n_workers)
        ]
        for worker in self._workers:
            worker.start()

    def submit(self, config: RunConfig, dataset: Dataset, *, again: bool = False) -> str:
        """Put a run at the end of the queue and return its id; `ValueError` if the text is short or the queue full.

        A run that the store has is finished at once, and its id is its hash there, unless it is to be trained `again`.
        """
        dataset.check_length(max(config.lengths))
        facts = text_facts(dataset)
        job, run = job_of(config, dataset, facts, self._lease, self._device), run_hash(config, facts)
        if not again and job.ask(self._store, lambda store: self.find(run)):
            return run
        with self._changed:
            require(not self._closed, "lab", "be open to take a run", "closed")
            live = sum(job.state in LIVE for job in self._jobs.values())
            require(live < self._max_live, "queue", f"have fewer than {self._max_live} runs to take another", live)
            job_id = secrets.token_urlsafe(9)
            remember(self._jobs, job_id, job)
            self._enqueue(job)
        job.ask(self._store, lambda store: store.begin(config, facts))
        return job_id

    def find(self, run: str) -> bool:
        """Return whether there is a run with this id, or with this hash in the store, from where it is fetched.

        Raises `StoreError` where the store would have to be asked and cannot answer.
        """
        if self._store is None or self.knows(run):
            return self.knows(run)
        record = self._store.get(run)
        if record is not None:
            with self._changed:
                remember(self._jobs, run, kept_job(record, run, self._lease))
        return record is not None

    def remove(self, run: str) -> None:
        """Forget the run with this hash, here and in the store; `StoreError` where that fails."""
        if self._store is not None:
            self._store.remove(run)
        with self._changed:
            if run in self._jobs:
                self._jobs.pop(run).forget()

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now and renew its lease; `KeyError` if there is no such run."""
        with self._changed:
            job = self._jobs[job_id]
            job.last_seen, job.lease, job.left = time.monotonic(), self._lease, None
            return job.snapshot(self._queue.place(job), len(self._queue), self.n_workers)

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return trained weights as safetensors, None if they are gone; `KeyError` if there is no such run."""
        with self._changed:
            job = self._jobs[job_id]
        return job.weights_of(encoding, seed, self._store)

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, live or ended; old ones are forgotten, and a restart forgets all."""
        with self._changed:
            return job_id in self._jobs

    def counts(self) -> Mapping[str, int]:
        """Return how many runs there are by state, live or ended, of those that are remembered."""
        with self._changed:
            return Counter(job.state for job in {id(job): job for job in self._jobs.values()}.values())

    def pause(self, job_id: str) -> None:
        """Take a run out of the queue, ready to go on; nothing happens to a run that has ended."""
        with self._changed:
            job = self._jobs[job_id]
            if job in self._queue:
                self._queue.leave(job)
                job.state = "paused"

    def resume(self, job_id: str) -> None:
        """Put a paused run at the end of the queue."""
        with self._changed:
            job = self._jobs[job_id]
            if job.state == "paused":
                self._enqueue(job)

    def cancel(self, job_id: str) -> None:
        """End a run; what has come out so far stays to be looked at."""
        with self._changed:
            self._end(self._jobs[job_id], "stopped", "Stopped.")

    def release(self, job_id: str, *, seconds: float = 10.0) -> None:
        """Shorten the lease of a run whose page has gone; a page that comes back in time renews it."""
        with self._changed:
            if job := self._jobs.get(job_id):
                job.left = time.monotonic()
                job.lease = min(job.lease, job.left - job.last_seen + seconds)

    def close(self) -> None:
        """End all runs and wait for the workers."""
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                self._end(job, "stopped", "The lab was closed.")
            self._changed.notify_all()
        for worker in self._workers:
            worker.join()

    def _work(self) -> None:
        become_worker()
        while True:
            with self._changed:
                self._end_unwatched()
                taken = None if self._closed else self._queue.next()
                if taken is None:
                    if self._closed:
                        return
                    self._changed.wait(timeout=1.0)  # leases run out with no one there to notify
                    continue
            job, trainee = taken
            failure = work_on(job, trainee, SLICE, self._changed)
            if job.is_complete:  # before anybody is told that it has finished; a second worker may do it once more
                self._keep(job)
            with self._changed:
                self._put_back(job, trainee, failure)
            if job.state not in LIVE:
                trim()

    def _put_back(self, job: Job, trainee: Trainee, failure: str | None) -> None:
        job.put_down(trainee)
        if failure is not None:
            self._end(job, "failed", failure)
        elif job.is_complete:
            self._end(job, "finished", "")
        self._changed.notify_all()

    def _enqueue(self, job: Job) -> None:
        self._queue.join(job)
        self._changed.notify_all()

    def _end(self, job: Job, state: State, message: str) -> None:
        if job.state in LIVE:
            job.end(state, message)
            self._queue.leave(job)
            drop_weights(self._jobs.values())

    def _end_unwatched(self) -> None:
        now = time.monotonic()
        for job in self._jobs.values():
            if now - job.last_seen > job.lease:
                self._end(job, "stopped", "Stopped, because nobody was watching any more.")
        drop_left_weights(self._jobs.values(), now)

    def _keep(self, job: Job) -> None:
        """Keep a complete run, whose hash is then one of its names."""
        if run := keep(job, self._store):
            with self._changed:
                job.kept, job.unkept = run, ""
                remember(self._jobs, run, job)
