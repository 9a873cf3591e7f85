"""Trained weights: as bytes, in the store with their run, in memory while there is no store, and gone with the run."""

import json
from dataclasses import replace

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model
from pe_core.lab.queue import job
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage import weights
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.lab.storage.weights import from_bytes, to_bytes, trained_model, unpacked
from tests.cases import each, refuses
from tests.lab.running import ended, until
from tests.lab.storage.rows import execute
from tests.lab.storage.test_store import CONFIG, ME, RECORD, RUN, record_of

TOKENS = torch.tensor([[0, 1, 2, 3, 2, 1]])


# As bytes.


@each("key", ENCODINGS)
def test_a_model_comes_back_as_it_was(key, tiny, text):
    model = build_model(replace(tiny, seed=5), key, text).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(1.5)
    again, symbols = from_bytes(to_bytes(model, key, text.vocabulary), tiny, key, len(text.vocabulary))
    assert symbols == text.vocabulary
    assert not again.training
    assert torch.equal(again(TOKENS), model(TOKENS))


def test_bytes_that_are_no_weights_are_refused(tiny, text):
    content = to_bytes(build_model(tiny, "none", text), "none", text.vocabulary)
    for garbage in (b"", b"x", b"\xff" * 100, b"garbage " * 500, content[:-1], content[: len(content) // 2]):
        with pytest.raises(ValueError, match=r"^weights must be in the format of safetensors, got "):
            from_bytes(garbage, tiny, "none", len(text.vocabulary))


def test_weights_of_another_model_are_refused(tiny, text):
    n = len(text.vocabulary)
    content = to_bytes(build_model(tiny, "none", text), "none", text.vocabulary)
    shape = f"embedding.weight of none must have the shape {(n, 32)}, got {(n, 16)}"
    refuses(lambda: from_bytes(content, replace(tiny, d_model=32), "none", n), shape)
    with pytest.raises(ValueError, match=r"^weights of none must hold blocks\.1\."):
        from_bytes(content, replace(tiny, n_layers=2), "none", n)
    refuses(lambda: from_bytes(content, tiny, "alibi", n), "weights must be those of alibi, got those of none")
    learned = to_bytes(build_model(tiny, "learned", text), "none", text.vocabulary)  # a lie
    refuses(lambda: from_bytes(learned, tiny, "none", n), "weights of none must hold nothing else, got encoding.table")


def test_the_vocabulary_goes_with_the_weights_and_is_checked(tiny, text):
    n = len(text.vocabulary)
    tensors, facts = unpacked(to_bytes(build_model(tiny, "none", text), "none", text.vocabulary))
    assert json.loads(facts["symbols"]) == list(text.vocabulary)

    def read(**changed):
        return from_bytes(safetensors.torch.save(tensors, metadata={**facts, **changed}), tiny, "none", n)

    assert read()[1] == text.vocabulary
    one_less = f"symbols must have {n} entries, as in the run, got {n - 1}"
    refuses(lambda: read(symbols=json.dumps(text.vocabulary[1:])), one_less)
    del facts["symbols"]  # as an older version kept them
    refuses(read, "weights must hold their vocabulary, got weights of an older version, which kept none")
    fewer = to_bytes(build_model(tiny, "none", text), "none", text.vocabulary[1:])
    rows = f"embedding.weight of none must have the shape {(n - 1, 16)}, got {(n, 16)}"
    refuses(lambda: from_bytes(fewer, tiny, "none", n - 1), rows)


@given(st.sets(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).map(tuple))
def test_any_vocabulary_comes_back(symbols):
    assert weights.vocabulary_from_json(json.dumps(symbols), len(symbols)) == symbols


@each(
    ("given_text", "problem"),
    [
        ("", "symbols must be a list of single characters, got "),
        ("{", "symbols must be a list of single characters, got {"),
        ("null", "symbols must be a list of single characters, got null"),
        ('{"a": 1}', 'symbols must be a list of single characters, got {"a": 1}'),
        ('["a", 2]', 'symbols must be a list of single characters, got ["a", 2]'),
        ('["a", "bc"]', 'symbols must be a list of single characters, got ["a", "bc"]'),
        ('["a", ""]', 'symbols must be a list of single characters, got ["a", ""]'),
        ("[" * 100_000, "symbols must be a list of single characters, got " + "[" * 40 + " and more"),
        ('["a"]', "symbols must have 2 entries, as in the run, got 1"),
        ('["a", "a"]', "symbols must be different, got 'a' more than once"),
    ],
)
def test_what_is_no_vocabulary_is_refused(given_text, problem):
    refuses(lambda: weights.vocabulary_from_json(given_text, 2), problem)


@each("bad", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_refused(tiny, text, bad):
    tensors, _ = unpacked(to_bytes(build_model(tiny, "none", text), "none", text.vocabulary))
    tensors["head.weight"][0, 0] = bad
    problem = "head.weight of none must hold finite numbers, got infinity or NaN"
    refuses(lambda: trained_model(tensors, tiny, "none", len(text.vocabulary)), problem)


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
    store.remove(RUN)
    assert store.get(RUN) is None
    assert [store.weights(RUN, key, 3) for key in ("rope", "alibi")] == [None, None]
    rest = run_hash(other.config, other.text)
    assert [run.hash for run in store.listing()] == [rest]
    assert store.weights(rest, "rope", 4) == b"three"


def test_a_run_whose_weights_cannot_be_written_is_not_kept_at_all(url):
    store = RunStore(url)
    store.begin(CONFIG, RECORD.text, ME)
    execute(url, "CREATE TRIGGER no BEFORE INSERT ON weights BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(StoreError, match=r"got no room$"):
        store.put(RECORD, {("rope", 3): b"one"})
    assert [run.state for run in store.listing(viewer=ME)] == ["unfinished"]


# In the job queue.


def test_a_finished_run_leaves_memory_for_the_store(open_lab, tiny, url):
    config, task = replace(tiny, encodings=("rope",), n_seeds=2), TASKS["copy"]
    manager = open_lab(store=RunStore(url), n_workers=1)
    job_id = manager.submit(config, task)
    kept = ended(manager, job_id).kept
    assert manager._pool.trainer.weights(job_id, "rope", 0) is None
    for lab, name in ((manager, job_id), (manager, kept), (open_lab(store=RunStore(url)), kept)):
        assert lab.find(name)
        first, second = (lab.weights(name, "rope", seed) for seed in config.seeds)
        assert first != second
        assert from_bytes(second, config, "rope", len(task.vocabulary))[1] == task.vocabulary
        assert lab.weights(name, "none", 0) is None
        assert lab.weights(name, "rope", 7) is None
    manager.remove(kept)
    assert manager.weights(job_id, "rope", 0) is None


def test_without_a_store_the_newest_runs_keep_their_weights(manager, tiny, text, monkeypatch):
    size = len(to_bytes(build_model(tiny, "none", text), "none", text.vocabulary))
    monkeypatch.setattr(job, "KEPT_BYTES", int(2.5 * size))
    ids = []
    for seed in range(3):
        ids.append(manager.submit(replace(tiny, seed=seed), text))
        ended(manager, ids[-1])
    kept = [manager.weights(job_id, "none", seed) is not None for seed, job_id in enumerate(ids)]
    assert kept == [False, True, True]
    from_bytes(manager.weights(ids[-1], "none", 2), tiny, "none", len(text.vocabulary))


def test_weights_that_are_too_large_are_not_kept_though_the_run_is(open_lab, tiny, url, monkeypatch):
    monkeypatch.setattr(job, "KEPT_BYTES", 1_000)
    manager = open_lab(store=RunStore(url), n_workers=1)
    snapshot = ended(manager, manager.submit(tiny, TASKS["copy"]))
    assert snapshot.kept == run_hash(tiny, text_facts(TASKS["copy"]))
    assert manager.weights(snapshot.kept, "none", 0) is None


def test_weights_of_a_run_that_does_not_exist_and_of_one_that_goes_on(endless, manager, tiny, text):
    with pytest.raises(KeyError, match=r"^'bogus'$"):
        manager.weights("bogus", "none", 0)
    job_id = manager.submit(tiny, text)
    until(lambda: manager.snapshot(job_id).steps > 2)
    assert manager.weights(job_id, "none", 0) is None


# Of an own text, which is nobody else's.


def test_the_weights_of_an_own_text_never_reach_the_store(open_lab, tiny, text, url):
    manager = open_lab(store=RunStore(url), n_workers=1)
    job_id = manager.submit(tiny, text)
    kept = ended(manager, job_id).kept
    assert RunStore(url).get(kept) is not None
    assert execute(url, "SELECT * FROM weights") == []
    for name in (job_id, kept):  # for the one who has brought it they are still in memory
        from_bytes(manager.weights(name, "none", 0), tiny, "none", len(text.vocabulary))
    manager.remove(kept)
    assert manager.weights(job_id, "none", 0) is None


def test_the_weights_of_an_own_text_go_when_nobody_looks_at_its_run(clock, manager, tiny, text):
    datasets = {"text": text, "task": TASKS["copy"], "looked at again": text}
    ids = {name: manager.submit(replace(tiny, seed=len(name)), one) for name, one in datasets.items()}
    for job_id in ids.values():
        ended(manager, job_id)

    def has(name):
        return manager.weights(ids[name], "none", len(name)) is not None

    def passes(seconds):
        """Let time go by, and the worker take another run: it looks at all that there are first."""
        clock.now += seconds
        ended(manager, manager.submit(replace(tiny, seed=9), TASKS["copy"]))

    passes(0.9 * job.KEEP_OWN_WEIGHTS)
    assert all(map(has, ids))
    manager.snapshot(ids["looked at again"])
    passes(0.2 * job.KEEP_OWN_WEIGHTS)
    assert [has(name) for name in datasets] == [False, True, True]
