"""An own text, a run that takes a tenth of a second, one thread for exact repetition; and stand-ins for training."""

import itertools
import random
import sys
import threading
import time
from types import ModuleType, SimpleNamespace

import pytest
import torch

from pe_core.lab import long_run
from pe_core.lab.experiment import training
from pe_core.lab.experiment.datasets import from_text
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, jobs, trainer
from pe_core.lab.queue.jobs import JobManager
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.trainer import Trainer
from tests.lab.running import OUTCOME, STEP
from tests.waiting import PATIENCE


@pytest.fixture(autouse=True)
def own_main(monkeypatch):
    """Processes that a test starts do not run the app: a test of a page leaves it behind as the main program."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def as_fast_as_others(monkeypatch):
    """Workers in this process do not give way: a test that waits for them waits no longer where the machine is busy."""
    monkeypatch.setattr(trainer, "NICENESS", 0)


@pytest.fixture
def url(tmp_path):
    """The address of a store that is not there yet."""
    return f"sqlite:///{tmp_path / 'lab.sqlite'}"


@pytest.fixture(scope="session")
def text():
    told = "the cat sat on a mat, and saw its hat, which was not where it had been, so it ran, and that was it"
    return from_text(", ".join(random.Random(0).choices(told.split(", "), k=500)), name="cats")


@pytest.fixture(scope="session")
def tiny():
    return RunConfig(("none",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, seed=0)


@pytest.fixture
def open_lab(monkeypatch):
    """Opens job managers with a trainer in this process, and closes them after the test.

    Runs go on unwatched for an hour, unless a test says how long: none ends because the machine is busy.
    """
    opened = []

    def start(store=None, unwatched=3_600.0, **options):
        monkeypatch.setattr(trainer, "UNWATCHED", unwatched)
        monkeypatch.setattr(jobs, "FRESH", 0.0)
        opened.append(JobManager(Here(Trainer(store=store, **options)), store))
        return opened[-1]

    yield start
    for manager in opened:
        manager.close()


@pytest.fixture
def manager(open_lab):
    """A job manager whose trainer has one worker."""
    return open_lab(n_workers=1)


@pytest.fixture
def clock(monkeypatch):
    """The clock of the jobs, which stands still but for the steps of fake runs and what a test adds to its `now`."""
    clock = SimpleNamespace(now=1_000.0)
    for module in (job, trainer):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


@pytest.fixture
def fake(clock, monkeypatch):
    """Takes the place of training by a generator function, each of whose events takes a `STEP` and is a slice."""

    def use(function):
        def train(config, *rest, glanced):
            for event in function(config, *rest):
                clock.now += STEP
                yield event

        monkeypatch.setattr(trainer, "SLICE", STEP / 2)
        monkeypatch.setattr(job, "run_encoding", train)

    return use


@pytest.fixture
def endless(fake):
    """Training that never ends; returns the seed of the run of every step in order."""
    log = []

    def train(config, encoding, corpus, device):
        for step in itertools.count(1):
            time.sleep(0.002)  # leaves the core to the test
            log.append(config.seed)
            yield TrainStep(encoding, step, float(step))

    fake(train)
    return log


@pytest.fixture
def gate(fake):
    """Training of three steps whose second waits until the gate opens, and fails if it is told to."""
    gate = SimpleNamespace(reached=threading.Event(), opened=threading.Event(), fails=False)

    def train(config, encoding, corpus, device):
        yield TrainStep(encoding, 1, 1.0)
        if config.seed == 0:
            gate.reached.set()
            assert gate.opened.wait(PATIENCE)
            if gate.fails:
                raise RuntimeError("the kernel is not there")
        yield TrainStep(encoding, 2, 2.0)
        yield TrainStep(encoding, 3, 3.0)
        yield OUTCOME

    fake(train)
    yield gate
    gate.opened.set()


@pytest.fixture
def failing(monkeypatch):
    """Makes steps of training fail, by their number and once each; notes all. Memory is not measured."""
    monkeypatch.setattr(long_run, "check_memory", lambda *_: None)

    def fail(errors):
        learn, steps = training.learn, []

        def step(*arguments):
            steps.append(1)
            if len(steps) in errors:
                raise errors[len(steps)]
            return learn(*arguments)

        monkeypatch.setattr(training, "learn", step)
        return steps

    return fail


@pytest.fixture
def held(monkeypatch):
    """Training as it is, but before its step `before` each encoding waits until it is let go."""
    held = SimpleNamespace(before=6, let_go=threading.Event())

    def train(*arguments, **named):
        for event in run_encoding(*arguments, **named):
            if isinstance(event, TrainStep) and event.step == held.before:
                assert held.let_go.wait(PATIENCE)
            yield event

    monkeypatch.setattr(job, "run_encoding", train)
    yield held
    held.let_go.set()
