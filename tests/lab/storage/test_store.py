"""The store of runs: what it keeps, finds, lists and removes, in several processes, and what it says when it fails."""

import math
import sqlite3
import time
from dataclasses import replace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import TextFacts, text_facts
from pe_core.lab.results.record_file import exact_json
from pe_core.lab.storage import database
from pe_core.lab.storage.run_hash import code_of, run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from tests.cases import each
from tests.lab.seeded import one_seed
from tests.lab.storage.processes import at_once
from tests.lab.storage.rows import execute

CONFIG = RunConfig(("rope", "alibi"), 16, 16, 1, 1, 50, seed=3, repairs=("ntk",))
TEXT = text_facts(built_in())
OWN_TEXT = TextFacts("größte Frage \x00", 5_000, 40, math.log(40), 2.5, "abc123")
ME, STRANGER = "1" * 64, "2" * 64


def record_of(config, loss=math.pi, text=TEXT):
    lengths = tuple(LengthLoss(length, loss / index, loss / 3) for index, length in enumerate(config.lengths, 1))
    own = Measurement(lengths, tuple(loss / index for index in range(1, 129)))
    outcomes = {key: Outcome(7, own.lengths, own.positions) for key in config.encodings}
    outcomes["rope"] = replace(outcomes["rope"], repaired={"ntk": own})
    return one_seed(config, text, dict.fromkeys(config.encodings, (loss, 1 / 3)), outcomes)


RECORD = record_of(CONFIG)
RUN = run_hash(CONFIG, TEXT)
OWN, OWN_RUN = record_of(CONFIG, text=OWN_TEXT), run_hash(CONFIG, OWN_TEXT)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "lab.sqlite"


@pytest.fixture
def store(path):
    return RunStore(f"sqlite:///{path}")


def test_a_finished_run_comes_back_to_the_last_digit_and_another_store_of_the_file_has_it_too(store, path):
    assert store.get(RUN) is None
    store.put(RECORD)
    for one in (store, RunStore(f"sqlite:///{path}")):
        assert one.get(RUN) == RECORD
        assert one.document(RUN) == exact_json(RECORD)
    assert sorted(file.name for file in path.parent.iterdir()) == ["lab.sqlite"]  # nothing waits in a second file


def test_a_run_is_unfinished_until_it_is_kept_and_stays_finished_from_then_on(store):
    before = time.time()
    store.begin(CONFIG, TEXT, ME)
    [run] = store.listing(viewer=ME)
    assert (run.hash, run.state, run.ended, run.ratios) == (RUN, "unfinished", None, {})
    assert before <= run.began <= time.time()
    assert (run.settings, run.text) == (CONFIG.settings(), TEXT)
    assert run.versions["code"] == code_of(CONFIG.encodings)
    assert store.get(RUN) is store.document(RUN) is None
    store.begin(CONFIG, TEXT, ME)
    [again] = store.listing(viewer=ME)
    assert again.began > run.began

    store.put(RECORD)
    [done] = store.listing()
    assert (done.state, done.began) == ("finished", again.began)
    assert done.ended >= again.began
    assert done.ratios == pytest.approx({"rope": 1 / 6, "alibi": 1 / 6})
    store.begin(CONFIG, TEXT)
    assert store.listing() == [done]
    store.put(RECORD)
    assert len(store.listing()) == 1


@each(
    "record", [replace(record_of(CONFIG, math.inf), outcomes={}), record_of(CONFIG, 1e-300), record_of(CONFIG, 5e300)]
)
def test_extreme_losses_are_kept(store, record):
    store.put(record)
    assert store.get(RUN) == record


def test_what_is_no_hash_is_not_looked_for(store, path):
    assert store.get("nope\x00") is None
    assert store.get("x" * 100_000) is None
    assert not path.exists()


def refused(act):
    with pytest.raises(StoreError) as error:
        act()
    sentence, _, reason = str(error.value).partition(", got ")
    assert sentence == "runs must lie in a database that can be read and written"
    return reason


@each(
    ("url", "reason"),
    [
        ("nonsense", "Could not parse SQLAlchemy URL from given URL string"),
        ("nonsense://x", "store must be of SQLite or PostgreSQL, got nonsense"),
        ("sqlite://", "SQLite URL must name a file, got 'sqlite://'"),
        ("sqlite:////proc/none/lab.sqlite", "[Errno 2] No such file or directory: '/proc/none'"),
    ],
)
def test_a_url_that_cannot_be_used(url, reason):
    store = RunStore(url)
    writes = (lambda: store.put(RECORD), lambda: store.begin(CONFIG, TEXT))
    acts = (lambda: store.get(RUN), *writes, store.listing, store.with_weights)
    assert {refused(act) for act in acts} == {reason}


def test_a_database_that_is_not_one(store, path):
    path.parent.mkdir()
    path.write_bytes(b"garbage " * 1_000)
    for act in (store.listing, lambda: store.get(RUN), lambda: store.put(RECORD), lambda: store.remove(RUN)):
        assert refused(act) == "file is not a database"
    assert path.read_bytes() == b"garbage " * 1_000


def test_a_row_that_is_not_one(store, path):
    store.put(RECORD)
    execute(f"sqlite:///{path}", "UPDATE runs SET record = '{', settings = '{'")
    assert refused(lambda: store.get(RUN)).startswith("file must hold JSON, got ")
    assert refused(store.listing).startswith("Expecting property name")


def test_a_database_that_another_one_holds(store, path, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    store.put(RECORD)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    patient = RunStore(f"sqlite:///{path}")
    assert refused(lambda: patient.remove(RUN)) == "database is locked"
    assert patient.get(RUN) == RECORD  # who reads does not wait
    holder.execute("ROLLBACK")
    holder.close()
    patient.remove(RUN)
    assert store.listing() == []


def _write(meet, told):
    url, number = told
    store = RunStore(url)
    meet()
    for own in range(20):
        config = replace(CONFIG, seed=own if own % 2 else 100 * number + own)  # half of them are shared
        store.begin(config, TEXT)
        store.put(record_of(config))


def written_at_once(url):
    """See that a store has all that processes write at once, which have opened it in the moment before any made it."""
    at_once(_write, *[(url, number) for number in (1, 2, 3)])
    store = RunStore(url)
    runs = store.listing()
    assert {run.state for run in runs} == {"finished"}
    shared, own = range(1, 20, 2), range(0, 20, 2)
    assert sorted(run.settings["seed"] for run in runs) == [
        *shared,
        *(100 * n + seed for n in (1, 2, 3) for seed in own),
    ]
    for run in runs:
        assert store.get(run.hash).config.seed == run.settings["seed"]


def test_processes_make_a_store_and_write_at_once(url):
    written_at_once(url)
    assert execute(url, "PRAGMA integrity_check") == [("ok",)]


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
        assert refused(act) == "attempt to write a readonly database"
    assert path.read_bytes() == before


@each(
    ("statement", "version"),
    [
        ("UPDATE store_version SET number = 99", "99"),
        ("UPDATE store_version SET number = 3", "3"),
        ("DROP TABLE store_version", "none"),  # as the first versions had it, or a table of somebody else
    ],
)
def test_a_store_of_another_version_is_refused_by_name_and_left_as_it_is(tmp_path, statement, version):
    path = tmp_path / f"{version}.sqlite"
    url = f"sqlite:///{path}"
    RunStore(url).put(RECORD)
    execute(url, statement)
    before = path.read_bytes()
    for act in (RunStore.listing, RunStore.check, lambda store: store.get(RUN)):
        with pytest.raises(StoreError) as error:
            act(RunStore(url))
        assert str(error.value) == (
            "runs must lie in a store of version 4, which this version of the code has, "
            f"got one of version {version}: name another store, or remove this one"
        )
    assert path.read_bytes() == before


def test_a_file_that_somebody_removes_is_made_anew_by_the_process_that_has_it_open(store, path):
    store.put(RECORD)
    path.unlink()
    assert refused(lambda: store.get(RUN)) == "no such table: runs"
    store.put(RECORD, owner=ME)
    assert [run.hash for run in store.listing()] == [RUN]
