"""Trainers on the workers of a Dask cluster of this machine: shared by two apps, and one worker dies."""

import os
import signal
from dataclasses import replace
from unittest.mock import Mock

import dask
import pytest
from distributed import LocalCluster

from pe_core.lab.queue import cluster as module
from pe_core.lab.queue.cluster import Cluster
from pe_core.lab.queue.jobs import LOST, JobManager, NotYours
from pe_core.lab.queue.trainers import TrainerOptions
from pe_core.lab.storage.store import RunStore
from tests.lab.held import Held
from tests.lab.running import alone, ended, steps_of, until
from tests.waiting import PATIENCE

OWNER = "a" * 64
pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories:UserWarning")  # after a second


@pytest.fixture
def apps(tmp_path, monkeypatch):
    """Two apps on a cluster of two workers, with one store; and the cluster."""
    monkeypatch.setattr(module, "PATIENCE", PATIENCE)
    url = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    options = TrainerOptions(store=url, n_workers=1)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as cluster:
        pools = [Cluster(cluster.scheduler_address, options) for _ in range(2)]
        yield [JobManager(pool, RunStore(url)) for pool in pools], cluster
        for pool in pools:
            pool.close()


def test_both_apps_see_all_runs_and_a_worker_that_dies_takes_only_its_own(apps, tiny, text, tmp_path):
    (one, other), cluster = apps
    config, goes_on = replace(tiny, encodings=("rope",)), tmp_path / "goes on"
    one._pool.client().register_plugin(Held(goes_on))  # until then both are in the middle of their run
    ids = [one.submit(replace(config, seed=seed), text, OWNER) for seed in (1, 2)]
    for job_id in ids:
        steps_of(one, job_id, 2)
        assert other.knows(job_id)
        assert other.snapshot(job_id).owner == OWNER
        with pytest.raises(NotYours):
            other.cancel(job_id, "b" * 64)
    with pytest.raises(ValueError, match=r"^your live runs must be fewer than 2 to start another, got 2$"):
        other.submit(config, text, OWNER)

    victim = one._runs[ids[0]].trainer.address
    assert len(one._pool.trainers()) == 2
    nanny = next(worker for worker in cluster.workers.values() if worker.worker_address == victim)
    os.kill(nanny.pid, signal.SIGKILL)
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
        assert pool.running() == []
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
