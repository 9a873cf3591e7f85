"""A trainer in a process of its own: the same numbers as here, no end but with the app, and a new one when it dies."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.queue import process, remote
from pe_core.lab.queue.jobs import JobManager
from pe_core.lab.queue.placement import ANEW, LOST
from pe_core.lab.queue.process import OneProcess
from pe_core.lab.queue.remote import TrainerOptions
from pe_core.lab.queue.trainers import TrainerGone
from pe_core.lab.storage.store import RunStore
from pe_core.lab.storage.weights import from_bytes
from tests.lab.running import alone, ended, steps_of, until

ROOT = Path(__file__).parents[3]
OWNER = "a" * 64


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'lab.sqlite'}"


@pytest.fixture
def pool(url):
    pool = OneProcess(TrainerOptions(store=url, max_live=2, n_workers=2))
    yield pool
    pool.close()


@pytest.fixture
def manager(pool, url):
    return JobManager(pool, RunStore(url))


def kill(pool):
    [trainer] = pool.trainers()
    os.kill(trainer.pid, signal.SIGKILL)
    until(lambda: not trainer.is_alive)


def test_runs_there_bring_what_they_bring_here_and_are_kept(manager, pool, tiny, text, url):
    config = replace(tiny, encodings=("none", "rope"))
    job_id = manager.submit(config, text, OWNER)
    done = ended(manager, job_id)
    assert (done.state, done.owner) == ("finished", OWNER)
    assert (done.record.curves, done.record.outcomes) == alone(config, text)
    assert RunStore(url).get(done.kept) == done.record
    content = manager.weights(job_id, "rope", 0)
    from_bytes(content, config, "rope", len(text.vocabulary))
    for dataset in (built_in(), TASKS["copy"]):  # they do not travel
        assert ended(manager, manager.submit(tiny, dataset)).state == "finished"

    for seed in (1, 2):
        manager.submit(replace(tiny, steps=5_000, seed=seed), text)
    with pytest.raises(ValueError, match=r"^queue must have fewer than 2 runs to take another, got 2$"):
        manager.submit(replace(tiny, seed=3), text)
    with pytest.raises(KeyError, match="bogus"):
        pool.trainers()[0].snapshot("bogus")


def test_a_killed_trainer_is_replaced_and_loses_nothing_that_was_finished(manager, pool, tiny, text):
    finished = ended(manager, manager.submit(tiny, text))
    job_id = manager.submit(replace(tiny, steps=5_000), text)
    steps_of(manager, job_id, 5)
    kill(pool)
    until(lambda: manager.snapshot(job_id).message == ANEW)
    seen = steps_of(manager, job_id, 5)
    kill(pool)
    lost = ended(manager, job_id)
    assert (lost.state, lost.message) == ("failed", LOST)
    assert lost.steps >= seen
    assert manager.snapshot(finished.kept) == finished
    again = manager.submit(replace(tiny, seed=1), text)
    assert ended(manager, again).state == "finished"


APP = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a background job of a shell ignores
from pe_core.lab.queue.process import OneProcess
from pe_core.lab.queue.remote import TrainerOptions
pool = OneProcess(TrainerOptions())
[trainer] = pool.trainers()
trainer.live()
print(trainer.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_trainer_never_outlives_its_app(how):
    app = subprocess.Popen([sys.executable, "-c", APP], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    trainer = psutil.Process(int(app.stdout.readline()))
    assert trainer.is_running()
    os.kill(app.pid, how)
    app.communicate(timeout=180)
    trainer.wait(20)


def test_a_trainer_that_does_not_answer_is_ended(pool, monkeypatch):
    [trainer] = pool.trainers()
    assert trainer.live() == {}
    monkeypatch.setattr(process, "PATIENCE", 0.2)
    os.kill(trainer.pid, signal.SIGSTOP)
    until(lambda: psutil.Process(trainer.pid).status() == psutil.STATUS_STOPPED)  # a signal takes a moment
    with pytest.raises(TrainerGone, match="no answer"):
        trainer.live()
    until(lambda: not trainer.is_alive)
    monkeypatch.setattr(process, "PATIENCE", 60.0)
    [other] = pool.trainers()
    assert other is not trainer
    assert other.live() == {}


def test_who_looks_at_the_same_moment_asks_once(manager, pool, tiny, text, monkeypatch):
    job_id = manager.submit(replace(tiny, steps=5_000), text)
    [trainer] = pool.trainers()
    asked = []
    told = trainer._told
    monkeypatch.setattr(trainer, "_told", lambda question: asked.append(question) or told(question))
    monkeypatch.setattr(remote, "FRESH", 1_000.0)
    assert len({id(manager.snapshot(job_id).record) for _ in range(20)}) == 1
    assert len(asked) <= 1
    manager.cancel(job_id)  # who has changed it sees that at once
    assert manager.snapshot(job_id).state == "stopped"


def test_a_closed_pool_has_ended_its_process_and_starts_none(pool):
    [trainer] = pool.trainers()
    assert pool.running() in ([], [trainer])
    start = time.monotonic()
    pool.close()
    assert not trainer.is_alive
    assert time.monotonic() - start < 20
    assert pool.running() == []
    with pytest.raises(ValueError, match=r"^lab must be open to take a run, got closed$"):
        pool.trainers()


def test_a_process_that_is_ready_loads_nothing_more_for_the_first_step():
    code = """
import sys
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue import process, worker
before = set(sys.modules)
worker.get_ready()
assert len(sys.modules) > len(before) + 100, "a step loads nothing, so that there is nothing to be ready for"
ready = set(sys.modules)
for key in ("sinusoidal", "rope", "alibi"):
    next(run_encoding(RunConfig((key,)), key, built_in()))
print(sorted(set(sys.modules) - ready))
"""
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
