"""A text that somebody brings along is nobody else's: what becomes of the weights that have learned it."""

import sqlite3
from dataclasses import replace

from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.queue import job
from pe_core.lab.storage.store import RunStore
from pe_core.lab.storage.weights import from_bytes
from tests.lab.running import ended


def test_the_weights_of_an_own_text_never_reach_the_store(open_lab, tiny, text, url, tmp_path):
    manager = open_lab(store=RunStore(url), n_workers=1)
    job_id = manager.submit(tiny, text)
    kept = ended(manager, job_id).kept
    assert RunStore(url).get(kept) is not None
    assert RunStore(url).with_weights() == []
    with sqlite3.connect(tmp_path / "lab.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM weights").fetchone() == (0,)
    connection.close()
    for name in (job_id, kept):  # for the one who has brought it they are still in memory
        from_bytes(manager.weights(name, "none", 0), tiny, "none", len(text.vocabulary))
    manager.remove(kept)
    assert manager.weights(job_id, "none", 0) is None


def test_the_weights_of_an_own_text_go_when_nobody_looks_at_its_run(open_lab, clock, tiny, text):
    manager = open_lab(n_workers=1)
    datasets = {"text": text, "task": TASKS["copy"], "looked at again": text}
    ids = {name: manager.submit(replace(tiny, seed=len(name)), one) for name, one in datasets.items()}
    for job_id in ids.values():
        ended(manager, job_id)

    def has(name):
        return manager.weights(ids[name], "none", len(name)) is not None

    def passes(seconds):
        """Let time go by, and the worker take another run: it looks at all that there are first."""
        clock.now += seconds
        ended(manager, manager.submit(replace(tiny, seed=9), TASKS["copy"]))

    passes(0.9 * job.KEEP_OWN_WEIGHTS)
    assert all(map(has, ids))
    manager.snapshot(ids["looked at again"])
    passes(0.2 * job.KEEP_OWN_WEIGHTS)
    assert [has(name) for name in datasets] == [False, True, True]
