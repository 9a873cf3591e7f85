"""Sweeps: which runs they have, that what is kept is not trained again, and the pool of processes that trains them."""

import os
from dataclasses import replace

import psutil
import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.queue import job
from pe_core.lab.queue.jobs import LOST
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.trainer import Trainer, TrainerGone, TrainerOptions
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.run_hash import CODE, run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps import sweep as module
from pe_core.lab.sweeps.pool import cores, finished, on_all_cores, under_bar
from pe_core.lab.sweeps.sweep import planned, runs_of, trials
from tests.cases import each, refuses
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


def test_every_task_has_a_name_here_that_is_not_the_texts():
    texts = [f"{text}{split}" for text in ("text", "program") for split in ("", "-1", "-2", "-3", "-4")]
    assert list(module.DATASETS) == [*texts, *TASKS]
    assert module.dataset("program-2") is built_in("program", 2)
    assert module.dataset("text") is built_in()
    assert len(set(module.DATASETS)) == len(module.DATASETS)


def test_a_worker_with_other_code_is_refused():
    other = TrainerOptions(versions=("other", torch.__version__))
    rule = f"code and torch of a worker must be {other.versions}, got {(CODE, torch.__version__)}"
    refuses(other.trainer, rule)


def test_what_the_store_has_comes_first_and_the_rest_is_kept_before_it_is_told(url):
    quick = []
    pool = in_place(lambda config, learned: quick.append(config) or made(config, learned))
    store, asked = RunStore(url), trials(["text"], [16], ["rope", "alibi", "none"], [0], SHARED)
    one, two, three = asked
    first = dict(finished(runs_of([two]), store, pool))
    assert quick == [two.config]
    found = []
    for trial, record in finished(runs_of(asked), store, pool):
        assert store.get(trial.run) == record
        found.append(trial)
    assert found == [two, three, one]
    assert quick == [two.config, three.config, one.config]
    again = dict(finished(runs_of(asked), store, pool))
    assert again.keys() == set(asked)
    assert again[two] == first[two]
    assert len(quick) == 3
    assert {kept.state for kept in store.listing()} == {"finished"}


@pytest.fixture
def one_core(monkeypatch):
    """One process is enough, and takes a second to start."""
    monkeypatch.setattr("pe_core.lab.sweeps.pool.cores", lambda: 1)


def one_each(*configs):
    return {f"run {place}": (config, built_in()) for place, config in enumerate(configs)}


def test_every_run_is_trained_once_in_processes_as_it_is_trained_here(one_core, tiny):
    runs = one_each(tiny, replace(tiny, seed=1))
    found = list(on_all_cores(runs))
    assert found == [(name, repeat(*run)) for name, run in runs.items()]


def test_nothing_to_do_starts_no_process(monkeypatch):
    monkeypatch.setattr("pe_core.lab.sweeps.pool.Processes", None)
    assert list(on_all_cores({})) == []


def test_cores_are_those_that_it_may_use():
    everywhere = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(everywhere)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, everywhere)
    assert cores() == len(everywhere)


def test_a_run_that_fails_keeps_no_other_from_its_turn_and_is_told_at_the_end(tiny, monkeypatch):
    runs, found = one_each(tiny, replace(tiny, encodings=("rope",)), replace(tiny, encodings=("alibi",))), []

    def training(config, encoding, *rest, **named):
        if encoding == "rope":
            raise RuntimeError("no memory\nat all")
        yield from run_encoding(config, encoding, *rest, **named)

    monkeypatch.setattr(job, "run_encoding", training)
    monkeypatch.setattr(job.log, "exception", lambda *_: None)
    asked = under_bar(Here(Trainer(n_workers=1)), runs)
    with pytest.raises(ValueError, match=r"^1 of 3 runs failed, the first one run 1: rope: no memory$"):
        found.extend(asked)
    assert found == [(name, repeat(*runs[name])) for name in ("run 0", "run 2")]


class Mortal(Here):
    """A trainer that is lost so often, each time when it is first looked at."""

    def __init__(self, n_times):
        super().__init__(Trainer(n_workers=1))
        self.n_times = n_times

    def ask(self, do, *arguments):
        if do is Trainer.snapshot and self.n_times:
            self.n_times -= 1
            raise TrainerGone("trainer must answer, got nothing")
        return super().ask(do, *arguments)


def test_a_run_whose_trainer_dies_is_given_to_another_once(tiny):
    runs = one_each(tiny)
    assert dict(under_bar(Mortal(1), runs)) == {"run 0": repeat(*runs["run 0"])}
    refuses(lambda: list(under_bar(Mortal(2), runs)), LOST)


def test_whoever_stops_asking_ends_the_processes(one_core, tiny):
    asked = on_all_cores(one_each(tiny, replace(tiny, steps=5_000, n_seeds=10)))
    assert next(asked)[0] == "run 0"
    [child] = [one for one in psutil.Process().children() if "pe_core.lab.queue.process" in one.cmdline()]
    asked.close()
    assert not child.is_running()
