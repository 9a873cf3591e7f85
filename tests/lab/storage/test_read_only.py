"""Stores that can only be read, of older versions too: they give their runs, and say that they cannot be written."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from pe_core.lab.results.record_file import from_json
from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.older import finished, has_weights
from tests.lab.storage.test_store import ME, RECORD, RUN

NOBODY = 65534  # the user


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
