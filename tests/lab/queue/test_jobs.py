"""Runs in the queue of one trainer: what they bring, how far they are, whose turn it is, pause and resume."""

import itertools
import os
import sys
import threading
from concurrent.futures import Future
from dataclasses import FrozenInstanceError, replace

import pytest
import torch

from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, trainer
from pe_core.lab.queue.trainer import NICENESS
from pe_core.lab.results.record import text_facts
from tests.lab.running import OUTCOME, STEP, alone, ended, more, steps_of, until
from tests.waiting import PATIENCE


def test_a_run_brings_what_its_encodings_bring_alone(open_lab, tiny, text):
    config = replace(tiny, encodings=("none", "rope"))
    manager = open_lab(n_workers=3)
    snapshot = ended(manager, manager.submit(config, text))
    assert (snapshot.state, snapshot.place, snapshot.done, snapshot.steps) == ("finished", None, 1.0, 100)
    assert (snapshot.seconds_left, snapshot.message) == (None, "")
    assert (snapshot.record.config, snapshot.record.text) == (config, text_facts(text))
    assert (snapshot.record.curves, snapshot.record.outcomes) == alone(config, text)


def test_progress_never_falls_and_ends_at_1(open_lab, tiny, text, monkeypatch):
    """Workers look at their run themselves, between two steps of theirs."""
    submitted, looking, seen = Future(), threading.Lock(), []

    def look():
        with looking:
            seen.append(manager.snapshot(submitted.result(PATIENCE)))

    def training(*arguments, **named):
        for event in run_encoding(*arguments, **named):
            look()
            yield event

    monkeypatch.setattr(job, "run_encoding", training)
    manager = open_lab(n_workers=2)
    job_id = manager.submit(replace(tiny, encodings=("none", "rope"), steps=100), text)
    submitted.set_result(job_id)
    ended(manager, job_id)
    look()
    assert seen[-1].state == "finished"
    for one, other in itertools.pairwise(seen):
        assert one.done <= other.done
        assert one.steps <= other.steps
        assert one.record.outcomes.items() <= other.record.outcomes.items()
        for key, by_seed in one.record.curves.items():
            assert all(other.record.curves[key][seed][: len(curve)] == curve for seed, curve in by_seed.items())
    assert 0 <= seen[0].done < 1
    assert all((snapshot.done == 1) == (snapshot.state == "finished") for snapshot in seen)
    assert len({snapshot.done for snapshot in seen}) > 10


def test_the_speed_and_the_time_left_follow_from_the_steps(fake, manager, tiny, text):
    looked = threading.Event()

    def train(config, encoding, corpus, device):
        for step in range(1, 51):
            yield TrainStep(encoding, step, float(step))
        assert looked.wait(PATIENCE)
        yield OUTCOME

    fake(train)
    job_id = manager.submit(replace(tiny, steps=5_000), text)
    assert steps_of(manager, job_id, 50) == 50
    snapshot = manager.snapshot(job_id)
    waiting = manager.snapshot(manager.submit(tiny, text))
    looked.set()
    assert snapshot.tokens_per_second == pytest.approx(16 * 16 / STEP, rel=1e-3)
    assert snapshot.seconds_left >= (1 - 1e-3) * STEP * (5_000 - 50)
    passed = 50 * STEP
    assert snapshot.done == pytest.approx(passed / (passed + snapshot.seconds_left), rel=1e-3)
    assert (waiting.tokens_per_second, waiting.seconds_left) == (None, None)


def test_every_worker_uses_one_thread_and_comes_after_those_of_pages(open_lab, fake, tiny, text, monkeypatch):
    monkeypatch.setattr(trainer, "NICENESS", NICENESS)
    found = set()

    def train(config, encoding, corpus, device):
        found.add((torch.get_num_threads(), os.nice(0)))
        yield OUTCOME

    own = os.nice(0)
    fake(train)
    torch.set_num_threads(2)
    manager = open_lab(n_workers=2)
    ended(manager, manager.submit(replace(tiny, encodings=("none", "rope", "alibi")), text))
    only_linux = sys.platform == "linux"  # gives each thread a niceness of its own
    assert found == {(1, min(19, own + NICENESS) if only_linux else own)}
    assert (torch.get_num_threads(), os.nice(0)) == (2, own)


def test_snapshots_are_copies_that_nobody_can_change(endless, manager, tiny, text):
    job_id = manager.submit(tiny, text)
    steps = steps_of(manager, job_id, 3)
    early = manager.snapshot(job_id)
    curve = early.record.curves["none"][0]
    steps_of(manager, job_id, early.steps + 3)
    assert len(early.record.curves["none"][0]) == early.steps >= steps
    assert curve == tuple(float(step) for step in range(1, early.steps + 1))
    with pytest.raises(FrozenInstanceError):
        early.state = "finished"
    early.record.curves["none"][0] = ()
    assert manager.snapshot(job_id).record.curves["none"][0][: len(curve)] == curve


def test_runs_take_turns_and_their_place_tells_whose_it_is(endless, manager, tiny, text, monkeypatch):
    monkeypatch.setattr(trainer, "TURN", 20 * STEP)
    first, second = (manager.submit(replace(tiny, seed=seed), text) for seed in (1, 2))
    for job_id in (first, second, first, second):
        until(lambda job_id=job_id: manager.snapshot(job_id).place == 1)
        until(lambda job_id=job_id: manager.snapshot(job_id).place == 0)
    steps_of(manager, second, 20)
    turns = [(seed, len(list(steps))) for seed, steps in itertools.groupby(endless)]
    assert len(turns) >= 4
    assert [seed for seed, _ in turns[:4]] == [1, 2, 1, 2]
    assert all(20 <= n_steps <= 22 for _, n_steps in turns[1:-1])
    manager.cancel(first)
    assert (manager.snapshot(first).place, manager.snapshot(second).place) == (None, 0)


def test_a_run_waits_while_another_has_its_turn_which_begins_when_it_comes(
    endless, manager, clock, tiny, text, monkeypatch
):
    monkeypatch.setattr(trainer, "TURN", 60.0)
    clock.now += 100
    first, second, third = (manager.submit(replace(tiny, seed=seed), text) for seed in (1, 2, 3))
    more(endless, 20)
    snapshots = [manager.snapshot(job_id) for job_id in (first, second, third)]
    assert [snapshot.place for snapshot in snapshots] == [0, 1, 2]
    assert [snapshot.state for snapshot in snapshots] == ["running", "queued", "queued"]
    assert set(endless) == {1}
    manager.cancel(first)
    until(lambda: 2 in endless)
    more(endless, 20)
    assert 3 not in endless
    clock.now += 61
    until(lambda: 3 in endless)
    assert [manager.snapshot(job_id).place for job_id in (second, third)] == [1, 0]


def test_a_worker_without_work_in_the_first_run_helps_the_next(open_lab, endless, tiny, text, monkeypatch):
    monkeypatch.setattr(trainer, "TURN", 1_000.0)
    manager = open_lab(n_workers=2)
    for seed in (1, 2):
        manager.submit(replace(tiny, seed=seed), text)
    until(lambda: {1, 2} <= set(endless))


def test_a_paused_run_stands_still_and_then_goes_on_to_the_same_end(held, manager, tiny, text):
    config = replace(tiny, encodings=("none", "rope"))
    job_id = manager.submit(config, text)
    steps_of(manager, job_id, 5)
    manager.pause(job_id)
    held.let_go.set()
    ended(manager, manager.submit(tiny, text))  # the one worker has taken it: it has let go of the paused run
    paused = manager.snapshot(job_id)
    assert (paused.state, paused.place) == ("paused", None)
    assert 5 <= paused.steps < 100
    ended(manager, manager.submit(tiny, text))
    assert manager.snapshot(job_id).record == paused.record
    manager.pause(job_id)  # a second time changes nothing
    manager.resume(job_id)
    manager.resume(job_id)
    finished = ended(manager, job_id)
    assert (finished.state, finished.done) == ("finished", 1)
    assert (finished.record.curves, finished.record.outcomes) == alone(config, text)


def test_a_resumed_run_stands_at_the_end_of_the_line_once(endless, manager, tiny, text, monkeypatch):
    monkeypatch.setattr(trainer, "TURN", 1_000.0)
    first, second = (manager.submit(replace(tiny, seed=seed), text) for seed in (1, 2))
    manager.pause(first)
    assert manager.snapshot(second).place == 0
    manager.resume(first)
    manager.resume(first)
    manager.resume(second)
    assert [manager.snapshot(job_id).place for job_id in (second, first)] == [0, 1]
    manager.cancel(first)
    assert manager.snapshot(first).place is None
    more(endless, 20)
    assert set(endless[-10:]) == {2}


def test_a_cancelled_run_keeps_what_has_come_out(held, manager, tiny, text):
    config = replace(tiny, encodings=("none", "rope"), steps=5_000)
    held.before = 21
    job_id = manager.submit(config, text)
    steps_of(manager, job_id, 20)
    manager.cancel(job_id)
    stopped = manager.snapshot(job_id)
    held.let_go.set()
    assert (stopped.state, stopped.place, stopped.message, stopped.seconds_left) == ("stopped", None, "Stopped.", None)
    assert stopped.done < 1
    ended(manager, manager.submit(tiny, text))  # the worker is free again
    kept = manager.snapshot(job_id)
    assert 20 <= stopped.steps <= kept.steps <= stopped.steps + 1  # the step in hand may have ended after
    for key, curve in ((key, by_seed[0]) for key, by_seed in kept.record.curves.items()):
        steps = itertools.islice(run_encoding(config, key, text), len(curve))
        assert curve == tuple(step.loss for step in steps)
    for action in (manager.resume, manager.pause, manager.cancel):
        action(job_id)
        assert manager.snapshot(job_id) == kept
