"""What the tests of the queue of runs share: waiting for something with a deadline, and a run's encodings alone."""

import time

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome, run_encoding
from pe_core.lab.experiment.searching import searched
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue.snapshot import LIVE

OUTCOME = Outcome(1, (LengthLoss(16, 1.0, 1.0),), (1.0,))


def until(condition, seconds=180.0):
    """Wait until the condition holds and return what it returned."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)
    return result


def ended(manager, job_id):
    """Watch a run to its end and return its last snapshot."""
    until(lambda: manager.snapshot(job_id).state not in LIVE)
    return manager.snapshot(job_id)


def steps_of(manager, job_id, n_steps):
    """Watch a run until it has done so many steps and return how many it has."""
    until(lambda: manager.snapshot(job_id).steps >= n_steps)
    return manager.snapshot(job_id).steps


def alone(config, corpus):
    """The curves and outcomes of a run of one seed, by encoding and seed, each encoding trained alone."""
    events = {key: list(run_encoding(config, key, corpus)) for key in config.encodings}
    curves = {key: tuple(event.loss for event in events[key] if isinstance(event, TrainStep)) for key in events}
    outcomes = {key: events[key][-1] for key in events}
    return tuple({key: {config.seed: found} for key, found in one.items()} for one in (curves, outcomes))


def more(log, n=4):
    """Wait for some more steps: each is a slice, and between two slices a worker looks at the leases."""
    before = len(log)
    until(lambda: len(log) >= before + n)


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
