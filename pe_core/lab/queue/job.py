"""One run of the queue: how it is handed over, how far its encodings are, what is told of it, and what stays of it."""

import ctypes
import logging
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal

from pe_core.lab.experiment.evaluation import glanced_steps
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Event, Outcome, plan, run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.time_left import Pace, Remaining, seconds_left
from pe_core.lab.results.record import Progress, RunRecord, TextFacts, built_in, collect, is_own, text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.lab.storage.weights import to_bytes

KEPT = 64  # ended runs that can still be looked at
KEEP_OWN_WEIGHTS = 1_800.0  # seconds that the weights of an own text stay when nobody looks at its run
KEPT_BYTES = 64 * 2**20  # of weights: of one run in a store, and of all ended runs together that are in memory

log = logging.getLogger(__name__)

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
LIVE: tuple[State, ...] = ("queued", "running", "paused")


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: where it stands, how fast it goes, and what has come out so far.

    `place` counts the runs ahead in the queue, None once the run has ended or is paused. `seconds_left` is None until a
    speed has been measured. `message` says why a run failed or was stopped. `owner` is empty where nobody
    owns the run. `kept` is the hash that the run has in the store, once it is there; `unkept` says why it could not be
    put there.
    """

    state: State
    place: int | None
    done: float  # of the time of all its work, 0 to 1
    steps: int
    tokens_per_second: float | None
    seconds_left: float | None
    message: str
    record: RunRecord
    owner: str = ""
    kept: str = ""
    unkept: str = ""


@dataclass(frozen=True)
class Submission:
    """Settings, the facts of a dataset, an own text itself, the owner, and whether its weights may be stored.

    Datasets that come with the project do not travel: their facts say which one it is. `owner` is empty where nobody
    owns the run.
    """

    config: RunConfig
    text: TextFacts
    own_text: Dataset | None = None
    owner: str = ""
    keeps_weights: bool = False
    job_id: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    @property
    def dataset(self) -> Dataset:
        """What the run learns from."""
        dataset = self.own_text or built_in(self.text)
        assert dataset is not None
        return dataset


def submission(config: RunConfig, dataset: Dataset, owner: str = "", *, keeps_weights: bool = False) -> Submission:
    """Return a run that has not begun; `ValueError` if the text is too short for it."""
    dataset.check_length(max(config.lengths))
    facts = text_facts(dataset)
    return Submission(config, facts, None if built_in(facts) else dataset, owner, keeps_weights)


@dataclass(eq=False)
class Trainee:
    """One encoding with one seed: the generator that trains and evaluates it, what it has left, and its progress.

    `vocabulary` goes with the trained weights.
    """

    encoding: str
    seed: int
    vocabulary: tuple[str, ...]
    remaining: Remaining
    generator: Iterator[Event]
    progress: Progress = field(default_factory=Progress)
    n_events: int = 0
    weights: bytes = b""  # as trained, in the format of safetensors

    def note(self, event: Event, seconds: float, pace: Pace) -> None:
        """Take in what the generator has yielded, and what it took."""
        self.n_events += 1
        self.progress.note(event)
        if isinstance(event, Transformer):
            self.weights = to_bytes(event, self.encoding, self.vocabulary)
        elif not isinstance(event, Outcome) and (unit := self.remaining.take()):
            pace.note(self.encoding, unit, seconds)


@dataclass(eq=False)
class Job:
    """A run while it waits, runs, and after it has ended; whoever changes it holds the lock of the queue."""

    config: RunConfig
    text: TextFacts
    owner: str
    keeps_weights: bool  # of an own text
    trainees: list[Trainee]
    idle: list[Trainee]  # those that no worker has now
    last_seen: float
    device: str
    pace: Pace
    paused_at: float = 0.0
    state: State = "queued"
    message: str = ""
    kept: str = ""
    unkept: str = ""
    busy: int = 0  # workers with this job now
    active_since: float | None = None
    active_seconds: float = 0.0  # while at least one worker was with it
    done: float = 0.0  # the most that a page has been told of its time, 0 to 1

    @property
    def steps(self) -> int:
        """Training steps done, over all encodings and seeds."""
        return sum(len(trainee.progress.curve) for trainee in self.trainees)

    @property
    def seconds(self) -> float:
        """How long at least one worker has been with it."""
        running = time.monotonic() - self.active_since if self.active_since is not None else 0.0
        return self.active_seconds + running

    def take(self) -> Trainee:
        """Give a worker the idle encoding that has done least."""
        trainee = min(self.idle, key=lambda trainee: trainee.n_events)
        self.idle.remove(trainee)
        self.state = "running"
        self.busy += 1
        self.active_since = self.active_since or time.monotonic()
        return trainee

    def put_down(self, trainee: Trainee) -> None:
        """Take an encoding back from a worker: it is idle if it is to go on, else it lets go of its model."""
        self.busy -= 1
        if not self.busy and self.active_since is not None:
            self.active_seconds += time.monotonic() - self.active_since
            self.active_since = None
        if self.state in LIVE and trainee.progress.outcome is None:
            self.idle.append(trainee)
        else:
            trainee.generator = iter(())

    def end(self, state: State, message: str) -> None:
        """End a run; its idle encodings let go of their models, the busy ones when they are put down."""
        self.state, self.message = state, message
        for trainee in self.idle:
            trainee.generator = iter(())
        self.idle.clear()

    def snapshot(self, place: int | None, n_queued: int, n_workers: int) -> Snapshot:
        """Return the run as it stands now, for the place it has among `n_queued` runs that take turns."""
        seconds = self.seconds
        started = any(trainee.n_events for trainee in self.trainees) and seconds > 0
        speed = self.steps * self.config.tokens_per_step / seconds if started else None
        left = None
        if started and self.state != "finished":
            models = [one.remaining.seconds(one.encoding, self.pace) for one in self.trainees]
            alone = seconds_left(models, n_workers)  # if the workers are with no other run
            self.done = max(self.done, min(0.999, seconds / (seconds + alone)))  # a new estimate never takes it back
            left = alone * max(1, n_queued) if self.state in LIVE else None
        done = 1.0 if self.state == "finished" else self.done
        standing = self.state, place, done, self.steps, speed, left, self.message
        return Snapshot(*standing, self.record(), self.owner, self.kept, self.unkept)

    def record(self) -> RunRecord:
        """Return what has come out so far."""
        progress = {(one.encoding, one.seed): one.progress for one in self.trainees}
        return collect(self.config, self.text, progress, self.device)

    def weights(self) -> dict[tuple[str, int], bytes]:
        """Return the trained weights that are in memory, by encoding and seed."""
        return {(one.encoding, one.seed): one.weights for one in self.trainees if one.weights}

    def drop_weights(self) -> None:
        """Let go of all trained weights."""
        for trainee in self.trainees:
            trainee.weights = b""

    @property
    def is_complete(self) -> bool:
        """Whether every encoding has its outcome."""
        return all(trainee.progress.outcome for trainee in self.trainees)


def work_on(job: Job, trainee: Trainee, seconds: float, lock: AbstractContextManager[bool]) -> str | None:
    """Work on an encoding for a slice of time and return the message of a failure, so that the worker lives on.

    The message and not the exception, whose traceback would hold on to the model.
    """
    end = time.monotonic() + seconds
    try:
        while job.state == "running" and time.monotonic() < end and trainee.progress.outcome is None:
            began = time.monotonic()
            event = next(trainee.generator)
            taken = time.monotonic() - began
            with lock:
                trainee.note(event, taken, job.pace)
    except Exception as error:
        log.exception("the run of %s failed", trainee.encoding)
        return f"{trainee.encoding}: {error}"
    return None


def job_of(submission: Submission, device: str) -> Job:
    """Return a run before its first step on a device."""
    config, dataset = submission.config, submission.dataset
    trainees, glanced = [], glanced_steps(config)
    for seed in config.seeds:
        alone = config.of_seed(seed)
        for key in config.encodings:
            remaining = Remaining(plan(config, key, glanced, dataset.n_held_out))
            generator = run_encoding(alone, key, dataset, device, glanced=glanced)
            trainees.append(Trainee(key, seed, dataset.vocabulary, remaining, generator))
    pace = Pace(config, len(dataset.vocabulary))
    whose = submission.owner, submission.keeps_weights
    return Job(config, submission.text, *whose, trainees, list(trainees), time.monotonic(), device, pace)


def remember(jobs: dict[str, Job], job_id: str, job: Job) -> None:
    """Note a run under its id, and forget the oldest ones that have ended."""
    ended = [old for old, job in jobs.items() if job.state not in LIVE]
    for old in ended[: max(0, len(ended) - KEPT + 1)]:
        del jobs[old]
    jobs[job_id] = job


def keep(job: Job, store: RunStore) -> None:
    """Put a complete run into a store, and note the hash that it has there, or why that failed.

    Its weights go there too, unless they are too large. Those of an own text only do if the visitor who has brought it
    asks for it, as a model can repeat parts of it; else they stay with the run.
    """
    record, run, weights = job.record(), run_hash(job.config, job.text), job.weights()
    stored = job.keeps_weights or not is_own(job.text)
    fitting = weights if stored and sum(map(len, weights.values())) <= KEPT_BYTES else {}
    try:
        store.put(record, fitting, job.owner)
    except StoreError as error:
        job.unkept = str(error)
        return
    job.kept, job.unkept = run, ""
    if stored:
        job.drop_weights()


def drop_weights(jobs: Iterable[Job]) -> None:
    """Drop weights of runs that have ended, those of the oldest first, until all have at most `KEPT_BYTES`."""
    room = KEPT_BYTES
    for job in reversed([job for job in jobs if job.state not in LIVE]):
        room -= sum(map(len, job.weights().values()))
        if room < 0:
            job.drop_weights()


def trim() -> None:
    """Give memory that is no longer used back to the system.

    glibc keeps free memory for each thread apart, so that after a while a process holds twice as much as it uses. Other
    systems give memory back by themselves, so nothing happens there.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
