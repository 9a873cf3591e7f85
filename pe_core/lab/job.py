"""One run of the line: its encodings, how far each has come, and what a visitor is told of it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from pe_core.lab.results import Outcome, RunRecord, TextFacts
from pe_core.lab.training import RunConfig, TrainStep

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
LIVE: tuple[State, ...] = ("queued", "running", "paused")


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
class Task:
    """One encoding of a run: the generator that does the work, and how many steps it has done."""

    encoding: str
    generator: Iterator[TrainStep | Outcome | None]
    curve: list[float] = field(default_factory=list)
    pieces: int = 0
    outcome: Outcome | None = None


@dataclass(eq=False)
class Job:
    """A run while it waits, runs, and after it has ended; whoever changes it holds the lock of the line."""

    config: RunConfig
    text: TextFacts
    work: float  # of one encoding, in training steps
    tasks: list[Task]
    idle: list[Task]  # those that no worker has now
    last_seen: float
    lease: float
    state: State = "queued"
    message: str = ""
    busy: int = 0  # workers with this job now
    active_since: float | None = None
    active_seconds: float = 0.0  # while at least one worker was with it

    @property
    def steps(self) -> int:
        """Training steps done, over all encodings."""
        return sum(len(task.curve) for task in self.tasks)

    @property
    def done(self) -> float:
        """The part of the work that is done, 0 to 1; lengths that were measured count as equal parts."""
        if self.state == "finished":
            return 1.0
        measured = sum(task.pieces for task in self.tasks) - self.steps
        of_measuring = measured / len(self.config.lengths) * (self.work - self.config.steps)
        return min(0.999, (self.steps + of_measuring) / (self.work * len(self.tasks)))

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
        return Snapshot(self.state, place, done, self.steps, speed, left, self.message, record)
