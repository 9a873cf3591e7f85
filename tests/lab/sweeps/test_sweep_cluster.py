"""A sweep on a Dask cluster of this machine, one of whose workers is killed in the middle of a run."""

import csv
import os
import signal
from collections import Counter
from threading import Thread

import pytest
from distributed import LocalCluster

from pe_core.lab import sweep_cli
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps import sweep
from pe_core.lab.sweeps.pool import on_cluster
from pe_core.lab.sweeps.sweep import trials
from tests.lab.pooled import square, stumble
from tests.lab.running import until
from tests.lab.sweeping import SHARED

pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories:UserWarning")  # after a second
SMALL = [f"--{name.replace('_', '-')}={value}" for name, value in SHARED.items()]


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    return tmp_path_factory.mktemp("notes")


@pytest.fixture(scope="module")
def cluster(notes):
    os.environ["PE_TEST_NOTES"] = str(notes)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as cluster:
        yield cluster
    del os.environ["PE_TEST_NOTES"]


def test_a_killed_worker_loses_nothing_and_nothing_counts_twice(cluster, notes, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "trained", stumble)
    options = ["--train-lengths", "16", "--encodings", "alibi", "--seeds", "1", "0", "2", "3"]
    where = ["--store", f"sqlite:///{tmp_path}/sweeps.sqlite", "--out", str(tmp_path / "out")]
    asked = trials(["text"], [16], ["alibi"], [1, 0, 2, 3], SHARED)
    victim = asked[1]

    def kill():
        (begun,) = until(lambda: list(notes.glob(f"{victim.run}.*")))
        os.kill(int(begun.suffix[1:]), signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    assert sweep_cli.main([*SMALL, *options, *where, "--scheduler", cluster.scheduler_address]) == 0
    killer.join()

    begun = Counter(path.stem for path in notes.iterdir())
    assert begun[victim.run] == 2  # by the one that was killed, and by another
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [row["seed"] for row in rows] == ["1"] * 6 + ["0"] * 6 + ["2"] * 6 + ["3"] * 6
    store = RunStore(f"sqlite:///{tmp_path}/sweeps.sqlite")
    assert sorted(kept.hash for kept in store.listing()) == sorted(trial.run for trial in asked)
    assert store.get(victim.run) == repeat(victim.config, built_in())


def test_what_fails_keeps_no_other_from_its_turn(cluster):
    found = []
    with pytest.raises(ValueError, match=r"^1 of 3 runs failed, the first one 1: 1 is odd$"):
        found.extend(on_cluster(cluster.scheduler_address, square, [0, 1, 2]))
    assert sorted((item, value) for item, (value, _, _) in found) == [(0, 0), (2, 4)]
