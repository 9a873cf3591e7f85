"""Trained weights: as bytes, in the store with their run, in memory while there is no store, and gone with the run."""

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.schema import CreateTable

from pe_core.encodings import ENCODINGS
from pe_core.lab import memory, weight_store
from pe_core.lab import store as store_module
from pe_core.lab.results import text_facts
from pe_core.lab.run_hash import run_hash
from pe_core.lab.store import RunStore, StoreError
from pe_core.lab.training import build_model
from pe_core.lab.weights import from_bytes, to_bytes, trained_model, unpacked
from tests.lab.running import ended, until
from tests.lab.test_store import CONFIG, RECORD, RUN, record_of

ROOT = Path(__file__).parents[2]
TOKENS = torch.tensor([[0, 1, 2, 3, 2, 1]])


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'lab.sqlite'}"


def message(act):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        act()
    return str(caught.value)


# As bytes.


@pytest.mark.parametrize("key", ENCODINGS)
def test_a_model_comes_back_as_it_was(key, tiny, text):
    model = build_model(replace(tiny, seed=5), key, text).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(1.5)
    again = from_bytes(to_bytes(model, key), tiny, key, len(text.symbols))
    assert not again.training
    assert torch.equal(again(TOKENS), model(TOKENS))


def test_bytes_that_are_no_weights_are_refused(tiny, text):
    content = to_bytes(build_model(tiny, "none", text), "none")
    for garbage in (b"", b"x", b"\xff" * 100, b"garbage " * 500, content[:-1], content[: len(content) // 2]):
        found = message(lambda garbage=garbage: from_bytes(garbage, tiny, "none", len(text.symbols)))
        assert found.startswith("weights must be in the format of safetensors, got ")


def test_weights_of_another_model_are_refused(tiny, text):
    n = len(text.symbols)
    content = to_bytes(build_model(tiny, "none", text), "none")
    wide = replace(tiny, d_model=32)
    shape = f"embedding.weight of none must have the shape {(n, 32)}, got {(n, 16)}"
    assert message(lambda: from_bytes(content, wide, "none", n)) == shape
    deep = replace(tiny, n_layers=2)
    missing = message(lambda: from_bytes(content, deep, "none", n))
    assert missing.startswith("weights of none must hold blocks.1.")
    assert message(lambda: from_bytes(content, tiny, "alibi", n)) == "weights must be those of alibi, got those of none"
    learned = to_bytes(build_model(tiny, "learned", text), "none")  # a lie
    assert message(lambda: from_bytes(learned, tiny, "none", n)) == (
        "weights of none must hold nothing else, got encoding.table"
    )


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_refused(tiny, text, bad):
    tensors, _ = unpacked(to_bytes(build_model(tiny, "none", text), "none"))
    tensors["head.weight"][0, 0] = bad
    found = message(lambda: trained_model(tensors, tiny, "none", len(text.symbols)))
    assert found == "head.weight of none must hold finite numbers, got infinity or NaN"


# In the store.


def test_weights_are_kept_found_and_removed_with_their_run(url):
    store, other = RunStore(url), record_of(replace(CONFIG, seed=4))
    store.put(RECORD, {("rope", 3): b"one", ("alibi", 3): b"two\x00" * 100_000})
    store.put(other, {("rope", 4): b"three"})
    again = RunStore(url)
    assert again.weights(RUN, "rope", 3) == b"one"
    assert again.weights(RUN, "alibi", 3) == b"two\x00" * 100_000
    assert again.weights(RUN, "rope", 4) is None
    assert again.weights("nope\x00", "rope", 3) is None
    store.put(RECORD, {("rope", 3): b"new"})  # kept once more, as by a second worker
    assert [store.weights(RUN, key, 3) for key in ("rope", "alibi")] == [b"new", b"two\x00" * 100_000]
    store.put(RECORD)
    assert store.weights(RUN, "rope", 3) == b"new"
    store.remove(RUN)
    assert [store.weights(RUN, key, 3) for key in ("rope", "alibi")] == [None, None]
    assert store.weights(run_hash(other.config, other.text), "rope", 4) == b"three"


def test_only_the_newest_runs_keep_their_weights(url, monkeypatch):
    monkeypatch.setattr(weight_store, "MOST_RUNS", 3)
    store, runs = RunStore(url), []
    for seed in range(5):
        record = record_of(replace(CONFIG, seed=seed))
        runs.append(run_hash(record.config, record.text))
        store.put(record, {("rope", seed): b"weights"})
    assert [store.weights(run, "rope", seed) for seed, run in enumerate(runs)] == [None] * 2 + [b"weights"] * 3
    assert all(store.get(run) for run in runs)


def test_a_run_whose_weights_cannot_be_written_is_not_kept_at_all(url, tmp_path):
    store = RunStore(url)
    store.begin(CONFIG, RECORD.text)
    with sqlite3.connect(tmp_path / "lab.sqlite") as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON weights BEGIN SELECT RAISE(ABORT, 'no room'); END")
    connection.close()
    with pytest.raises(StoreError, match=r"got no room$"):
        store.put(RECORD, {("rope", 3): b"one"})
    assert [run.state for run in store.listing()] == ["unfinished"]


@pytest.mark.parametrize("dialect", [mysql.dialect(), postgresql.dialect()], ids=["mysql", "postgresql"])
def test_the_table_can_be_made_elsewhere(dialect):
    made = str(CreateTable(store_module._weights, if_not_exists=True).compile(dialect=dialect))
    assert ("LONGBLOB" if dialect.name == "mysql" else "BYTEA") in made
    assert "PRIMARY KEY (hash, encoding, seed)" in made


KILLED = """
import sys
from dataclasses import replace
from itertools import count
from pe_core.lab.store import RunStore
from tests.lab.test_store import CONFIG, record_of
store = RunStore(sys.argv[1])
for seed in count(1):
    store.put(record_of(replace(CONFIG, seed=seed)), {(key, seed): bytes(200_000) for key in CONFIG.encodings})
    print(seed, flush=True)
"""


def test_a_killed_process_leaves_no_run_without_its_weights(url):
    writer = subprocess.Popen([sys.executable, "-c", KILLED, url], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    for _ in range(3):
        writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate(timeout=20)
    after = RunStore(url)
    runs = after.listing()
    assert len(runs) >= 3
    for run in runs:
        found = {after.weights(run.hash, key, run.settings["seed"]) for key in CONFIG.encodings}
        assert found == {bytes(200_000)}


# In the line of runs.


def test_a_finished_run_leaves_memory_for_the_store(open_lab, tiny, text, url):
    config = replace(tiny, encodings=("rope", "alibi"), n_seeds=2)
    manager = open_lab(store=RunStore(url), n_workers=1)
    job_id = manager.submit(config, text)
    kept = ended(manager, job_id).kept
    assert manager._jobs[job_id].weights() == {}
    for lab, name in ((manager, job_id), (manager, kept), (open_lab(store=RunStore(url)), kept)):
        assert lab.find(name)
        for key in config.encodings:
            first, second = (lab.weights(name, key, seed) for seed in config.seeds)
            assert first != second
            from_bytes(second, config, key, len(text.symbols))
        assert lab.weights(name, "none", 0) is None
        assert lab.weights(name, "rope", 7) is None
    manager.remove(kept)
    assert manager.weights(job_id, "rope", 0) is None


def test_without_a_store_the_newest_runs_keep_their_weights(open_lab, tiny, text, monkeypatch):
    manager = open_lab(n_workers=1)
    size = len(to_bytes(build_model(tiny, "none", text), "none"))
    monkeypatch.setattr(memory, "KEPT_BYTES", int(2.5 * size))
    ids = []
    for seed in range(4):
        ids.append(manager.submit(replace(tiny, seed=seed), text))
        ended(manager, ids[-1])
    assert [manager.weights(job_id, "none", seed) is not None for seed, job_id in enumerate(ids)] == [
        False,
        False,
        True,
        True,
    ]
    from_bytes(manager.weights(ids[-1], "none", 3), tiny, "none", len(text.symbols))


def test_weights_that_are_too_large_are_not_kept_though_the_run_is(open_lab, tiny, text, url, monkeypatch):
    monkeypatch.setattr(memory, "KEPT_BYTES", 1_000)
    manager = open_lab(store=RunStore(url), n_workers=1)
    snapshot = ended(manager, manager.submit(tiny, text))
    assert snapshot.kept == run_hash(tiny, text_facts(text))
    assert manager.weights(snapshot.kept, "none", 0) is None


def test_weights_of_a_run_that_does_not_exist_and_of_one_that_goes_on(open_lab, endless, tiny, text):
    manager = open_lab(n_workers=1)
    with pytest.raises(KeyError, match=r"^'bogus'$"):
        manager.weights("bogus", "none", 0)
    job_id = manager.submit(tiny, text)
    until(lambda: manager.snapshot(job_id).steps > 2)
    assert manager.weights(job_id, "none", 0) is None
