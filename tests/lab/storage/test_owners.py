"""Whose a run is, who sees it in a list, how long it is kept, and whose weights make room for whose."""

import time
from dataclasses import replace

import pytest
from sqlalchemy import event

from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage import store as store_module
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import KEEP_OWN, RunStore, StoreError
from tests.cases import each
from tests.lab.storage.rows import execute, rows
from tests.lab.storage.test_store import CONFIG, ME, OWN, OWN_RUN, OWN_TEXT, RECORD, RUN, STRANGER, TEXT, record_of

WEIGHTS = {("rope", 3): b"one"}
SHORT = 100.0


@pytest.fixture
def clock(monkeypatch):
    """A time that goes on by a second whenever it is asked for, and by more where a test says so."""
    now = [time.time()]

    def tick():
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr(store_module.time, "time", tick)
    return now


@pytest.fixture
def soon(clock, monkeypatch):
    """The clock of a store that keeps private runs for `SHORT` seconds."""
    monkeypatch.setattr(store_module, "KEEP_OWN", SHORT)
    return clock


def of_seed(seed, text=TEXT):
    return record_of(replace(CONFIG, seed=seed), text=text)


def seeds(runs):
    return [run.settings["seed"] for run in runs]


# Owners.


def test_a_run_keeps_its_first_owner(url):
    store = RunStore(url)
    assert store.owner(RUN) is None
    store.begin(CONFIG, TEXT, ME)
    store.begin(CONFIG, TEXT, STRANGER)
    assert store.owner(RUN) == ME
    store.put(RECORD, owner=STRANGER)
    store.put(RECORD)
    assert store.owner(RUN) == ME
    store.remove(RUN)
    store.put(RECORD, owner=STRANGER)
    assert store.owner(RUN) == STRANGER


def test_nobodys_run_is_taken_over_while_it_is_unfinished_and_not_afterwards(url):
    store = RunStore(url)
    store.begin(CONFIG, TEXT)
    assert store.owner(RUN) == ""
    store.begin(CONFIG, TEXT, ME)
    assert store.owner(RUN) == ME
    other = of_seed(4)
    store.put(other)
    store.put(other, owner=ME)
    assert store.owner(run_hash(other.config, TEXT)) == ""


@each("owner", ["me", "1" * 63, "G" * 64, "1" * 65])
def test_an_owner_that_is_none_is_refused(url, owner):
    store = RunStore(url)
    for act in (lambda: store.begin(CONFIG, TEXT, owner), lambda: store.put(RECORD, owner=owner)):
        with pytest.raises(StoreError, match=r"got owner must be 64 hexadecimal digits, or empty, got '"):
            act()
    assert store.owner("nope") is None


# Lists.


def test_others_see_finished_public_runs_alone_and_nobody_those_that_are_nobodys(url):
    store = RunStore(url)
    store.put(RECORD, owner=ME)
    store.put(RunRecord(CONFIG, text_facts(TASKS["copy"])), owner=ME)
    store.begin(replace(CONFIG, seed=4), TEXT, ME)
    store.put(OWN, owner=ME)
    store.begin(replace(CONFIG, seed=4), OWN_TEXT, ME)
    assert [run.text.name for run in store.listing(viewer=STRANGER)] == [TASKS["copy"].name, TEXT.name]
    assert store.listing() == store.listing(viewer=STRANGER)
    assert len(store.listing(viewer=ME)) == 5
    assert {run.owner for run in store.listing()} == {ME}
    before = store.listing()
    nobodys = of_seed(5, OWN_TEXT)
    store.put(nobodys)
    store.begin(replace(CONFIG, seed=6), TEXT)
    assert store.listing() == before
    assert len(store.listing(viewer=ME)) == 5
    assert store.get(run_hash(nobodys.config, OWN_TEXT)) == nobodys  # whoever has its link


def test_the_list_has_the_newest_public_runs_whatever_unfinished_and_private_ones_there_are(url, clock):
    store = RunStore(url)
    for seed in range(3):
        store.put(of_seed(seed))
    for seed in range(10, 13):
        store.begin(replace(CONFIG, seed=seed), TEXT, STRANGER)
        store.put(of_seed(seed, OWN_TEXT), owner=STRANGER)
    assert seeds(store.listing(2, ME)) == [2, 1]


def test_the_list_is_chosen_by_the_database_from_its_index(url):
    store, asked = RunStore(url), []
    store.put(RECORD)
    event.listen(store._database._engine, "connect", lambda raw, _: raw.set_trace_callback(asked.append))
    store.listing(200, ME)
    [question] = [one for one in asked if "LIMIT 200" in one]
    assert "USING COVERING INDEX runs_listed" in str(execute(url, f"EXPLAIN QUERY PLAN {question}"))


# How long runs are kept.


def test_public_runs_are_kept_for_good_and_private_ones_a_week(url):
    store, before = RunStore(url), time.time()
    for keep in (lambda text: store.begin(CONFIG, text, ME), lambda text: store.put(record_of(CONFIG, text=text))):
        keep(TEXT)
        keep(OWN_TEXT)
        kept = {run.hash: run.expires for run in store.listing(viewer=ME)}
        assert kept[RUN] is None
        assert before + KEEP_OWN <= kept[OWN_RUN] <= time.time() + KEEP_OWN


def test_an_expired_run_is_found_by_nobody_and_goes_with_its_weights_when_somebody_lists_or_writes(url, soon):
    store = RunStore(url)
    for act in (store.listing, lambda: store.put(RECORD), lambda: store.begin(CONFIG, TEXT)):
        store.put(OWN, WEIGHTS, ME)
        store.put(RECORD, WEIGHTS, ME)
        assert store.get(OWN_RUN) == OWN
        soon[0] += SHORT
        asked = (store.get, store.document, store.owner, lambda run: store.weights(run, "rope", 3))
        assert [ask(OWN_RUN) for ask in asked] == [None] * 4
        assert [run.hash for run in store.with_weights(ME)] == [RUN]
        assert {run.hash for run in rows(url)} == {RUN, OWN_RUN}
        act()
        assert execute(url, "SELECT hash FROM runs UNION SELECT hash FROM weights") == [(RUN,)]


def test_a_private_run_that_is_trained_again_is_kept_longer_and_an_expired_one_can_be_anothers(url, soon):
    store = RunStore(url)
    store.begin(CONFIG, OWN_TEXT, ME)
    soon[0] += 80.0
    store.put(OWN, owner=ME)
    soon[0] += 80.0
    assert store.get(OWN_RUN) == OWN
    soon[0] += SHORT
    store.put(OWN, owner=STRANGER)
    assert store.owner(OWN_RUN) == STRANGER
    assert [run.hash for run in store.listing(viewer=STRANGER)] == [OWN_RUN]


def test_a_store_that_is_only_read_has_its_list_though_runs_have_expired(url, tmp_path, soon):
    store = RunStore(url)
    store.put(OWN, owner=ME)
    store.put(RECORD)
    soon[0] += SHORT
    read_only = RunStore(f"sqlite:///file:{tmp_path / 'lab.sqlite'}?mode=ro&uri=true")
    assert [run.hash for run in read_only.listing(viewer=ME)] == [RUN]
    assert {run.hash for run in rows(url)} == {RUN, OWN_RUN}


# Weights.


def with_weights(store, viewer=""):
    return seeds(store.with_weights(viewer))


def test_the_runs_that_ended_last_keep_their_weights_and_those_without_push_out_none(url, monkeypatch, clock):
    monkeypatch.setattr(store_module, "MAX_WITH_WEIGHTS", 2)
    store = RunStore(url)
    store.begin(replace(CONFIG, seed=1), TEXT, ME)
    for seed in (2, 3, 4):
        store.put(of_seed(seed), WEIGHTS)
        store.put(of_seed(seed + 10))
        store.begin(replace(CONFIG, seed=seed + 20), TEXT, STRANGER)
    assert with_weights(store) == [4, 3]
    store.put(of_seed(1), WEIGHTS, ME)  # it has taken long
    assert with_weights(store) == [4, 1]
    assert all(store.get(run_hash(replace(CONFIG, seed=seed), TEXT)) for seed in (1, 2, 3, 4))


def test_private_and_public_weights_make_no_room_for_each_other(url, monkeypatch, clock):
    monkeypatch.setattr(store_module, "MAX_WITH_WEIGHTS", 2)
    monkeypatch.setattr(store_module, "MAX_OWN_WITH_WEIGHTS", 3)
    store = RunStore(url)
    for seed in (1, 2):
        store.put(of_seed(seed), WEIGHTS)
    store.put(of_seed(3, OWN_TEXT), WEIGHTS, STRANGER)
    for seed in range(4, 9):
        store.put(of_seed(seed, OWN_TEXT), WEIGHTS, ME)
    assert with_weights(store) == [2, 1]
    assert with_weights(store, ME) == [8, 7, 6, 2, 1]
    assert with_weights(store, STRANGER) == [3, 2, 1]
    store.put(of_seed(9), WEIGHTS)
    assert with_weights(store, ME) == [9, 8, 7, 6, 2]
