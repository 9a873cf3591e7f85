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
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import torch

from pe_core.lab.corpus import Corpus
from pe_core.lab.results import Outcome, RunRecord, TextFacts, text_facts
from pe_core.lab.run import run_encoding, work
from pe_core.lab.training import RunConfig, TrainStep
from pe_core.parameters import require

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
LIVE: tuple[State, ...] = ("queued", "running", "paused")

TURN = 5.0  # seconds
SLICE = 0.2  # seconds that a worker stays with one encoding
KEPT = 64  # ended runs that can still be looked at

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: where it stands, how fast it goes, and what has come out so far.

    `place` counts the runs ahead in the line, None once the run has ended or is paused. `seconds_left` is None until a
    speed has been measured. `message` says why a run failed or was stopped.
    """

    state: State
    place: int | None
    done: float  # of all the work, 0 to 1
    steps: int
    tokens_per_second: float | None
    seconds_left: float | None
    message: str
    record: RunRecord


@dataclass(eq=False)
class _Task:
    """One encoding of a run: the generator that does the work, and how many steps it has done."""

    encoding: str
    generator: Iterator[TrainStep | Outcome | None]
    curve: list[float] = field(default_factory=list)
    pieces: int = 0
    outcome: Outcome | None = None


@dataclass(eq=False)
class _Job:
    config: RunConfig
    text: TextFacts
    work: float  # of one encoding, in training steps
    idle: list[_Task]
    tasks: list[_Task]
    last_seen: float
    lease: float
    state: State = "queued"
    message: str = ""
    busy: int = 0  # workers with this job now
    active_since: float | None = None
    active_seconds: float = 0.0  # while at least one worker was with it


class JobManager:
    """A line of runs and the worker threads that serve it; one per process.

    `n_workers` defaults to the number of cores, each worker using one; `max_live` runs may be queued, running or
    paused; `lease` is the time in seconds that a run goes on unwatched.
    """

    def __init__(self, *, n_workers: int | None = None, max_live: int = 8, lease: float = 75.0) -> None:
        self._lease = lease
        self._max_live = max_live
        self._jobs: dict[str, _Job] = {}
        self._line: list[_Job] = []
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
        tasks = [_Task(key, run_encoding(config, key, corpus)) for key in config.encodings]
        text = text_facts(corpus)
        with self._changed:
            require(not self._closed, "lab", "be open to take a run", "closed")
            live = sum(job.state in LIVE for job in self._jobs.values())
            require(live < self._max_live, "line", f"have less than {self._max_live} runs to take another", live)
            self._forget_old()
            job_id = secrets.token_urlsafe(9)
            job = _Job(
                config,
                text,
                work(config, len(corpus.held_out)),
                list(tasks),
                tasks,
                last_seen=time.monotonic(),
                lease=self._lease,
            )
            self._jobs[job_id] = job
            self._join_line(job)
        return job_id

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now and renew its lease; `KeyError` if there is no such run."""
        with self._changed:
            job = self._jobs[job_id]
            job.last_seen, job.lease = time.monotonic(), self._lease
            pieces, seconds = sum(task.pieces for task in job.tasks), self._active_seconds(job)
            steps = sum(len(task.curve) for task in job.tasks)
            done = 1.0 if job.state == "finished" else min(0.999, self._done(job))
            speed = steps * job.config.tokens_per_step / seconds if pieces and seconds else None
            left = seconds * (1 - done) / done * max(1, len(self._line)) if speed and job.state in LIVE else None
            curves = {task.encoding: tuple(task.curve) for task in job.tasks if task.curve}
            outcomes = {task.encoding: task.outcome for task in job.tasks if task.outcome}
            place = self._line.index(job) if job in self._line else None
            record = RunRecord(job.config, job.text, curves, outcomes)
            return Snapshot(job.state, place, done, steps, speed, left, job.message, record)

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
                job.busy += 1
                job.active_since = job.active_since or time.monotonic()
            failure = self._run_slice(job, task)
            with self._changed:
                self._put_back(job, task, failure)

    def _next(self) -> tuple[_Job, _Task] | None:
        """Return the first run in the line that has an idle encoding, and its encoding that has come least far."""
        now = time.monotonic()
        if len(self._line) > 1 and now - self._turn_began > TURN:
            self._line.append(self._line.pop(0))
            self._turn_began = now
        for job in self._line:
            if job.idle:
                task = min(job.idle, key=lambda task: task.pieces)
                job.idle.remove(task)
                job.state = "running"
                return job, task
        return None

    def _run_slice(self, job: _Job, task: _Task) -> str | None:
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

    def _put_back(self, job: _Job, task: _Task, failure: str | None) -> None:
        job.busy -= 1
        if not job.busy and job.active_since is not None:
            job.active_seconds += time.monotonic() - job.active_since
            job.active_since = None
        if failure is not None:
            self._end(job, "failed", failure)
        elif job.state in LIVE and task.outcome is None:
            job.idle.append(task)
        elif job.state in LIVE and all(other.outcome for other in job.tasks):
            self._end(job, "finished", "")
        if task not in job.idle:
            task.generator = iter(())  # lets go of the model
        self._changed.notify_all()

    def _join_line(self, job: _Job) -> None:
        if not self._line:
            self._turn_began = time.monotonic()
        job.state = "queued"
        self._line.append(job)
        self._changed.notify_all()

    def _end(self, job: _Job, state: State, message: str) -> None:
        if job.state in LIVE:
            job.state, job.message = state, message
            for task in job.idle:
                task.generator = iter(())
            job.idle.clear()
            if job in self._line:
                self._leave_line(job)

    def _leave_line(self, job: _Job) -> None:
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

    @staticmethod
    def _active_seconds(job: _Job) -> float:
        running = time.monotonic() - job.active_since if job.active_since is not None else 0.0
        return job.active_seconds + running

    @staticmethod
    def _done(job: _Job) -> float:
        """Return the part of the work that is done, 0 to 1; lengths that were measured count as equal parts."""
        steps = sum(len(task.curve) for task in job.tasks)
        measured = sum(task.pieces for task in job.tasks) - steps
        of_measuring = measured / len(job.config.lengths) * (job.work - job.config.steps)
        return (steps + of_measuring) / (job.work * len(job.tasks))
