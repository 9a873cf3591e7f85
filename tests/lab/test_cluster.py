"""A Dask cluster of this machine, whose workers are killed: a sweep on it, and trainers that two apps share."""

import csv
import os
import signal
from dataclasses import replace
from threading import Thread
from unittest.mock import Mock

import dask
import pytest
from distributed import LocalCluster

from pe_core.lab import sweep_cli
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.queue import cluster as module
from pe_core.lab.queue.cluster import Cluster
from pe_core.lab.queue.jobs import LOST, JobManager, NotYours
from pe_core.lab.queue.trainer import Trainer, TrainerOptions
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps.sweep import trials
from tests.cases import refuses
from tests.lab.held import Held
from tests.lab.running import alone, ended, steps_of, until
from tests.lab.seeded import SHARED, SMALL
from tests.lab.storage import processes
from tests.waiting import PATIENCE

pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories:UserWarning")  # after a second
OWNER = "a" * 64


@pytest.fixture(scope="module")
def cluster():
    processes.get_ready()  # before Dask does, whose own choice of imports has no torch
    # 15 seconds after a worker was lost a local cluster looks whether there is one of its name, and closes it for good
    # if not: even where it is just then being started again, since a second test has killed it.
    settings = {"deploy.lost-worker-timeout": "1 h", "worker.multiprocessing-method": "forkserver"}
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set({f"distributed.{name}": value for name, value in settings.items()}),
        LocalCluster(n_workers=2, processes=True, **options) as cluster,
    ):
        yield cluster


def kill(cluster, address):
    """End the process of the worker with this address, as a lack of memory does."""
    nanny = next(worker for worker in cluster.workers.values() if worker.worker_address == address)
    os.kill(nanny.pid, signal.SIGKILL)


def test_a_killed_worker_loses_nothing_and_nothing_counts_twice(cluster, tmp_path):
    options = ["--train-lengths", "16", "--encodings", "alibi", "--seeds", "1", "0", "2"]
    where = ["--store", f"sqlite:///{tmp_path}/sweeps.sqlite", "--out", str(tmp_path / "out")]
    pool, goes_on = Cluster(cluster.scheduler_address, TrainerOptions(n_workers=1)), tmp_path / "goes on"
    pool.client().register_plugin(Held(goes_on))  # until then runs are in their middle

    def kill_a_busy_one():
        busy = until(lambda: [one for one in pool.trainers() if one.ask(Trainer.live)])
        kill(cluster, busy[0].address)
        goes_on.touch()

    killer = Thread(target=kill_a_busy_one)
    killer.start()
    assert sweep_cli.main([*SMALL, *options, *where, "--scheduler", cluster.scheduler_address]) == 0
    killer.join()
    pool.close()

    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [row["seed"] for row in rows] == ["1"] * 6 + ["0"] * 6 + ["2"] * 6
    store, asked = RunStore(f"sqlite:///{tmp_path}/sweeps.sqlite"), trials(["text"], [16], ["alibi"], [1, 0, 2], SHARED)
    assert sorted(kept.hash for kept in store.listing()) == sorted(trial.run for trial in asked)
    assert all(store.get(trial.run) == repeat(trial.config, built_in()) for trial in asked)


@pytest.fixture
def apps(cluster, url, monkeypatch):
    """Two apps on the cluster, with one store."""
    monkeypatch.setattr(module, "PATIENCE", PATIENCE)
    pools = [Cluster(cluster.scheduler_address, TrainerOptions(store=url, n_workers=1)) for _ in range(2)]
    yield [JobManager(pool, RunStore(url)) for pool in pools]
    for pool in pools:
        pool.close()


def test_both_apps_see_all_runs_and_a_worker_that_dies_takes_only_its_own(apps, cluster, tiny, text, tmp_path):
    one, other = apps
    until(lambda: len(one._pool.trainers()) == 2)  # a worker that was killed is replaced
    config, goes_on = replace(tiny, encodings=("rope",)), tmp_path / "goes on"
    one._pool.client().register_plugin(Held(goes_on))  # until then both are in the middle of their run
    ids = [one.submit(replace(config, seed=seed), text, OWNER) for seed in (1, 2)]
    for job_id in ids:
        steps_of(one, job_id, 2)
        assert other.knows(job_id)
        assert other.snapshot(job_id).owner == OWNER
        with pytest.raises(NotYours):
            other.cancel(job_id, "b" * 64)
    refuses(lambda: other.submit(config, text, OWNER), "your live runs must be fewer than 2 to start another, got 2")

    victim = one._runs[ids[0]].trainer.address
    kill(cluster, victim)
    until(lambda: one.snapshot(ids[0]).message == other.snapshot(ids[0]).message == LOST)
    goes_on.touch()
    done = ended(other, ids[1])
    assert done.state == "finished"
    assert (done.record.curves, done.record.outcomes) == alone(replace(config, seed=2), text)
    again = one.submit(replace(config, seed=1), text, OWNER)
    assert ended(other, again).state == "finished"
    kept = {one.snapshot(job_id).kept for job_id in (again, ids[1])}
    assert kept == {run.hash for run in one._store.listing(viewer=OWNER)}


def test_a_cluster_knows_its_workers_while_the_connection_renews_what_it_knows_itself(monkeypatch):
    with (
        dask.config.set({"distributed.client.scheduler-info-interval": "1ms"}),  # every two seconds otherwise
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as cluster,
    ):
        pool = Cluster(cluster.scheduler_address, TrainerOptions())
        assert [len(pool.trainers()) for _ in range(200)] == [1] * 200
        monkeypatch.setattr(pool.client(), "nthreads", Mock(side_effect=OSError("connection lost")))
        with pytest.raises(ValueError, match=r"^scheduler must be .* answers, got 'inproc:.*': connection lost$"):
            pool.trainers()
        assert JobManager(pool).counts() == {}
        pool.close()


def test_a_scheduler_that_does_not_answer_is_named(text, tiny, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    monkeypatch.setattr(module, "AGAIN", 1_000.0)
    manager = JobManager(Cluster("tcp://127.0.0.1:1", TrainerOptions()))
    rule = "scheduler must be the address of a Dask scheduler that answers, got 'tcp://127.0.0.1:1'"
    with pytest.raises(ValueError, match=rule):
        manager.submit(tiny, text)
    with pytest.raises(ValueError, match=f"{rule}: it did not answer a moment ago"):
        manager.submit(tiny, text)
    assert not manager.knows("some run")
    assert manager.counts() == {}
