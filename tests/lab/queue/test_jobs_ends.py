"""How runs end, what could go wrong on the way, and the memory that goes back to the system."""

import gc
import os
import platform
import random
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from pe_core.lab.experiment import run
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import TrainStep, build_model
from pe_core.lab.queue import job, jobs, trainer
from pe_core.lab.queue.job import LIVE, trim
from tests.cases import refuses
from tests.lab.running import OUTCOME, STEP, ended, more, until
from tests.waiting import PATIENCE


@pytest.mark.parametrize(("first_steps", "n_workers"), [(0, 1), (3, 2)])
def test_a_failure_ends_its_run_and_no_worker(first_steps, n_workers, open_lab, tiny, text, monkeypatch):
    def training(config, encoding, corpus, device, glanced):
        for step in run_encoding(config, encoding, corpus):
            if encoding == "rope" and (not first_steps or step.step > first_steps):
                raise RuntimeError("the kernel is not there")
            yield step

    monkeypatch.setattr(job, "run_encoding", training)
    logged = []
    monkeypatch.setattr(job.log, "exception", lambda message, *values: logged.append(message % values))
    manager = open_lab(n_workers=n_workers)
    failed = ended(manager, manager.submit(replace(tiny, encodings=("rope", "none"), steps=5_000), text))
    assert (failed.state, failed.message, failed.place) == ("failed", "rope: the kernel is not there", None)
    assert failed.done < 1
    assert len(failed.record.curves.get("rope", {0: ()})[0]) == first_steps
    assert logged == ["the run of rope failed"]
    runs = [manager.submit(replace(tiny, encodings=("alibi",)), text) for _ in range(n_workers)]
    assert [ended(manager, job_id).state for job_id in runs] == ["finished"] * n_workers


def test_pause_and_resume_with_a_step_in_hand_lose_and_repeat_nothing(open_lab, gate, tiny, text):
    manager = open_lab(n_workers=2)
    job_id = manager.submit(tiny, text)
    assert gate.reached.wait(PATIENCE)
    manager.pause(job_id)
    assert manager.snapshot(job_id).state == "paused"
    ended(manager, manager.submit(replace(tiny, seed=1), text))  # the other worker goes on
    manager.resume(job_id)
    ended(manager, manager.submit(replace(tiny, seed=1), text))  # and does not take the step that is in hand
    assert manager.snapshot(job_id).record.curves["none"][0] == (1.0,)
    gate.opened.set()
    finished = ended(manager, job_id)
    assert (finished.state, finished.record.curves["none"][0]) == ("finished", (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("action", "state", "fails", "end"),
    [
        ("cancel", "stopped", False, ("stopped", "Stopped.")),
        ("cancel", "stopped", True, ("stopped", "Stopped.")),
        ("pause", "paused", True, ("failed", "none: the kernel is not there")),
    ],
)
def test_a_step_in_hand_holds_its_worker_to_its_end(action, state, fails, end, open_lab, gate, tiny, text):
    manager = open_lab(n_workers=1, max_live=1)
    job_id = manager.submit(tiny, text)
    assert gate.reached.wait(PATIENCE)
    getattr(manager, action)(job_id)
    assert manager.snapshot(job_id).state == state
    waiting = manager.submit(replace(tiny, seed=1), text)
    assert manager.snapshot(waiting).state == "queued"
    gate.fails = fails
    gate.opened.set()
    assert ended(manager, waiting).state == "finished"
    snapshot = ended(manager, job_id)
    assert (snapshot.state, snapshot.message) == end


def test_a_run_goes_on_while_it_is_watched_and_ends_and_makes_room_afterwards(open_lab, endless, clock, tiny, text):
    manager = open_lab(n_workers=1, max_live=1, unwatched=75)
    job_id = manager.submit(tiny, text)
    for _ in range(5):
        clock.now += 50
        more(endless)
        assert manager.snapshot(job_id).state == "running"

    def room():
        with suppress(ValueError):
            return manager.submit(replace(tiny, seed=1), text)

    clock.now += 70
    more(endless)
    assert room() is None
    clock.now += 10
    until(room)
    until(lambda: 1 in endless)  # the worker has gone over to the next run
    snapshot = manager.snapshot(job_id)
    assert (snapshot.state, snapshot.place) == ("stopped", None)
    assert snapshot.message == "Stopped, because nobody was watching any more."
    assert 0 < snapshot.steps == len(snapshot.record.curves["none"][0])


def test_a_run_that_does_not_exist(manager):
    for action in (manager.snapshot, manager.pause, manager.resume, manager.cancel):
        with pytest.raises(KeyError, match=r"^'bogus'$"):
            action("bogus")
    assert not manager.knows("bogus")


def test_only_the_last_ended_runs_are_kept(endless, manager, tiny, text, monkeypatch):
    monkeypatch.setattr(job, "KEPT", 3)
    monkeypatch.setattr(jobs, "REMEMBERED", 3)
    live = manager.submit(tiny, text)
    ended_runs = []
    for _ in range(6):
        ended_runs.append(manager.submit(tiny, text))
        manager.cancel(ended_runs[-1])
    assert [manager.knows(job_id) for job_id in ended_runs] == [False] * 3 + [True] * 3
    assert len({live, *ended_runs}) == 7
    assert manager.snapshot(live).state in LIVE
    assert manager.snapshot(ended_runs[-3]).state == "stopped"
    with pytest.raises(KeyError):
        manager.snapshot(ended_runs[0])


def test_closing_ends_every_run_and_every_thread(open_lab, endless, tiny, text):
    before = set(threading.enumerate())
    manager = open_lab()
    workers = set(threading.enumerate()) - before
    assert len(workers) == manager.n_workers == os.cpu_count()
    finished = manager.submit(tiny, text)
    manager.cancel(finished)
    job_ids = [manager.submit(tiny, text) for _ in range(4)]
    manager.pause(job_ids[-1])
    more(endless)
    manager.close()
    assert not any(worker.is_alive() for worker in workers)
    assert {manager.snapshot(job_id).state for job_id in job_ids} == {"stopped"}
    assert {manager.snapshot(job_id).message for job_id in job_ids} == {"The lab was closed."}
    assert manager.snapshot(finished).message == "Stopped."
    steps = len(endless)
    manager.close()
    assert len(endless) == steps
    refuses(lambda: manager.submit(tiny, text), "lab must be open to take a run, got closed")


@pytest.mark.parametrize("end", ["finished", "stopped", "paused and stopped"])
def test_a_run_that_has_ended_lets_go_of_its_models(end, manager, tiny, text, monkeypatch):
    models = []

    def build(*arguments):
        model = build_model(*arguments)
        models.append(weakref.ref(model))
        return model

    monkeypatch.setattr(run, "build_model", build)
    config = replace(tiny, encodings=("none", "rope"), steps=50 if end == "finished" else 5_000)
    job_id = manager.submit(config, text)
    until(lambda: len(models) == 2)
    if end == "paused and stopped":
        manager.pause(job_id)
    if end != "finished":
        manager.cancel(job_id)
    ended(manager, job_id)
    ended(manager, manager.submit(tiny, text))
    gc.collect()
    assert [model() is None for model in models] == [True] * 3


def goes_on(manager, job_id):
    """Resume a run; whether there was room for it in the queue."""
    with suppress(ValueError):
        manager.resume(job_id)
        return True


def test_many_hands_at_once(open_lab, fake, tiny, text, monkeypatch):
    """Whatever is done to runs, in whatever order: none is lost or done twice, and none blocks another."""
    monkeypatch.setattr(trainer, "TURN", 5 * STEP)

    def train(config, encoding, corpus, device):
        for step in range(1, 4 + config.seed):
            yield TrainStep(encoding, step, float(step))
        yield OUTCOME

    fake(train)
    manager, job_ids = open_lab(n_workers=3, max_live=6), []

    def hand(seed):
        dice = random.Random(seed)
        for _ in range(150):
            if dice.random() < 0.3 or not job_ids:
                encodings = tuple(dice.sample(["none", "rope", "alibi", "learned"], dice.randint(1, 4)))
                with suppress(ValueError):  # the line is full
                    job_ids.append(manager.submit(replace(tiny, encodings=encodings, seed=dice.randint(0, 9)), text))
            action = dice.choice(["pause", "resume", "resume", "cancel", "snapshot", "snapshot"])
            with suppress(KeyError, ValueError):  # an old run is forgotten; too many are paused
                getattr(manager, action)(dice.choice(job_ids))

    with ThreadPoolExecutor(3) as hands:
        for done in [hands.submit(hand, seed) for seed in range(3)]:
            done.result(PATIENCE)
    # Those that have not been pushed out, nor are while the others are looked at.
    known = [job_id for job_id in job_ids[-jobs.REMEMBERED // 2 :] if manager.knows(job_id)]
    assert len(known) > 6
    for job_id in known:
        until(partial(goes_on, manager, job_id))
        snapshot = ended(manager, job_id)
        assert snapshot.state in {"finished", "stopped"}
        for curve in (curve for by_seed in snapshot.record.curves.values() for curve in by_seed.values()):
            assert curve == tuple(float(step) for step in range(1, len(curve) + 1))
        if snapshot.state == "finished":
            assert set(snapshot.record.outcomes) == set(snapshot.record.config.encodings)
    assert ended(manager, manager.submit(RunConfig(("none",), train_length=16), text)).state == "finished"


# Memory that runs have used and that is free goes back to the system.


MANY, SMALL = 4_000, 8_192  # tensors of 32 kB: smaller than what the allocator fetches and returns one by one
IS_GLIBC = platform.libc_ver()[0] == "glibc"


def resident():
    """The memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_is_free_below_something_that_is_used_goes_back_to_the_system():
    if not IS_GLIBC:
        trim()  # nothing to do, and nothing fails
        return
    changes = []

    def work():
        blocks = [torch.ones(SMALL) for _ in range(MANY)]
        last = blocks[-1]
        before = resident()
        blocks.clear()
        kept = resident()
        trim()
        changes.extend((before - kept, kept - resident()))
        assert last.sum() == SMALL

    thread = threading.Thread(target=work)  # as a worker of the lab
    thread.start()
    thread.join()
    half = MANY * SMALL * 4 / 2
    assert changes[0] < half < changes[1]


def test_memory_is_given_back_when_a_run_ends_and_not_before(endless, manager, tiny, text, monkeypatch):
    trimmed = []
    monkeypatch.setattr(trainer, "trim", lambda: trimmed.append(1))
    job_id = manager.submit(tiny, text)
    until(lambda: manager.snapshot(job_id).steps > 3)
    assert not trimmed
    manager.cancel(job_id)
    until(lambda: trimmed)
