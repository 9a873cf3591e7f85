"""What the tests of the queue of runs share: waiting for a state, a trainer of their own, a run's encodings alone."""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS, windows
from pe_core.lab.experiment.evaluation import LengthLoss, answers
from pe_core.lab.experiment.run import Outcome, run_encoding
from pe_core.lab.experiment.searching import searched
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue.job import LIVE
from tests import waiting

OUTCOME = Outcome(1, (LengthLoss(16, 1.0, 1.0),), (1.0,))
STEP = 2e-6  # seconds that a step of a fake run takes by the fixture `clock`: nothing else lets time pass there

Found = TypeVar("Found")


def until(condition: Callable[[], Found]) -> Found:
    """Wait until the condition holds and return what it returned; a look at a run of this process costs little."""
    return waiting.until(condition, "what the line above waits for", every=0.002, patience=waiting.GIVES_WAY)


def full(n_runs):
    """The sentence that refuses one more run than so many."""
    return f"queue must have fewer than {n_runs} runs to take another, got {n_runs}"


def never(config, encoding, corpus, device):
    """In the place of training: what the store has is not trained again."""
    raise AssertionError("trained again")
    yield


def ended(manager, job_id):
    """Watch a run to its end and return its last snapshot."""
    until(lambda: manager.snapshot(job_id).state not in LIVE)
    return manager.snapshot(job_id)


def steps_of(manager, job_id, n_steps):
    """Watch a run until it has done so many steps and return how many it has."""
    until(lambda: manager.snapshot(job_id).steps >= n_steps)
    return manager.snapshot(job_id).steps


@cache
def alone(config, corpus):
    """The curves and outcomes of a run of one seed, by encoding and seed, each encoding trained alone."""
    events = {key: list(run_encoding(config, key, corpus)) for key in config.encodings}
    curves = {key: tuple(event.loss for event in events[key] if isinstance(event, TrainStep)) for key in events}
    outcomes = {key: events[key][-1] for key in events}
    return tuple({key: {config.seed: found} for key, found in one.items()} for one in (curves, outcomes))


def more(log, n=4):
    """Wait for some more steps: each is a slice, and between two slices a worker looks who is watched."""
    before = len(log)
    until(lambda: len(log) >= before + n)


def position_losses(model, tokens, length, **conditions):
    """The mean loss of a model at each position of the windows of a text."""
    return answers(model, windows(tokens, length, EVALUATED_CHARACTERS), **conditions).by_place


def finished(steps):
    """Work a generator to its end and return what it returns, with the number of its steps."""
    count = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return count, end.value
        count += 1


def ready(repair, model, config, dataset):
    """Return a repair that can be read with: as it is, or with what its search finds for the model."""
    return finished(searched(model, config, dataset, repair))[1][0]
