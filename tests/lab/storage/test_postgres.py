"""The store in a PostgreSQL server: what it keeps, users who may only read, a failure."""

import pytest
from sqlalchemy.engine import make_url

from pe_core.lab.storage import store as store_module
from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.rows import rows
from tests.lab.storage.test_store import CONFIG, ME, OWN, OWN_RUN, RECORD, RUN, STRANGER, TEXT, written_at_once

KEY = "own:bias:-a*distance;a=0.5" + "0" * 100


@pytest.fixture
def reader(postgres_server):
    """Returns the address of a database for a user who may only look."""
    postgres_server.execute("DROP ROLE IF EXISTS reader")
    postgres_server.execute("CREATE ROLE reader LOGIN")

    def of(url):
        postgres_server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", url)
        granted.append(url)
        return postgres_server.url(make_url(url).database, "reader")

    granted = []
    yield of
    for url in granted:
        postgres_server.execute("DROP OWNED BY reader", url)
    postgres_server.execute("DROP ROLE reader")


def test_runs_and_weights_are_kept_listed_and_removed(postgres_url):
    store = RunStore(postgres_url)
    store.begin(CONFIG, TEXT, ME)
    assert [(run.hash, run.state) for run in store.listing(viewer=ME)] == [(RUN, "unfinished")]
    assert store.listing(viewer=STRANGER) == []
    store.put(RECORD, {("rope", 3): b"one", (KEY, 3): b"two"}, ME)
    store.put(OWN, {("rope", 3): b"own"}, ME)
    again = RunStore(postgres_url)
    assert again.get(RUN) == RECORD
    assert [again.weights(RUN, key, 3) for key in ("rope", KEY)] == [b"one", b"two"]
    assert [run.hash for run in again.listing()] == [run.hash for run in again.with_weights()] == [RUN]
    assert {run.hash for run in again.with_weights(ME)} == {RUN, OWN_RUN}
    again.remove(RUN)
    assert (store.get(RUN), store.weights(RUN, "rope", 3)) == (None, None)


def test_a_private_run_expires(postgres_url, monkeypatch):
    monkeypatch.setattr(store_module, "KEEP_OWN", 0.0)
    store = RunStore(postgres_url)
    store.put(OWN, {("rope", 3): b"one"}, ME)
    assert (store.get(OWN_RUN), store.owner(OWN_RUN), store.weights(OWN_RUN, "rope", 3)) == (None, None, None)
    assert store.listing(viewer=ME) == rows(postgres_url) == []


def test_processes_make_a_store_and_write_at_once(postgres_url):
    written_at_once(postgres_url)


def test_a_user_who_may_only_look_has_the_list_and_the_runs(postgres_url, reader):
    RunStore(postgres_url).put(RECORD, {("rope", 3): b"one"}, ME)
    store = RunStore(reader(postgres_url))
    assert [run.hash for run in store.listing()] == [run.hash for run in store.with_weights()] == [RUN]
    assert (store.get(RUN), store.owner(RUN), store.weights(RUN, "rope", 3)) == (RECORD, ME, b"one")
    for act in (lambda: store.put(RECORD), lambda: store.remove(RUN), store.check):
        with pytest.raises(StoreError, match=r"got InsufficientPrivilege, of which the log of the server says more$"):
            act()


def test_a_server_that_dies_is_missed_and_found_again_without_a_restart(postgres_server, postgres_url):
    store = RunStore(postgres_url)
    store.put(RECORD, owner=ME)
    postgres_server.kill()
    try:
        with pytest.raises(StoreError, match=r"^runs must lie in a database .*, of which the log of the server"):
            store.listing()
    finally:
        postgres_server.start()
    assert [run.hash for run in store.listing()] == [RUN]
    store.put(OWN)
