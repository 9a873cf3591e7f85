"""A job queue with a store: known runs are there at once, finished ones are kept, and no failure ends a run."""

import json
import threading
from dataclasses import replace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.queue.jobs import JobManager
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.record_file import from_json
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.running import Here, alone, ended, never, steps_of
from tests.lab.storage.processes import begun
from tests.lab.storage.rows import execute, rows

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
    with pytest.raises(ValueError, match=r"^queue must have fewer than 1 runs to take another, got 1$"):
        manager.submit(replace(tiny, seed=2), text)


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
