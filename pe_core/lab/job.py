"""One run of the line: its encodings, how far each has come, and what a visitor is told of it."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal

from pe_core.lab.corpus import Corpus
from pe_core.lab.results import Outcome, RunRecord, TextFacts
from pe_core.lab.run import measurements, run_encoding, work
from pe_core.lab.store import RunStore, StoreError
from pe_core.lab.training import RunConfig, TrainStep

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
LIVE: tuple[State, ...] = ("queued", "running", "paused")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: where it stands, how fast it goes, and what has come out so far.

    `place` counts the runs ahead in the line, None once the run has ended or is paused. `seconds_left` is None until a
    speed has been measured. `message` says why a run failed or was stopped. `kept` is the hash that the run has in the
    store, once it is there; `unkept` says why it could not be put there.
    """

    state: State
    place: int | None
    done: float  # of all the work, 0 to 1
    steps: int
    tokens_per_second: float | None
    seconds_left: float | None
    message: str
    record: RunRecord
    kept: str = ""
    unkept: str = ""


@dataclass(eq=False)
class Task:
    """One encoding of a run: the generator that does the work, how much it is in steps, and how far it has come."""

    encoding: str
    work: float  # in training steps
    measurements: int
    generator: Iterator[TrainStep | Outcome | None]
    curve: list[float] = field(default_factory=list)
    pieces: int = 0
    outcome: Outcome | None = None

    def done(self, steps: int) -> float:
        """Return the work done so far in training steps, of which it has `steps`; measurements count as equal parts."""
        measured = min(self.pieces - len(self.curve), self.measurements)
        return len(self.curve) + measured / self.measurements * (self.work - steps)


@dataclass(eq=False)
class Job:
    """A run while it waits, runs, and after it has ended; whoever changes it holds the lock of the line."""

    config: RunConfig
    text: TextFacts
    tasks: list[Task]
    idle: list[Task]  # those that no worker has now
    last_seen: float
    lease: float
    state: State = "queued"
    message: str = ""
    kept: str = ""
    unkept: str = ""
    busy: int = 0  # workers with this job now
    active_since: float | None = None
    active_seconds: float = 0.0  # while at least one worker was with it

    @property
    def steps(self) -> int:
        """Training steps done, over all encodings."""
        return sum(len(task.curve) for task in self.tasks)

    @property
    def done(self) -> float:
        """The part of the work that is done, 0 to 1."""
        if self.state == "finished":
            return 1.0
        done = sum(task.done(self.config.steps) for task in self.tasks)
        return min(0.999, done / sum(task.work for task in self.tasks))

    @property
    def seconds(self) -> float:
        """How long at least one worker has been with it."""
        running = time.monotonic() - self.active_since if self.active_since is not None else 0.0
        return self.active_seconds + running

    def take(self) -> Task:
        """Give a worker the idle encoding that has come least far."""
        task = min(self.idle, key=lambda task: task.pieces)
        self.idle.remove(task)
        self.state = "running"
        self.busy += 1
        self.active_since = self.active_since or time.monotonic()
        return task

    def put_down(self, task: Task) -> None:
        """Take an encoding back from a worker: it is idle if it is to go on, else it lets go of its model."""
        self.busy -= 1
        if not self.busy and self.active_since is not None:
            self.active_seconds += time.monotonic() - self.active_since
            self.active_since = None
        if self.state in LIVE and task.outcome is None:
            self.idle.append(task)
        else:
            task.generator = iter(())

    def end(self, state: State, message: str) -> None:
        """End a run; its idle encodings let go of their models, the busy ones when they are put down."""
        self.state, self.message = state, message
        for task in self.idle:
            task.generator = iter(())
        self.idle.clear()

    def snapshot(self, place: int | None, n_in_line: int) -> Snapshot:
        """Return the run as it stands now, for the place it has among `n_in_line` runs that take turns."""
        seconds, done = self.seconds, self.done
        started = any(task.pieces for task in self.tasks) and seconds > 0
        speed = self.steps * self.config.tokens_per_step / seconds if started else None
        left = seconds * (1 - done) / done * max(1, n_in_line) if speed and self.state in LIVE else None
        curves = {task.encoding: tuple(task.curve) for task in self.tasks if task.curve}
        outcomes = {task.encoding: task.outcome for task in self.tasks if task.outcome}
        record = RunRecord(self.config, self.text, curves, outcomes)
        standing = self.state, place, done, self.steps, speed, left, self.message
        return Snapshot(*standing, record, self.kept, self.unkept)

    @property
    def is_complete(self) -> bool:
        """Whether every encoding has its outcome."""
        return all(task.outcome for task in self.tasks)

    def ask(self, store: RunStore | None, question: Callable[[RunStore], bool | None]) -> bool:
        """Return what a store answers about this run, where None means yes; a store that fails is only noted."""
        try:
            return store is not None and question(store) is not False
        except StoreError as error:
            self.unkept = str(error)
            return False


def work_on(job: Job, task: Task, seconds: float, lock: AbstractContextManager[bool]) -> str | None:
    """Work on an encoding for a slice of time and return the message of a failure, so that the worker lives on.

    The message and not the exception, whose traceback would hold on to the model.
    """
    end = time.monotonic() + seconds
    try:
        while job.state == "running" and time.monotonic() < end and task.outcome is None:
            piece = next(task.generator)
            with lock:
                task.pieces += 1
                if isinstance(piece, TrainStep):
                    task.curve.append(piece.loss)
                else:
                    task.outcome = piece
    except Exception as error:
        log.exception("the run of %s failed", task.encoding)
        return f"{task.encoding}: {error}"
    return None


def job_of(config: RunConfig, corpus: Corpus, facts: TextFacts, lease: float) -> Job:
    """Return a run before its first step; `facts` are those of the corpus."""
    tasks = []
    for key in config.encodings:
        of_one = work(config, key, len(corpus.held_out))
        tasks.append(Task(key, of_one, measurements(config, key), run_encoding(config, key, corpus)))
    return Job(config, facts, tasks, list(tasks), time.monotonic(), lease)


def kept_job(record: RunRecord, run: str, lease: float) -> Job:
    """Return a finished run from the store, where it has this hash."""
    tasks = []
    for key, outcome in record.outcomes.items():
        tasks.append(Task(key, 1.0, 1, iter(()), list(record.curves[key]), outcome=outcome))
    return Job(record.config, record.text, tasks, [], time.monotonic(), lease, "finished", kept=run)
