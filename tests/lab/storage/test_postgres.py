"""The store in a PostgreSQL server: what it keeps, stores of older versions, users who may only read, a failure."""

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool

from pe_core.lab.storage.migrations import VERSION
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from tests.lab.storage.older import opened_at_once
from tests.lab.storage.rows import rows
from tests.lab.storage.test_store import CONFIG, ME, OWN_TEXT, RECORD, RUN, STRANGER, TEXT, record_of

OWN = record_of(CONFIG, text=OWN_TEXT)
OWN_RUN = run_hash(CONFIG, OWN_TEXT)
KEY = "own:bias:-a*distance;a=0.5" + "0" * 100
# As the code of version 2 made them in PostgreSQL; of version 1 without the second one.
OLDER_RUNS = """
CREATE TABLE runs (
    hash VARCHAR(64) NOT NULL, state VARCHAR(16) NOT NULL, began DOUBLE PRECISION NOT NULL, ended DOUBLE PRECISION,
    settings TEXT NOT NULL, text TEXT NOT NULL, versions TEXT NOT NULL, ratios TEXT, record TEXT, PRIMARY KEY (hash)
)"""
OLDER_WEIGHTS = """
CREATE TABLE weights (
    hash VARCHAR(64) NOT NULL, encoding VARCHAR(64) NOT NULL, seed INTEGER NOT NULL, content BYTEA NOT NULL,
    PRIMARY KEY (hash, encoding, seed)
)"""


@pytest.fixture
def older_url(postgres_server, postgres_url, tmp_path):
    """A store of version 2 with a public run and one of an own text, and a user `reader` who may only look."""
    for statement in (OLDER_RUNS, OLDER_WEIGHTS):
        postgres_server.execute(statement, postgres_url)
    new = RunStore(f"sqlite:///{tmp_path / 'lab.sqlite'}")
    for record in (OWN, RECORD):
        new.put(record)
    copied = ["hash", "state", "began", "ended", "settings", "text", "versions", "ratios", "record"]
    values = [{name: getattr(row, name) for name in copied} for row in rows(f"sqlite:///{tmp_path / 'lab.sqlite'}")]
    named = ", ".join(f"%({name})s" for name in copied)
    with create_engine(postgres_url, poolclass=NullPool).begin() as connection:
        connection.exec_driver_sql(f"INSERT INTO runs ({', '.join(copied)}) VALUES ({named})", values)
        connection.exec_driver_sql("INSERT INTO weights SELECT hash, 'rope', 3, 'one' FROM runs")
    return postgres_url


def _tables(url):
    return inspect(create_engine(url, poolclass=NullPool)).get_table_names()


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


def test_a_private_run_expires(postgres_url):
    store = RunStore(postgres_url, keep_own=0.0)
    store.put(OWN, {("rope", 3): b"one"}, ME)
    assert (store.get(OWN_RUN), store.owner(OWN_RUN), store.weights(OWN_RUN, "rope", 3)) == (None, None, None)
    assert store.listing(viewer=ME) == rows(postgres_url) == []


def test_an_older_store_opens_and_can_be_written(older_url):
    store = RunStore(older_url)
    assert [run.hash for run in store.listing()] == [RUN]
    assert (store.get(RUN), store.get(OWN_RUN).curves) == (RECORD, OWN.curves)
    assert (store.weights(RUN, "rope", 3), store.weights(OWN_RUN, "rope", 3)) == (b"one", None)
    store.put(RECORD, {(KEY, 3): b"two"})  # longer than keys were
    assert store.weights(RUN, KEY, 3) == b"two"
    columns = {one["name"] for one in inspect(create_engine(older_url, poolclass=NullPool)).get_columns("runs")}
    assert columns >= {"owner", "private", "expires"}


def test_a_store_without_weights_opens(postgres_server, postgres_url):
    postgres_server.execute(OLDER_RUNS, postgres_url)
    store = RunStore(postgres_url)
    store.put(RECORD, {(KEY, 3): b"one"})
    assert store.weights(RUN, KEY, 3) == b"one"


def test_processes_open_an_older_store_at_once(older_url):
    assert opened_at_once(older_url) == [(VERSION, 1)] * 4


def test_processes_make_a_store_at_once(postgres_url):
    assert opened_at_once(postgres_url) == [(VERSION, 0)] * 4


@pytest.mark.parametrize("upgraded", [False, True])
def test_a_user_who_may_only_look_has_the_list_and_the_runs(older_url, reader, upgraded):
    if upgraded:
        RunStore(older_url).listing()
    store = RunStore(reader(older_url))
    assert [run.hash for run in store.listing()] == [run.hash for run in store.with_weights()] == [RUN]
    assert (store.get(RUN), store.owner(RUN), store.weights(RUN, "rope", 3)) == (RECORD, "", b"one")
    for act in (lambda: store.put(RECORD), lambda: store.remove(RUN), store.check):
        with pytest.raises(StoreError, match=r"got InsufficientPrivilege, of which the log of the server says more$"):
            act()
    assert ("store_version" in _tables(older_url)) == upgraded


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
