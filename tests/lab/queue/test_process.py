"""A trainer in a process of its own: the same numbers as here, no end but with the app, and a new one when it dies."""

import os
import signal
import sys
import threading
from dataclasses import replace

import psutil
import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.queue import process
from pe_core.lab.queue.jobs import LOST, JobManager
from pe_core.lab.queue.process import OneProcess
from pe_core.lab.queue.trainer import Trainer, TrainerGone, TrainerOptions
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.lab.storage.weights import from_bytes
from tests.cases import refuses
from tests.lab.pooled import is_ready, loaded_by_first_steps
from tests.lab.running import alone, ended, steps_of, until
from tests.lab.storage.processes import begun
from tests.waiting import PATIENCE

OWNER = "a" * 64


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('store') / 'lab.sqlite'}"


@pytest.fixture(scope="module")
def pool(url):
    """One for all tests of this file, each of whose runs has a seed of its own: a process takes seconds to start."""
    pool = OneProcess(TrainerOptions(store=url, max_live=2, n_workers=2))
    yield pool
    pool.close()


@pytest.fixture
def long(tiny):
    """A run that goes on for minutes."""
    return replace(tiny, steps=5_000, n_seeds=10)


@pytest.fixture
def manager(pool, url):
    manager = JobManager(pool, RunStore(url))
    yield manager
    for trainer in pool.trainers():
        for job_id in trainer.ask(Trainer.live):
            trainer.ask(Trainer.cancel, job_id)


def test_runs_there_bring_what_they_bring_here_and_are_kept(manager, pool, tiny, long, text, url):
    [trainer] = pool.trainers()
    until(lambda: trainer.ask(is_ready))
    assert trainer.ask(loaded_by_first_steps) == []
    config = replace(tiny, encodings=("none", "rope"))
    job_id = manager.submit(config, text, OWNER)
    done = ended(manager, job_id)
    assert (done.state, done.owner) == ("finished", OWNER)
    assert (done.record.curves, done.record.outcomes) == alone(config, text)
    assert RunStore(url).get(done.kept) == done.record
    assert done.kept == run_hash(config, text_facts(text))  # a process has no say in the name of a run
    content = manager.weights(job_id, "rope", 0)
    from_bytes(content, config, "rope", len(text.vocabulary))
    for dataset in (built_in(), TASKS["copy"]):  # they do not travel
        assert ended(manager, manager.submit(tiny, dataset)).state == "finished"

    for seed in (1, 2):
        manager.submit(replace(long, seed=seed), text)
    with pytest.raises(ValueError, match=r"^queue must have fewer than 2 runs to take another, got 2$"):
        manager.submit(replace(tiny, seed=3), text)
    with pytest.raises(KeyError, match="bogus"):
        pool.trainers()[0].ask(Trainer.snapshot, "bogus")


def test_a_killed_trainer_is_replaced_and_loses_nothing_that_was_finished(manager, pool, tiny, long, text):
    finished = ended(manager, manager.submit(replace(tiny, seed=20), text))
    job_id = manager.submit(replace(long, seed=30), text)
    seen = steps_of(manager, job_id, 5)
    [trainer] = pool.trainers()
    os.kill(trainer.pid, signal.SIGKILL)
    until(lambda: not trainer.is_alive)
    lost = ended(manager, job_id)
    assert (lost.state, lost.message) == ("failed", LOST)
    assert lost.steps >= seen
    assert manager.snapshot(finished.kept) == finished
    again = manager.submit(replace(tiny, seed=21), text)
    assert ended(manager, again).state == "finished"


@pytest.fixture
def program(tmp_path):
    """Makes a program that stands in for that of the trainer, of lines of shell."""

    def make(*lines):
        path = tmp_path / "program"
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)
        return str(path)

    return make


def _app(told, program):
    sys.executable = program
    [trainer] = OneProcess(TrainerOptions()).trainers()
    told.send(trainer.pid)
    threading.Event().wait()


def test_a_trainer_never_outlives_its_app(program):
    """A program that ends with its input, as the trainer's does below, stands in for it: it starts at once."""
    app, heard = begun(_app, program("exec cat > /dev/null"))
    trainer = psutil.Process(heard.recv())
    assert os.getpgid(trainer.pid) != os.getpgid(app.pid)  # Ctrl-C in a terminal is for the app, which ends it
    app.kill()
    app.join()
    trainer.wait(PATIENCE)
    heard.close()


def test_a_trainer_that_does_not_answer_is_ended(program, monkeypatch):
    """A program that reads what it is asked, says nothing and does not end when it is told to stands in for it."""
    keeps_its_output_open = "3>&1 > /dev/null"  # or the answers would end at once
    monkeypatch.setattr(sys, "executable", program("trap '' TERM", f"exec cat {keeps_its_output_open}"))
    monkeypatch.setattr(process, "PATIENCE", 0.2)
    pool = OneProcess(TrainerOptions())
    [trainer] = pool.trainers()
    with pytest.raises(TrainerGone, match=r"^trainer must answer, got "):
        trainer.ask(Trainer.live)
    until(lambda: not trainer.is_alive)
    [other] = pool.trainers()
    assert other is not trainer
    pool.close()


def test_a_closed_pool_has_ended_its_process_in_the_middle_of_a_run_and_starts_none(pool, url, long, text):
    """The last of those that share the pool."""
    runs = JobManager(pool, RunStore(url))
    steps_of(runs, runs.submit(replace(long, seed=40), text), 5)
    [trainer] = pool.trainers()
    assert pool.running() == [trainer]
    pool.close()
    assert trainer._process.returncode == 0  # it has ended by itself: nobody had to lose patience with it
    assert pool.running() == []
    with pytest.raises(TrainerGone, match=r"^trainer must answer, got "):
        trainer.ask(Trainer.live)
    refuses(pool.trainers, "lab must be open to take a run, got closed")
