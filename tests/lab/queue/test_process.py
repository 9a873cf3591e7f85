"""A trainer in a process of its own, and a job queue with a store: the same numbers as here, no failure ends a run."""

import json
import os
import signal
import sys
import threading
from dataclasses import replace

import psutil
import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.queue import process as module
from pe_core.lab.queue.jobs import LOST, JobManager
from pe_core.lab.queue.process import Here, OneProcess
from pe_core.lab.queue.trainer import Trainer, TrainerGone, TrainerOptions
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.record_file import from_json
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.lab.storage.weights import from_bytes
from tests.cases import refuses
from tests.lab.pooled import is_ready, loaded_by_first_steps
from tests.lab.running import alone, ended, full, never, steps_of, until
from tests.lab.storage.processes import begun
from tests.lab.storage.rows import execute, rows
from tests.waiting import PATIENCE

OWNER = "a" * 64


@pytest.fixture(scope="module")
def pool_url(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('store') / 'lab.sqlite'}"


@pytest.fixture(scope="module")
def pool(pool_url):
    """One for all tests of this file, each of whose runs has a seed of its own: a process takes seconds to start."""
    pool = OneProcess(TrainerOptions(store=pool_url, max_live=2, n_workers=2))
    yield pool
    pool.close()


@pytest.fixture
def long(tiny):
    """A run that goes on for minutes."""
    return replace(tiny, steps=5_000, n_seeds=10)


@pytest.fixture
def manager(pool, pool_url):
    manager = JobManager(pool, RunStore(pool_url))
    yield manager
    for trainer in pool.trainers():
        for job_id in trainer.ask(Trainer.live):
            trainer.ask(Trainer.cancel, job_id)


def test_runs_there_bring_what_they_bring_here_and_are_kept(manager, pool, tiny, long, text, pool_url):
    [trainer] = pool.trainers()
    until(lambda: trainer.ask(is_ready))
    assert trainer.ask(loaded_by_first_steps) == []
    config = replace(tiny, encodings=("none", "rope"))
    job_id = manager.submit(config, text, OWNER)
    done = ended(manager, job_id)
    assert (done.state, done.owner) == ("finished", OWNER)
    assert (done.record.curves, done.record.outcomes) == alone(config, text)
    assert RunStore(pool_url).get(done.kept) == done.record
    assert done.kept == run_hash(config, text_facts(text))  # a process has no say in the name of a run
    content = manager.weights(job_id, "rope", 0)
    from_bytes(content, config, "rope", len(text.vocabulary))
    for dataset in (built_in(), TASKS["copy"]):  # they do not travel
        assert ended(manager, manager.submit(tiny, dataset)).state == "finished"

    for seed in (1, 2):
        manager.submit(replace(long, seed=seed), text)
    refuses(lambda: manager.submit(replace(tiny, seed=3), text), full(2))
    with pytest.raises(KeyError, match="bogus"):
        pool.trainers()[0].ask(Trainer.snapshot, "bogus")


def test_a_killed_trainer_is_replaced_and_loses_nothing_that_was_finished(manager, pool, tiny, long, text):
    finished = ended(manager, manager.submit(replace(tiny, seed=20), text))
    job_id = manager.submit(replace(long, seed=30), text)
    seen = steps_of(manager, job_id, 5)
    os.kill(pool._process.pid, signal.SIGKILL)
    pool._process.wait(PATIENCE)
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
    told.send(trainer._process.pid)
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
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    pool = OneProcess(TrainerOptions())
    [trainer] = pool.trainers()
    process = trainer._process
    with pytest.raises(TrainerGone, match=r"^trainer must answer, got "):
        trainer.ask(Trainer.live)
    process.wait(PATIENCE)
    pool.trainers()
    assert pool._process is not process
    pool.close()


def test_a_closed_pool_has_ended_its_process_in_the_middle_of_a_run_and_starts_none(pool, pool_url, long, text):
    """The last of those that share the pool."""
    runs = JobManager(pool, RunStore(pool_url))
    steps_of(runs, runs.submit(replace(long, seed=40), text), 5)
    [trainer] = pool.trainers()
    process = trainer._process
    pool.close()
    assert process.returncode == 0  # it has ended by itself: nobody had to lose patience with it
    with pytest.raises(TrainerGone, match=r"^trainer must answer, got "):
        trainer.ask(Trainer.live)
    refuses(pool.trainers, "lab must be open to take a run, got closed")


NOT_KEPT = "runs must lie in a database that can be read and written, got "


def test_a_finished_run_is_kept_under_its_hash_and_is_there_at_once(open_lab, fake, tiny, text, url):
    config = replace(tiny, repairs=("ntk",), encodings=("rope",), n_seeds=2)
    manager = open_lab(store=RunStore(url))
    snapshot = ended(manager, manager.submit(config, text))
    run = run_hash(config, snapshot.record.text)
    assert (snapshot.state, snapshot.kept, snapshot.unkept) == ("finished", run, "")
    assert RunStore(url).get(run) == snapshot.record
    fake(never)
    after = open_lab(store=RunStore(url))
    assert not after.knows(run)
    assert not after.find("0" * 64)
    assert not after.find("nope")
    assert manager.submit(config, text) == after.submit(config, text) == run
    assert manager.snapshot(run) == snapshot
    known = after.snapshot(run)
    assert (known.state, known.done, known.steps, known.place) == ("finished", 1.0, 100, None)
    assert (known.kept, known.record) == (run, snapshot.record)


def test_a_known_run_is_shown_though_the_line_is_full(open_lab, endless, tiny, text, url):
    known = RunRecord(tiny, text_facts(text))
    kept = RunStore(url)
    kept.put(known)
    manager = open_lab(store=kept, max_live=1)
    manager.submit(replace(tiny, seed=1), text)
    assert manager.submit(tiny, text) == run_hash(tiny, known.text)
    refuses(lambda: manager.submit(replace(tiny, seed=2), text), full(1))


def test_a_removed_run_is_trained_again(open_lab, tiny, text, url):
    manager = open_lab(store=RunStore(url))
    job_id = manager.submit(tiny, text)
    kept = ended(manager, job_id).kept
    manager.remove(kept)
    manager.remove(kept)
    assert not manager.find(kept)
    assert manager.snapshot(job_id).kept == ""
    again = manager.submit(tiny, text)
    assert again not in (kept, job_id)
    assert ended(manager, again).kept == kept


def test_a_stopped_and_a_failed_run_are_marked_as_unfinished(open_lab, gate, endless, fake, tiny, text, url):
    manager = open_lab(store=RunStore(url), n_workers=1)
    job_id = manager.submit(tiny, text)
    steps_of(manager, job_id, 2)
    manager.cancel(job_id)

    def fail(config, encoding, corpus, device):
        raise RuntimeError("no kernel")
        yield

    fake(fail)
    assert ended(manager, manager.submit(replace(tiny, seed=1), text)).state == "failed"
    assert [run.state for run in rows(url)] == ["unfinished"] * 2


class Broken(RunStore):
    """A store whose methods of these names fail, as on a full disk."""

    def __init__(self, url, *names):
        super().__init__(url)
        for name in names:
            setattr(self, name, self.fail)

    def fail(self, *arguments):
        raise StoreError(f"{NOT_KEPT}database or disk is full")


@pytest.mark.parametrize("names", [("get", "begin"), ("get", "begin", "put")], ids=" ".join)
def test_a_store_that_fails_ends_no_run(open_lab, tiny, text, url, names):
    manager = open_lab(store=Broken(url, *names))
    snapshot = ended(manager, manager.submit(tiny, text))
    assert snapshot.state == "finished"
    assert (snapshot.record.curves, snapshot.record.outcomes) == alone(tiny, text)
    kept = "put" not in names
    assert bool(snapshot.kept) == kept
    assert snapshot.unkept == ("" if kept else f"{NOT_KEPT}database or disk is full")


def _train(told, config, url):
    store = RunStore(url)
    manager = JobManager(Here(Trainer(store=store, n_workers=1)), store)
    kept = ended(manager, manager.submit(config, built_in())).kept
    steps_of(manager, manager.submit(replace(config, steps=5_000, n_seeds=10), built_in()), 20)
    told.send(kept)
    threading.Event().wait()


def test_a_killed_process_leaves_its_finished_run_and_a_mark(url, open_lab, tiny):
    trainer, heard = begun(_train, tiny, url)
    kept = heard.recv()
    heard.close()
    trainer.kill()
    trainer.join()

    after = RunStore(url)
    unfinished, finished = rows(url)
    assert (unfinished.state, json.loads(unfinished.settings)["steps"], unfinished.ended) == ("unfinished", 5_000, None)
    assert (finished.state, finished.hash) == ("finished", kept)
    assert from_json(after.document(kept)).config.steps == 50
    assert execute(url, "PRAGMA integrity_check") == [("ok",)]
    assert open_lab(store=after).find(kept)
