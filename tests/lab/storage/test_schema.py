"""The tables of a store: made once, however many ask for them, and left alone where they are of another version."""

import sqlite3

import pytest

from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.processes import at_once
from tests.lab.storage.test_store import ME, RECORD, RUN


def opened_at_once(url, n=4):
    """The number of runs that each of n processes sees that open a store in the same moment."""
    return at_once(_opened, *[url] * n)


def _opened(meet, url):
    store = RunStore(url)
    meet()
    return len(store.listing())


def test_processes_make_a_store_at_once(tmp_path):
    url = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    assert opened_at_once(url) == [0] * 4
    RunStore(url).put(RECORD)
    assert opened_at_once(url) == [1] * 4


@pytest.mark.parametrize(
    ("statement", "version"),
    [
        ("UPDATE store_version SET number = 99", "99"),
        ("UPDATE store_version SET number = 3", "3"),
        ("DROP TABLE store_version", "none"),  # as the first versions had it, or a table of somebody else
    ],
)
def test_a_store_of_another_version_is_refused_by_name_and_left_as_it_is(tmp_path, statement, version):
    path = tmp_path / "lab.sqlite"
    RunStore(f"sqlite:///{path}").put(RECORD)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    before = path.read_bytes()
    for act in (RunStore.listing, RunStore.check, lambda store: store.get(RUN)):
        with pytest.raises(StoreError) as error:
            act(RunStore(f"sqlite:///{path}"))
        assert str(error.value) == (
            "runs must lie in a store of version 4, which this version of the code has, "
            f"got one of version {version}: name another store, or remove this one"
        )
    assert path.read_bytes() == before


def test_a_file_that_somebody_removes_is_made_anew_by_the_process_that_has_it_open(tmp_path):
    path = tmp_path / "lab.sqlite"
    store = RunStore(f"sqlite:///{path}")
    store.put(RECORD)
    path.unlink()
    with pytest.raises(StoreError, match=r"got no such table: runs$"):
        store.get(RUN)
    store.put(RECORD, owner=ME)
    assert [run.hash for run in store.listing()] == [RUN]
