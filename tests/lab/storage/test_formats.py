"""Stores of older and newer versions: they open, keep their runs, and say what they cannot do."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool

from pe_core.lab.results.record_file import from_json
from pe_core.lab.storage.migrations import VERSION
from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.rows import rows
from tests.lab.storage.test_store import ME, OWN_TEXT, RECORD, RUN, record_of

ROOT = Path(__file__).parents[3]
FORMATS = sorted((Path(__file__).parent / "formats").glob("*.sqlite"))
VERSIONS = [int(file.stem) for file in FORMATS]
NOBODY = 65534  # the user
DIARY = "my-diary.txt"  # what somebody's file was called, which older versions kept


@pytest.fixture(params=FORMATS, ids=lambda file: f"version-{file.stem}")
def older(request, tmp_path):
    """A copy of a store of an older version."""
    return Path(shutil.copy(request.param, tmp_path / "lab.sqlite"))


def of(path, question):
    """What a plain connection finds in the file."""
    connection = sqlite3.connect(path)
    found = connection.execute(question).fetchall()
    connection.close()
    return found


def finished(path):
    """The hashes and records of the finished runs as the older version wrote them: of the built-in text, of an own."""
    public, own = of(path, "SELECT hash, record FROM runs WHERE state = 'finished' ORDER BY began")
    return public, own


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


def has_weights(path):
    """Whether the store of an older version has a table of weights."""
    return bool(of(path, "SELECT 1 FROM sqlite_master WHERE name = 'weights'"))


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


OPENER = """
import sys
from pe_core.lab.storage.store import RunStore
store = RunStore(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
with store._database.reading() as (_, version):
    print(version)
print(len(store.listing()))
"""


def opened_at_once(url, n=4):
    """What processes say that open a store in the same moment."""
    options = {"cwd": ROOT, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    openers = [subprocess.Popen([sys.executable, "-c", OPENER, url], **options) for _ in range(n)]
    for opener in openers:
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        opener.stdin.write("\n")
        opener.stdin.flush()
    return [opener.communicate(timeout=60)[0].strip() for opener in openers]


def test_processes_open_an_older_store_at_once(older):
    assert opened_at_once(f"sqlite:///{older}") == [f"{VERSION}\n1"] * 4


def test_processes_make_a_store_at_once(tmp_path):
    assert opened_at_once(f"sqlite:///{tmp_path / 'lab.sqlite'}") == [f"{VERSION}\n0"] * 4


# Stores that can only be read.


def gives_its_runs(url, older):
    """The store at this address, which is as `older`, has all that it had, and refuses to be written."""
    (public, record), (own, own_record) = finished(older)
    store = RunStore(url)
    [run] = store.listing(viewer=ME)
    assert (run.hash, run.state, run.owner, run.expires) == (public, "finished", "", None)
    assert [run.hash for run in store.with_weights(ME)] == ([public] if has_weights(older) else [])
    assert (store.weights(public, "alibi", 3) is not None) == has_weights(older)
    assert (store.document(public), store.get(own)) == (record, from_json(own_record))
    assert (store.owner(public), store.owner("0" * 64)) == ("", None)
    for act in (lambda: store.put(RECORD), lambda: store.remove(public), store.drop_expired, store.check):
        with pytest.raises(StoreError, match=r"got attempt to write a readonly database$"):
            act()


@pytest.mark.parametrize("option", ["mode=ro", "immutable=1"])
def test_an_older_store_that_can_only_be_read_stays_as_it_is(older, option):
    before = older.read_bytes()
    gives_its_runs(f"sqlite:///file:{older}?{option}&uri=true", older)
    assert older.read_bytes() == before


@contextmanager
def fixed(path):
    """A copy of a file in a folder where nobody may write, for a user who is not the administrator."""
    folder = Path(tempfile.mkdtemp())
    copy = Path(shutil.copy(path, folder))
    copy.chmod(0o444)
    folder.chmod(0o555)
    me = os.getuid()
    try:
        if me == 0:
            os.setresuid(NOBODY, NOBODY, me)  # and back again below
        yield copy
    finally:
        if me == 0:
            os.setresuid(me, me, me)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_an_older_store_in_a_folder_without_permission_is_read(older):
    (public, record), _ = finished(older)
    with fixed(older) as path:
        store = RunStore(f"sqlite:///{path}")
        assert [run.hash for run in store.listing()] == [public]
        assert store.document(public) == record
        assert sorted(file.name for file in path.parent.iterdir()) == ["lab.sqlite"]
        with pytest.raises(StoreError, match=r"got attempt to write a readonly database$"):
            store.put(RECORD)


def test_a_store_of_this_version_in_a_folder_without_permission_is_read(tmp_path):
    RunStore(f"sqlite:///{tmp_path / 'lab.sqlite'}").put(RECORD)
    with fixed(tmp_path / "lab.sqlite") as path:
        store = RunStore(f"sqlite:///{path}")
        assert [run.hash for run in store.listing()] == [RUN]
        with pytest.raises(StoreError, match=r"got attempt to write a readonly database$"):
            store.check()


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
