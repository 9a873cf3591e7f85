"""Sweeps: which runs they have, that what is kept is not trained again, and the pool of processes that trains them."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread

import psutil
import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps import sweep as module
from pe_core.lab.sweeps.pool import cores, on_all_cores
from pe_core.lab.sweeps.sweep import finished, planned, trained, trials
from tests.cases import each, refuses
from tests.lab.pooled import either, square
from tests.lab.running import until
from tests.lab.seeded import SHARED, in_place, made


def test_all_combinations_those_of_the_first_seed_first():
    found = trials(["text"], [32, 16], ["rope", "alibi"], [3, 0], SHARED)
    first = [(3, 32, "rope"), (3, 32, "alibi"), (3, 16, "rope"), (3, 16, "alibi")]
    then = [(0, length, key) for _, length, key in first]
    assert [(one.config.seed, one.config.train_length, one.encoding) for one in found] == first + then
    assert found[1].config == RunConfig(("alibi",), train_length=32, seed=3, **SHARED)
    assert [one.run for one in found] == [run_hash(one.config, text_facts(built_in())) for one in found]
    assert str(found[1]) == "alibi on text, training length 32, seed 3"


@each(
    ("changed", "problem"),
    [
        ({"tasks": ["nope"]}, f"tasks must be among {', '.join(module.DATASETS)}, got nope"),
        ({"tasks": ["text", "text"]}, "tasks must be different, got text, text"),
        ({"encodings": ["rope", "nope"]}, f"encodings must be among {', '.join(ENCODINGS)}, got nope"),
        ({"encodings": ["rope", "rope"]}, "encodings must be different, got rope, rope"),
        ({"seeds": [0, 1, 0]}, "seeds must be different, got 0, 1, 0"),
        ({"seeds": [-1]}, "seed must be a whole number from 0 to 9,999, got -1"),
        ({"train_lengths": [16, 16]}, "train_lengths must be different, got 16, 16"),
        ({"train_lengths": [17]}, "train_length must be a whole number from 16 to 4,096 in steps of 16, got 17"),
        ({"shared": {"steps": 7}}, "steps must be a whole number from 50 to 100,000 in steps of 50, got 7"),
    ],
)
def test_what_is_not_allowed_is_named(changed, problem):
    asked = {"tasks": ["text"], "train_lengths": [16], "encodings": ["rope"], "seeds": [0], "shared": {}, **changed}
    refuses(lambda: trials(**asked), problem)


def test_a_text_that_is_too_short_is_named_before_any_training(monkeypatch, text):
    monkeypatch.setattr(module, "built_in", lambda key, split: text)
    long = RunConfig(("rope",), train_length=256)
    problem = f"text must have at least 10,245 characters, to be evaluated at length 2,048, got {text.n_characters:,}"
    refuses(lambda: planned("text", [replace(long, train_length=16), long]), problem)


def test_a_training_is_a_run_of_the_lab_of_a_text_or_a_task(monkeypatch, text, tiny):
    monkeypatch.setattr(module, "built_in", lambda key, split: text)
    (one,), (task,) = (planned(name, [tiny]) for name in ("text", "copy"))
    assert trained(one) == repeat(tiny, text)
    assert task.run == run_hash(tiny, text_facts(TASKS["copy"]))
    monkeypatch.setattr(module, "repeat", lambda *given: given)
    assert trained(task) == (tiny, TASKS["copy"], "cpu")


def test_every_task_has_a_name_here_that_is_not_the_texts():
    texts = [f"{text}{split}" for text in ("text", "program") for split in ("", "-1", "-2", "-3", "-4")]
    assert list(module.DATASETS) == [*texts, *TASKS]
    assert module.dataset("program-2") is built_in("program", 2)
    assert module.dataset("text") is built_in()
    assert len(set(module.DATASETS)) == len(module.DATASETS)


def test_a_worker_with_other_code_or_text_is_refused(monkeypatch, text, tiny):
    (one,) = planned("text", [tiny])
    monkeypatch.setattr(module, "built_in", lambda key, split: text)
    other = run_hash(tiny, text_facts(text))
    problem = f"code, torch and text of a worker must be those of run {one.run}, got those of run {other}"
    with pytest.raises(ValueError, match=f"^{problem}$"):
        trained(one)


@pytest.fixture
def quick(monkeypatch):
    """Training without any steps; returns the configurations that were trained."""
    log = []
    monkeypatch.setattr(module, "repeat", lambda config, learned, device: log.append(config) or made(config, learned))
    return log


def test_what_the_store_has_comes_first_and_the_rest_is_kept_before_it_is_told(quick, url):
    store, asked = RunStore(url), trials(["text"], [16], ["rope", "alibi", "none"], [0], SHARED)
    one, two, three = asked
    first = dict(finished([two], store, in_place))
    assert quick == [two.config]
    found = []
    for trial, record in finished(asked, store, in_place):
        assert store.get(trial.run) == record
        found.append(trial)
    assert found == [two, three, one]
    assert quick == [two.config, three.config, one.config]
    again = dict(finished(asked, store, in_place))
    assert again.keys() == set(asked)
    assert again[two] == first[two]
    assert len(quick) == 3
    assert {kept.state for kept in store.listing()} == {"finished"}


ROOT = Path(__file__).parents[3]
STAYING = """
from pe_core.lab.sweeps.pool import on_all_cores
from tests.lab.pooled import stay
if __name__ == "__main__":
    list(on_all_cores(stay, [{path!r}]))
"""


def written(path):
    """The number in a file, waiting for it."""
    return int(until(lambda: path.exists() and path.read_text()))


def gone(pid):
    until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return True


@pytest.fixture
def one_core(monkeypatch):
    """One process is enough, and takes a second to start."""
    monkeypatch.setattr("pe_core.lab.sweeps.pool.cores", lambda: 1)


def test_every_item_comes_once_from_a_process_with_one_thread_and_those_that_fail_or_die_are_told(one_core, tmp_path):
    path, found = tmp_path / "pid", []
    killer = Thread(target=lambda: os.kill(written(path), signal.SIGKILL))
    killer.start()
    with pytest.raises(ValueError, match=r"^2 of 5 runs failed, the first one 1: 1 is odd$"):
        found.extend(on_all_cores(either, [4, 1, 0, 2, path]))
    killer.join()
    assert sorted((item, value) for item, (value, _, _) in found) == [(0, 0), (2, 4), (4, 16)]
    [process] = {process for _, (_, process, _) in found}
    assert process != os.getpid()
    assert {threads for _, (_, _, threads) in found} == {1}


def test_nothing_to_do_starts_no_process(monkeypatch):
    monkeypatch.setattr("pe_core.lab.sweeps.pool.ProcessPoolExecutor", None)
    assert list(on_all_cores(square, [])) == []


def test_cores_are_those_that_it_may_use():
    everywhere = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(everywhere)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, everywhere)
    assert cores() == len(everywhere)


def test_whoever_stops_asking_ends_the_processes(one_core, tmp_path):
    path = tmp_path / "pid"
    asked = on_all_cores(either, [0, path])
    assert next(asked)[0] == 0
    pid = written(path)
    asked.close()
    assert gone(pid)


def test_they_end_with_a_process_that_is_killed(tmp_path):
    script, path = tmp_path / "script.py", tmp_path / "pid"
    script.write_text(STAYING.format(path=str(path)))
    process = subprocess.Popen([sys.executable, script], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    pid = written(path)
    process.kill()
    process.wait()
    assert gone(pid)
