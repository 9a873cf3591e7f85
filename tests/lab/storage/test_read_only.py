"""Stores that can only be read: they give their runs, and say that they cannot be written."""

import pytest

from pe_core.lab.storage.store import RunStore, StoreError
from tests.cases import each
from tests.lab.storage.test_store import CONFIG, ME, RECORD, RUN, TEXT


@each("option", ["mode=ro", "immutable=1"])
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
    for act in (lambda: store.put(RECORD), lambda: store.begin(CONFIG, TEXT), lambda: store.remove(RUN), store.check):
        with pytest.raises(StoreError, match=r"got attempt to write a readonly database$"):
            act()
    assert path.read_bytes() == before
