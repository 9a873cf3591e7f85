"""Runs in the queue of one trainer: what they bring, how far they are, whose turn it is, pause and resume, limits."""

import itertools
import json
import os
import sys
import threading
from concurrent.futures import Future
from dataclasses import replace

import pytest
import torch

from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, trainer
from pe_core.lab.queue.jobs import OPERATOR, NotYours
from pe_core.lab.queue.trainer import NICENESS
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.statistics import ratio
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from tests.cases import refuses
from tests.lab.running import OUTCOME, STEP, alone, ended, full, more, steps_of, until
from tests.lab.storage.rows import rows
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
    clock.now += 40
    manager.cancel(first)
    until(lambda: 2 in endless)
    clock.now += 40  # with those before more than a turn
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


# Runs of several seeds: each seed has what it has alone.


SEEDS = RunConfig(("none", "alibi"), 16, 16, 1, 1, 50, seed=4, n_seeds=2)


def test_a_run_of_two_seeds_has_what_each_has_alone_and_is_kept_with_both(open_lab, text, url):
    manager = open_lab(store=RunStore(url), n_workers=2)
    done = ended(manager, manager.submit(SEEDS, text))
    assert (done.state, done.steps, done.done) == ("finished", 200, 1.0)

    # Two runs of one seed, bit for bit.
    record = done.record
    assert record.config == SEEDS
    for seed in (4, 5):
        one = record.of_seed(seed)
        assert (one.curves, one.outcomes) == alone(SEEDS.of_seed(seed), text)
    for key in SEEDS.encodings:
        assert list(record.outcomes[key]) == [4, 5]
        assert record.curves[key][4] != record.curves[key][5]

    # Kept with both, under a hash of its own, and listed by the ratios of its means.
    kept = RunStore(url)
    assert done.kept == run_hash(SEEDS, record.text) != run_hash(replace(SEEDS, n_seeds=1), record.text)
    assert kept.get(done.kept) == record
    [listed] = rows(url)
    assert json.loads(listed.ratios) == {key: ratio(record.mean(key).lengths) for key in SEEDS.encodings}


def test_all_seeds_advance_together_and_a_stopped_run_keeps_what_each_has(endless, manager, text):
    job_id = manager.submit(replace(SEEDS, n_seeds=3), text)
    steps_of(manager, job_id, 20)
    manager.cancel(job_id)
    stopped = ended(manager, job_id)
    curves = {(seed, key): curve for key, by_seed in stopped.record.curves.items() for seed, curve in by_seed.items()}
    assert set(curves) == {(seed, key) for seed in (4, 5, 6) for key in SEEDS.encodings}
    lengths = [len(curve) for curve in curves.values()]
    assert max(lengths) - min(lengths) <= 1
    assert stopped.steps == sum(lengths)
    assert stopped.record.done == ()


# How many there may be: in the queue, paused, and of one owner, whose runs nobody else changes.


def test_the_queue_is_bounded_and_as_many_runs_may_be_paused_which_give_up_their_place(open_lab, endless, tiny, text):
    manager = open_lab(n_workers=1, max_live=2)
    first, second = (manager.submit(tiny, text) for _ in range(2))
    refuses(lambda: manager.submit(tiny, text), full(2))
    manager.pause(second)
    third = manager.submit(tiny, text)
    refuses(lambda: manager.resume(second), full(2))
    assert manager.snapshot(second).state == "paused"
    manager.pause(first)
    refuses(lambda: manager.pause(third), "paused runs must be fewer than 2 to pause another, got 2")
    assert manager.snapshot(third).state in {"queued", "running"}
    manager.resume(second)
    assert manager.snapshot(second).state == "queued"


def test_a_paused_run_expires_though_it_is_watched(open_lab, endless, clock, tiny, text, monkeypatch):
    monkeypatch.setattr(trainer, "PAUSE", 120.0)
    manager = open_lab(n_workers=1, unwatched=75)
    job_id = manager.submit(tiny, text)
    manager.pause(job_id)
    for _ in range(2):
        clock.now += 50
        assert manager.snapshot(job_id).state == "paused"
    clock.now += 50
    manager.snapshot(job_id)
    manager.submit(replace(tiny, seed=1), text)  # a worker that is woken looks at once, and else once a second
    assert ended(manager, job_id).message == "Stopped, because it was paused for more than 2 minutes."


def test_an_owner_has_two_live_runs_and_nobody_else_changes_them(endless, manager, tiny, text):
    first, second = (manager.submit(tiny, text, "a") for _ in range(2))
    refuses(lambda: manager.submit(tiny, text, "a"), "your live runs must be fewer than 2 to start another, got 2")
    other = manager.submit(tiny, text, "b")
    for change in (manager.pause, manager.resume, manager.cancel):
        for by in ("b", ""):
            with pytest.raises(NotYours, match=r"^run must be your own to be changed, got one of another visitor$"):
                change(first, by)
    assert {manager.snapshot(job_id).state for job_id in (first, second, other)} <= {"queued", "running"}
    assert [manager.snapshot(job_id).owner for job_id in (first, other)] == ["a", "b"]
    manager.pause(first, "a")
    assert manager.snapshot(first).state == "paused"
    with pytest.raises(ValueError, match="fewer than 2"):  # a paused run is a live one
        manager.submit(tiny, text, "a")
    manager.cancel(first, OPERATOR)
    assert manager.snapshot(first).state == "stopped"
    manager.submit(tiny, text, "a")
