"""Stores that can only be read: they give their runs, and say that they cannot be written."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.test_store import ME, RECORD, RUN

NOBODY = 65534  # the user


@pytest.mark.parametrize("option", ["mode=ro", "immutable=1"])
def test_a_store_that_can_only_be_read_gives_its_runs_and_stays_as_it_is(tmp_path, option):
    path = tmp_path / "lab.sqlite"
    RunStore(f"sqlite:///{path}").put(RECORD, {("rope", 3): b"one"}, ME)
    before = path.read_bytes()
    store = RunStore(f"sqlite:///file:{path}?{option}&uri=true")
    [run] = store.listing(viewer=ME)
    assert (run.hash, run.state, run.owner, run.expires) == (RUN, "finished", ME, None)
    assert [run.hash for run in store.with_weights(ME)] == [RUN]
    assert (store.get(RUN), store.weights(RUN, "rope", 3)) == (RECORD, b"one")
    assert (store.owner(RUN), store.owner("0" * 64)) == (ME, None)
    for act in (lambda: store.put(RECORD), lambda: store.remove(RUN), store.check):
        with pytest.raises(StoreError, match=r"got attempt to write a readonly database$"):
            act()
    assert path.read_bytes() == before


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


def test_a_store_of_this_version_in_a_folder_without_permission_is_read(tmp_path):
    RunStore(f"sqlite:///{tmp_path / 'lab.sqlite'}").put(RECORD)
    with fixed(tmp_path / "lab.sqlite") as path:
        store = RunStore(f"sqlite:///{path}")
        assert [run.hash for run in store.listing()] == [RUN]
        with pytest.raises(StoreError, match=r"got attempt to write a readonly database$"):
            store.check()
