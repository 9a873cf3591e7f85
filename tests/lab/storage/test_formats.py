"""Stores of older and newer versions: they open, keep their runs, and say what they cannot do."""

import sqlite3

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool

from pe_core.lab.results.record_file import from_json
from pe_core.lab.storage import database, migrations
from pe_core.lab.storage.migrations import VERSION
from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.older import FORMATS, finished, has_weights, of, opened_at_once
from tests.lab.storage.rows import rows
from tests.lab.storage.test_store import ME, OWN_TEXT, RECORD, RUN, record_of

VERSIONS = [int(file.stem) for file in FORMATS]
DIARY = "my-diary.txt"  # what somebody's file was called, which older versions kept


def test_there_is_a_store_of_every_older_version():
    assert list(range(1, VERSION)) == VERSIONS


def test_an_older_store_opens_with_all_its_runs(older):
    (public, record), (own, own_record) = finished(older)
    [unfinished] = [run for [run] in of(older, "SELECT hash FROM runs WHERE state = 'unfinished'")]
    store = RunStore(f"sqlite:///{older}")
    assert [run.hash for run in store.listing()] == [public]
    assert store.document(public) == record
    assert store.get(public) == from_json(record)
    assert store.get(own).curves == from_json(own_record).curves
    assert {store.owner(run) for run in (public, own, unfinished)} == {""}
    assert {run.hash: (run.private, run.expires) for run in rows(f"sqlite:///{older}")} == {
        public: (False, None),
        own: (True, None),
        unfinished: (False, None),
    }


def test_an_older_store_can_be_written_after_it_was_opened(older):
    store = RunStore(f"sqlite:///{older}")
    store.put(RECORD, {("rope", 3): b"one"}, ME)
    store.put(record_of(RECORD.config, text=OWN_TEXT), owner=ME)
    assert store.get(RUN) == RECORD
    assert store.weights(RUN, "rope", 3) == b"one"
    assert len(store.listing(viewer=ME)) == 3
    again = RunStore(f"sqlite:///{older}")
    assert again.listing(viewer=ME) == store.listing(viewer=ME)


def test_weights_and_file_names_of_own_texts_are_forgotten(older):
    (public, _), (own, _) = finished(older)
    assert DIARY in str(of(older, "SELECT * FROM runs"))
    had = has_weights(older)
    store = RunStore(f"sqlite:///{older}")
    assert store.weights(own, "alibi", 3) is None
    assert (store.weights(public, "alibi", 3) is not None) == had
    assert [run.hash for run in store.with_weights()] == ([public] if had else [])
    assert DIARY not in str(of(older, "SELECT * FROM runs"))
    assert store.get(own).text.name == "own text"


def test_an_older_store_gets_the_tables_of_a_new_one(older, tmp_path):
    RunStore(f"sqlite:///{older}").listing()
    RunStore(f"sqlite:///{tmp_path / 'new.sqlite'}").listing()
    brought, new = _tables(older), _tables(tmp_path / "new.sqlite")
    assert brought == new
    assert set(new) == {"runs", "weights", "store_version"}
    assert of(older, "SELECT number FROM store_version") == [(VERSION,)]


def _tables(path):
    """The columns of each table and the indexes, in no order; SQLite pays no heed to the length of a text."""
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    look, found = inspect(engine), {}
    for table in look.get_table_names():
        columns = {one["name"]: (one["type"].__class__, one["nullable"]) for one in look.get_columns(table)}
        found[table] = columns, look.get_indexes(table), look.get_pk_constraint(table)
    return found


@pytest.mark.parametrize("damaged", ["text", "record"])
def test_a_damaged_row_keeps_no_store_from_opening(older, damaged):
    (public, _), (own, _) = finished(older)
    connection = sqlite3.connect(older)
    connection.execute(f"UPDATE runs SET {damaged} = '{{' WHERE hash = ?", (own,))
    connection.commit()
    connection.close()
    store = RunStore(f"sqlite:///{older}")
    assert [run.hash for run in store.listing()] == [public]


def test_processes_open_an_older_store_at_once(older):
    assert opened_at_once(f"sqlite:///{older}") == [(VERSION, 1)] * 4


def test_processes_make_a_store_at_once(tmp_path):
    assert opened_at_once(f"sqlite:///{tmp_path / 'lab.sqlite'}") == [(VERSION, 0)] * 4


# What goes wrong on the way.


def test_a_failure_on_the_way_leaves_the_older_store_as_it_was_and_readable(older, monkeypatch):
    def full(*arguments, **options):
        raise sqlite3.OperationalError("database or disk is full")

    before, (public, _) = of(older, "SELECT * FROM runs"), finished(older)
    had = has_weights(older)
    monkeypatch.setattr(migrations.LISTED, "create", full)
    store = RunStore(f"sqlite:///{older}")
    with pytest.raises(StoreError, match=r"got database or disk is full$"):
        store.put(RECORD)
    assert of(older, "SELECT * FROM runs") == before
    assert (has_weights(older), of(older, "SELECT 1 FROM sqlite_master WHERE name = 'store_version'")) == (had, [])
    monkeypatch.undo()
    assert [run.hash for run in store.listing()] == [public[0]]


def test_a_change_that_was_cut_short_is_taken_again(older):
    """As a database leaves it that changes its tables outside of transactions."""
    public, _ = finished(older)
    connection = sqlite3.connect(older)
    connection.execute("CREATE TABLE store_version (number INTEGER NOT NULL PRIMARY KEY)")
    connection.execute("ALTER TABLE runs ADD COLUMN owner VARCHAR(64) DEFAULT '' NOT NULL")
    connection.commit()
    connection.close()
    store = RunStore(f"sqlite:///{older}")
    assert [run.hash for run in store.listing()] == [public[0]]
    store.put(RECORD, {("rope", 3): b"one"}, ME)
    assert store.weights(RUN, "rope", 3) == b"one"


def test_an_older_store_that_another_process_holds_is_read_as_it_is(older, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    public, _ = finished(older)
    holder = sqlite3.connect(older, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    store = RunStore(f"sqlite:///{older}")
    assert [run.hash for run in store.listing()] == [public[0]]
    with pytest.raises(StoreError, match=r"got database is locked$"):
        store.put(RECORD)
    holder.execute("ROLLBACK")
    holder.close()
    store.put(RECORD)
    assert len(store.listing()) == 2


# Stores of a newer version.


@pytest.mark.parametrize("act", [RunStore.listing, RunStore.check, lambda store: store.get(RUN)])
def test_a_store_of_a_newer_version_is_refused_by_name(tmp_path, act):
    url = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    RunStore(url).put(RECORD)
    connection = sqlite3.connect(tmp_path / "lab.sqlite")
    connection.execute("UPDATE store_version SET number = 99")
    connection.commit()
    connection.close()
    before = (tmp_path / "lab.sqlite").read_bytes()
    with pytest.raises(StoreError) as error:
        act(RunStore(url))
    assert str(error.value) == (
        f"runs must lie in a store of version {VERSION} or older, which this version of the code knows, "
        "got one of version 99, which a newer version has made"
    )
    assert (tmp_path / "lab.sqlite").read_bytes() == before


def test_a_file_that_somebody_removes_is_made_anew_by_the_process_that_has_it_open(tmp_path):
    path = tmp_path / "lab.sqlite"
    store = RunStore(f"sqlite:///{path}")
    store.put(RECORD)
    path.unlink()
    with pytest.raises(StoreError, match=r"got no such table: runs$"):
        store.listing()
    store.put(RECORD)
    assert [run.hash for run in store.listing()] == [RUN]
