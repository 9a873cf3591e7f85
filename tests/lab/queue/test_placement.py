"""Where runs train, with trainers that vanish as a killed process does: a run begins anew once, then it has failed."""

import threading
from dataclasses import replace

import pytest

from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.queue import job, placement
from pe_core.lab.queue.placement import ANEW, LOST, Placement
from pe_core.lab.queue.submission import submission
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.queue.trainers import TrainerGone
from tests.lab.running import alone, ended, steps_of, until


class Mortal:
    """A trainer in this process that does not answer any more once it is gone."""

    def __init__(self, **options):
        self._trainer = Trainer(n_workers=1, lease=3_600.0, **options)  # no run ends as the machine is busy
        self.is_gone = False

    def __getattr__(self, name):
        if self.is_gone:
            raise TrainerGone("killed")
        return getattr(self._trainer, name)

    def end(self):
        self.is_gone = True
        self._trainer.close()


class Shared:
    """A pool of such trainers, of which those that are gone are left out."""

    n_workers = 1

    def __init__(self, n_trainers, **options):
        self.all = [Mortal(**options) for _ in range(n_trainers)]

    def trainers(self):
        return [one for one in self.all if not one.is_gone]

    running = trainers

    def close(self):
        for one in self.trainers():
            one.end()


@pytest.fixture
def shared():
    opened = []

    def start(n_trainers, **options):
        opened.append(Shared(n_trainers, **options))
        return opened[-1]

    yield start
    for pool in opened:
        pool.close()


def test_a_run_goes_to_the_trainer_with_the_shortest_queue(shared, endless, tiny, text):
    pool = shared(3)
    runs = Placement(pool)
    for seed in range(5):
        runs.submit(submission(replace(tiny, seed=seed), text))
    assert [len(trainer.live()) for trainer in pool.all] == [2, 2, 1]


def test_a_run_begins_anew_elsewhere_with_the_same_numbers(shared, tiny, text, monkeypatch):
    """The first trainer is in the middle of the run until it is gone, the second until the run has been looked at."""
    config = replace(tiny, encodings=("rope",), steps=50)
    pool, looked = shared(2), threading.Event()
    goes_on = [looked.is_set, lambda: pool.all[0].is_gone]

    def training(*arguments, **named):
        for event in run_encoding(*arguments, **named):
            if getattr(event, "step", 0) == 6:
                until(goes_on.pop())
            yield event

    monkeypatch.setattr(job, "run_encoding", training)
    runs, new = Placement(pool), submission(config, text, "a")
    runs.submit(new)
    steps_of(runs, new.job_id, 5)
    pool.all[0].end()
    assert runs.knows(new.job_id)
    anew = runs.snapshot(new.job_id)
    assert (anew.message, anew.owner) == (ANEW, "a")
    assert anew.steps < 50
    looked.set()
    finished = ended(runs, new.job_id)
    assert (finished.state, finished.message) == ("finished", "")
    assert (finished.record.curves, finished.record.outcomes) == alone(config, text)


def test_a_run_whose_second_trainer_goes_too_has_failed_and_keeps_what_was_seen(shared, endless, tiny, text):
    pool = shared(3)
    runs, new = Placement(pool), submission(tiny, text)
    runs.submit(new)
    for trainer in pool.all[:2]:
        steps_of(runs, new.job_id, 5)
        seen = runs.snapshot(new.job_id)
        trainer.end()
    failed = runs.snapshot(new.job_id)
    assert (failed.state, failed.message, failed.place, failed.seconds_left) == ("failed", LOST, None, None)
    assert failed.record == seen.record
    assert runs.snapshot(new.job_id) == failed
    assert not pool.all[2].live()


def test_where_no_trainer_is_left_a_run_has_failed_and_a_new_one_is_refused(shared, endless, tiny, text):
    pool = shared(1)
    runs, new = Placement(pool), submission(tiny, text)
    runs.submit(new)
    pool.all[0].end()
    failed = runs.snapshot(new.job_id)
    assert (failed.state, failed.steps, failed.record.config) == ("failed", 0, tiny)
    with pytest.raises(ValueError, match=r"^trainers must answer, got no answer$"):
        runs.submit(submission(tiny, text))


@pytest.mark.parametrize("ends", ["finished", "cancelled"])
def test_a_run_that_has_ended_never_begins_anew(ends, shared, tiny, text):
    config = tiny if ends == "finished" else replace(tiny, steps=5_000, n_seeds=10)
    pool = shared(2)
    runs, new = Placement(pool), submission(config, text)
    runs.submit(new)
    if ends == "cancelled":
        runs.cancel(new.job_id)
    last = ended(runs, new.job_id)
    pool.all[0].end()
    assert runs.snapshot(new.job_id) == last
    assert runs.weights(new.job_id, "none", 0) is None
    assert not pool.all[1].live()


def test_nothing_that_is_asked_of_a_trainer_that_has_gone_raises(shared, endless, tiny, text):
    pool = shared(1)
    runs, new = Placement(pool), submission(tiny, text)
    runs.submit(new)
    steps_of(runs, new.job_id, 1)
    pool.all[0].end()
    runs.pause(new.job_id)
    runs.resume(new.job_id)
    runs.release(new.job_id, 1.0)
    runs.forget(new.job_id)
    assert runs.weights(new.job_id, "none", 0) is None
    assert runs.live("") == 0
    assert runs.counts() == {}
    runs.cancel(new.job_id)


def test_another_app_on_the_same_trainers_finds_the_run_and_sees_it_fail(shared, endless, tiny, text):
    pool = shared(2)
    runs, other, new = Placement(pool), Placement(pool), submission(tiny, text, "a")
    runs.submit(new)
    assert other.knows(new.job_id)
    steps_of(other, new.job_id, 3)
    assert other.snapshot(new.job_id).owner == "a"
    assert other.live("a") == runs.live("a") == 1
    assert other.counts() == {"running": 1}
    pool.all[0].end()
    assert other.snapshot(new.job_id).state == "failed"  # it has no text to begin anew with
    assert runs.snapshot(new.job_id).message == ANEW
    assert not other.knows("bogus")
    with pytest.raises(KeyError):
        other.snapshot("bogus")


def test_the_oldest_runs_that_have_ended_are_forgotten(shared, endless, tiny, text, monkeypatch):
    monkeypatch.setattr(placement, "KEPT", 2)
    runs, ids = Placement(shared(1)), []
    for seed in range(5):
        new = submission(replace(tiny, seed=seed), text)
        runs.submit(new)
        ids.append(new.job_id)
        if seed < 4:
            runs.cancel(new.job_id)
            assert runs.snapshot(new.job_id).state == "stopped"
    assert [job_id in runs._placed for job_id in ids] == [False, False, True, True, True]
