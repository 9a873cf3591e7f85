"""Several trainers, which vanish as a killed process does: who gets a run, and what becomes of it and of the others."""

from dataclasses import replace

import pytest

from pe_core.lab.queue import jobs, trainer
from pe_core.lab.queue.jobs import LOST, JobManager
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.trainer import Trainer, TrainerGone
from tests.cases import refuses
from tests.lab.running import ended, steps_of


class Mortal(Here):
    """A trainer in this process that does not answer any more once it is gone."""

    is_gone = False

    def ask(self, do, *arguments):
        if self.is_gone:
            raise TrainerGone("trainer must answer, got nothing")
        return super().ask(do, *arguments)

    def close(self):
        self.is_gone = True
        super().close()


class Shared:
    """A pool of such trainers, of which those that are gone are left out."""

    n_workers = 1

    def __init__(self, n_trainers):
        self.all = [Mortal(Trainer(n_workers=1)) for _ in range(n_trainers)]

    def trainers(self):
        return [one for one in self.all if not one.is_gone]

    def close(self):
        for one in self.trainers():
            one.close()


@pytest.fixture
def shared(monkeypatch):
    """Opens a pool of so many trainers, and the runs of an app on it."""
    monkeypatch.setattr(trainer, "UNWATCHED", 3_600.0)  # no run ends as the machine is busy
    monkeypatch.setattr(jobs, "FRESH", 0.0)
    opened = []

    def start(n_trainers):
        opened.append(Shared(n_trainers))
        return opened[-1], JobManager(opened[-1])

    yield start
    for pool in opened:
        pool.close()


def test_a_run_goes_to_the_trainer_with_the_shortest_queue(shared, endless, tiny, text):
    pool, runs = shared(3)
    for seed in range(5):
        runs.submit(replace(tiny, seed=seed), text)
    assert [len(one.ask(Trainer.live)) for one in pool.all] == [2, 2, 1]


def test_a_run_whose_trainer_goes_has_failed_and_keeps_what_was_seen(shared, endless, tiny, text):
    pool, runs = shared(2)
    lost, other = (runs.submit(replace(tiny, seed=seed), text) for seed in (0, 1))
    steps_of(runs, lost, 5)
    seen = runs.snapshot(lost)
    pool.all[0].close()
    failed = runs.snapshot(lost)
    assert (failed.state, failed.message, failed.place, failed.seconds_left) == ("failed", LOST, None, None)
    assert failed.record == seen.record
    assert runs.snapshot(lost) == failed
    steps_of(runs, other, 5)
    assert [runs.snapshot(runs.submit(replace(tiny, seed=2), text)).state] == ["queued"]


@pytest.mark.parametrize("ends", ["finished", "cancelled"])
def test_a_run_that_has_ended_stays_when_its_trainer_goes(ends, shared, tiny, text):
    pool, runs = shared(2)
    job_id = runs.submit(tiny if ends == "finished" else replace(tiny, steps=5_000, n_seeds=10), text)
    if ends == "cancelled":
        runs.cancel(job_id)
    last = ended(runs, job_id)
    pool.all[0].close()
    assert runs.snapshot(job_id) == last
    assert runs.weights(job_id, "none", 0) is None


def test_nothing_that_is_asked_of_a_trainer_that_has_gone_raises_and_a_new_run_is_refused(shared, endless, tiny, text):
    pool, runs = shared(1)
    job_id = runs.submit(tiny, text)
    pool.all[0].close()
    for change in (runs.pause, runs.resume, runs.cancel):
        change(job_id)
    runs.remove("0" * 64)
    assert runs.weights(job_id, "none", 0) is None
    assert runs.counts() == {}
    refuses(lambda: runs.submit(tiny, text), "trainers must answer, got no answer")


def test_another_app_on_the_same_trainers_finds_the_run_and_sees_it_fail(shared, endless, tiny, text):
    pool, runs = shared(2)
    other = JobManager(pool)
    job_id = runs.submit(tiny, text, "a")
    assert other.knows(job_id)
    steps_of(other, job_id, 3)
    assert other.snapshot(job_id).owner == "a"
    assert other.counts() == runs.counts() == {"running": 1}
    other.submit(tiny, text, "a")
    refuses(lambda: runs.submit(tiny, text, "a"), "your live runs must be fewer than 2 to start another, got 2")
    pool.all[0].close()
    assert other.snapshot(job_id).message == runs.snapshot(job_id).message == LOST
    assert not other.knows("bogus")
    with pytest.raises(KeyError):
        other.snapshot("bogus")


def test_who_looks_at_the_same_moment_asks_once(shared, endless, tiny, text, monkeypatch):
    _, runs = shared(1)
    monkeypatch.setattr(jobs, "FRESH", 1_000.0)
    job_id = runs.submit(tiny, text)
    assert len({id(runs.snapshot(job_id)) for _ in range(20)}) == 1
    runs.cancel(job_id)  # who has changed it sees that at once
    assert runs.snapshot(job_id).state == "stopped"
