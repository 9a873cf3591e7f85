"""Runs of several seeds in the queue: each seed has what it has alone, kept, found again and repeated."""

import json
import threading
from contextlib import chdir
from dataclasses import replace

import pytest

from pe_core.lab.experiment.datasets import from_bytes
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.results.repeat import script
from pe_core.lab.results.statistics import ratio
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from tests.lab.running import OUTCOME, alone, ended, steps_of, until
from tests.lab.storage.rows import rows
from tests.waiting import PATIENCE

CONFIG = RunConfig(("none", "alibi"), 16, 16, 1, 1, 50, seed=4, n_seeds=2)
OWN = ("To be, or not to be: " * 400).encode()


@pytest.fixture(scope="module")
def text():
    return from_bytes(OWN, name="own")


def test_a_run_of_two_seeds_from_the_first_step_to_its_repetition(open_lab, text, url, tmp_path):
    manager = open_lab(store=RunStore(url), n_workers=2)
    done = ended(manager, manager.submit(CONFIG, text))
    assert (done.state, done.steps, done.done) == ("finished", 200, 1.0)

    # Two runs of one seed, bit for bit.
    record = done.record
    assert record.config == CONFIG
    for seed in (4, 5):
        one = record.of_seed(seed)
        assert (one.curves, one.outcomes) == alone(CONFIG.of_seed(seed), text)
    for key in CONFIG.encodings:
        assert list(record.outcomes[key]) == [4, 5]
        assert record.curves[key][4] != record.curves[key][5]

    # Kept with both, under a hash of its own, and listed by the ratios of its means.
    kept = RunStore(url)
    assert done.kept == run_hash(CONFIG, record.text) != run_hash(replace(CONFIG, n_seeds=1), record.text)
    assert kept.get(done.kept) == record
    [listed] = rows(url)
    assert json.loads(listed.ratios) == {key: ratio(record.mean(key).lengths) for key in CONFIG.encodings}

    # Repeated by its script, byte by byte.
    (tmp_path / "text.txt").write_bytes(OWN)
    with chdir(tmp_path):
        exec(compile(script(CONFIG, record.text, done.kept), "script.py", "exec"), {})
    assert (tmp_path / "run.json").read_text(encoding="utf-8") == kept.document(done.kept)


def test_all_seeds_advance_together_and_a_stopped_run_keeps_what_each_has(endless, manager, text):
    job_id = manager.submit(replace(CONFIG, n_seeds=3), text)
    steps_of(manager, job_id, 20)
    manager.cancel(job_id)
    stopped = ended(manager, job_id)
    curves = {(seed, key): curve for key, by_seed in stopped.record.curves.items() for seed, curve in by_seed.items()}
    assert set(curves) == {(seed, key) for seed in (4, 5, 6) for key in CONFIG.encodings}
    lengths = [len(curve) for curve in curves.values()]
    assert max(lengths) - min(lengths) <= 1
    assert stopped.steps == sum(lengths)
    assert stopped.record.done == ()


def test_a_run_whose_second_seed_fails_has_failed_and_shows_the_first(open_lab, fake, text):
    first_has_ended = threading.Event()

    def train(config, encoding, corpus, device):
        yield TrainStep(encoding, 1, 1.0)
        if config.seed == 5:
            assert first_has_ended.wait(PATIENCE)
            raise RuntimeError("out of memory")
        yield OUTCOME

    fake(train)
    manager = open_lab(n_workers=2)
    job_id = manager.submit(replace(CONFIG, encodings=("none",)), text)
    until(lambda: manager.snapshot(job_id).record.outcomes)
    first_has_ended.set()
    failed = ended(manager, job_id)
    assert (failed.state, failed.message) == ("failed", "none: out of memory")
    assert failed.record.outcomes == {"none": {4: OUTCOME}}
