"""Runs in the background: a fair queue, worker threads, snapshots, pause, resume, cancel, and a lease on every run.

The runs stand in a line. Workers take work from the first run in the line that has some; after a turn of `TURN` seconds
the first goes to the end, so that a long run never keeps a short one waiting for long. Within a run, the encoding that
has come least far goes first, so that all curves grow together. A run that nobody has asked after for the time of its
lease ends by itself. Nothing here knows Streamlit; a page calls `submit`, `snapshot`, `pause`, `resume`, `cancel`.
"""

import logging
import os
import secrets
import threading
import time

import torch

from pe_core.lab.corpus import Corpus
from pe_core.lab.job import LIVE, Job, Snapshot, State, Task
from pe_core.lab.results import text_facts
from pe_core.lab.run import run_encoding, work
from pe_core.lab.training import RunConfig, TrainStep
from pe_core.parameters import require

TURN = 5.0  # seconds
SLICE = 0.2  # seconds that a worker stays with one encoding
KEPT = 64  # ended runs that can still be looked at

log = logging.getLogger(__name__)


class JobManager:
    """A line of runs and the worker threads that serve it; one per process.

    `n_workers` defaults to the number of cores, each worker using one; `max_live` runs may be queued, running or
    paused; `lease` is the time in seconds that a run goes on unwatched.
    """

    def __init__(self, *, n_workers: int | None = None, max_live: int = 8, lease: float = 75.0) -> None:
        self._lease = lease
        self._max_live = max_live
        self._jobs: dict[str, Job] = {}
        self._line: list[Job] = []
        self._turn_began = time.monotonic()
        self._changed = threading.Condition()
        self._closed = False
        self.n_workers = n_workers or os.cpu_count() or 1
        self._workers = [
            threading.Thread(target=self._work, name=f"lab-{number}", daemon=True) for number in range(self.n_workers)
        ]
        for worker in self._workers:
            worker.start()

    def submit(self, config: RunConfig, corpus: Corpus) -> str:
        """Put a run at the end of the line and return its id; `ValueError` if the text is short or the line full."""
        corpus.check_length(max(config.lengths))
        tasks = [Task(key, run_encoding(config, key, corpus)) for key in config.encodings]
        of_one = work(config, len(corpus.held_out))
        job = Job(config, text_facts(corpus), of_one, tasks, list(tasks), time.monotonic(), self._lease)
        with self._changed:
            require(not self._closed, "lab", "be open to take a run", "closed")
            live = sum(job.state in LIVE for job in self._jobs.values())
            require(live < self._max_live, "line", f"have less than {self._max_live} runs to take another", live)
            self._forget_old()
            job_id = secrets.token_urlsafe(9)
            self._jobs[job_id] = job
            self._join_line(job)
        return job_id

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now and renew its lease; `KeyError` if there is no such run."""
        with self._changed:
            job = self._jobs[job_id]
            job.last_seen, job.lease = time.monotonic(), self._lease
            place = self._line.index(job) if job in self._line else None
            return job.snapshot(place, len(self._line))

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, live or ended; old ones are forgotten, and a restart forgets all."""
        with self._changed:
            return job_id in self._jobs

    def pause(self, job_id: str) -> None:
        """Take a run out of the line, ready to go on; nothing happens to a run that has ended."""
        with self._changed:
            job = self._jobs[job_id]
            if job in self._line:
                self._leave_line(job)
                job.state = "paused"

    def resume(self, job_id: str) -> None:
        """Put a paused run at the end of the line."""
        with self._changed:
            job = self._jobs[job_id]
            if job.state == "paused":
                self._join_line(job)

    def cancel(self, job_id: str) -> None:
        """End a run; what has come out so far stays to be looked at."""
        with self._changed:
            self._end(self._jobs[job_id], "stopped", "Stopped.")

    def release(self, job_id: str, *, seconds: float = 10.0) -> None:
        """Shorten the lease of a run whose page has gone; a page that comes back in time renews it."""
        with self._changed:
            if job_id in self._jobs:
                job = self._jobs[job_id]
                job.lease = min(job.lease, time.monotonic() - job.last_seen + seconds)

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
        torch.set_num_threads(1)  # a second thread per worker would only wait for cores that other workers have
        while True:
            with self._changed:
                self._end_unwatched()
                taken = None if self._closed else self._next()
                if taken is None:
                    if self._closed:
                        return
                    self._changed.wait(timeout=1.0)  # leases run out with no one there to notify
                    continue
            job, task = taken
            failure = self._run_slice(job, task)
            with self._changed:
                self._put_back(job, task, failure)

    def _next(self) -> tuple[Job, Task] | None:
        """Return the first run in the line that has an idle encoding, and its encoding that has come least far."""
        now = time.monotonic()
        if len(self._line) > 1 and now - self._turn_began > TURN:
            self._line.append(self._line.pop(0))
            self._turn_began = now
        waiting = next((job for job in self._line if job.idle), None)
        return (waiting, waiting.take()) if waiting else None

    def _run_slice(self, job: Job, task: Task) -> str | None:
        """Work on an encoding for one slice of time and return the message of a failure, so that the worker lives on.

        The message and not the exception, whose traceback would hold on to the model.
        """
        end = time.monotonic() + SLICE
        try:
            while job.state == "running" and time.monotonic() < end and task.outcome is None:
                piece = next(task.generator)
                with self._changed:
                    task.pieces += 1
                    if isinstance(piece, TrainStep):
                        task.curve.append(piece.loss)
                    else:
                        task.outcome = piece
        except Exception as error:
            log.exception("the run of %s failed", task.encoding)
            return f"{task.encoding}: {error}"
        return None

    def _put_back(self, job: Job, task: Task, failure: str | None) -> None:
        job.put_down(task)
        if failure is not None:
            self._end(job, "failed", failure)
        elif all(other.outcome for other in job.tasks):
            self._end(job, "finished", "")
        self._changed.notify_all()

    def _join_line(self, job: Job) -> None:
        if not self._line:
            self._turn_began = time.monotonic()
        job.state = "queued"
        self._line.append(job)
        self._changed.notify_all()

    def _end(self, job: Job, state: State, message: str) -> None:
        if job.state in LIVE:
            job.end(state, message)
            if job in self._line:
                self._leave_line(job)

    def _leave_line(self, job: Job) -> None:
        if job is self._line[0]:
            self._turn_began = time.monotonic()  # the next one has its turn whole
        self._line.remove(job)

    def _end_unwatched(self) -> None:
        now = time.monotonic()
        for job in self._jobs.values():
            if now - job.last_seen > job.lease:
                self._end(job, "stopped", "Stopped, because nobody was watching any more.")

    def _forget_old(self) -> None:
        ended = [job_id for job_id, job in self._jobs.items() if job.state not in LIVE]
        for job_id in ended[: max(0, len(ended) - KEPT + 1)]:
            del self._jobs[job_id]
