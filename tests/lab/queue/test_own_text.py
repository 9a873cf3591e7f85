"""A text that somebody brings along is nobody else's: what becomes of the weights that have learned it."""

import sqlite3
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.queue import memory, trainer
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.lab.storage.weights import from_bytes
from tests.lab.running import ended, until
from tests.lab.storage.test_store import CONFIG, RECORD, RUN, record_of


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'lab.sqlite'}"


def test_the_weights_of_an_own_text_never_reach_the_store(open_lab, tiny, text, url, tmp_path):
    manager = open_lab(store=RunStore(url), n_workers=1)
    job_id = manager.submit(tiny, text)
    kept = ended(manager, job_id).kept
    assert RunStore(url).get(kept) is not None
    assert RunStore(url).with_weights() == []
    with sqlite3.connect(tmp_path / "lab.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM weights").fetchone() == (0,)
    connection.close()
    for name in (job_id, kept):  # for the one who has brought it they are still in memory
        from_bytes(manager.weights(name, "none", 0), tiny, "none", len(text.vocabulary))
    manager.remove(kept)
    assert manager.weights(job_id, "none", 0) is None


def test_the_weights_of_an_own_text_go_some_minutes_after_its_page(open_lab, tiny, text, monkeypatch):
    clock = SimpleNamespace(ahead=0.0)
    monkeypatch.setattr(trainer, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + clock.ahead))
    manager = open_lab(n_workers=1)
    datasets = {"text": text, "task": TASKS["copy"], "looked at again": text}
    ids = {name: manager.submit(replace(tiny, seed=len(name)), one) for name, one in datasets.items()}
    for job_id in ids.values():
        ended(manager, job_id)
        manager.release(job_id)
    manager.snapshot(ids["looked at again"])

    def has(name):
        return manager.weights(ids[name], "none", len(name)) is not None

    clock.ahead = 0.9 * memory.COMES_BACK
    time.sleep(1.5)  # workers look at least once a second
    assert all(map(has, ids))
    clock.ahead = 1.1 * memory.COMES_BACK
    until(lambda: not has("text"))
    assert has("task")
    assert has("looked at again")


def test_weights_of_own_texts_that_an_earlier_version_kept_are_forgotten(url):
    public = replace(RECORD, text=text_facts(built_in()))
    store = RunStore(url)
    for record in (RECORD, public):
        store.put(record, {("rope", 3): b"one"})
    store.drop_own_weights()
    assert store.weights(RUN, "rope", 3) is None
    assert store.get(RUN) is not None
    assert store.weights(run_hash(public.config, public.text), "rope", 3) == b"one"


def test_runs_that_may_not_be_seen_take_no_place_in_the_list(url):
    store = RunStore(url)
    for seed in range(4):
        store.put(record_of(replace(CONFIG, seed=seed)))
    even = store.listing(2, seen=lambda run: run.settings["seed"] % 2 == 0)
    assert [run.settings["seed"] for run in even] == [2, 0]
