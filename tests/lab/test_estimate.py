from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from pe_core.lab import estimate
from pe_core.lab.run import work
from pe_core.lab.training import RunConfig, TrainStep

CONFIG = RunConfig(("rope", "none", "alibi"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is moved."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(estimate, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


@pytest.fixture
def steps(monkeypatch, clock):
    """Training in which the first step takes 7 seconds and every other one half a second; returns what was trained."""
    taken = []

    def train(model, encoding, corpus, config):
        for step in range(1, config.steps + 1):
            clock.now += 7.0 if step == 1 else 0.5
            taken.append((encoding, step, torch.get_num_threads(), len(corpus.symbols)))
            yield TrainStep(encoding, step, 1.0)

    monkeypatch.setattr(estimate, "train", train)
    return taken


@pytest.mark.parametrize(("n_workers", "rounds"), [(1, 3), (2, 1.5), (3, 1), (64, 1)])
@pytest.mark.usefixtures("steps")
def test_the_estimate_is_the_time_of_a_step_after_the_first_times_the_work(n_workers, rounds):
    seconds = estimate.seconds(CONFIG, 40, n_workers=n_workers)
    assert seconds == pytest.approx(0.5 * work(CONFIG, "rope") * rounds, rel=1e-9)


@pytest.mark.parametrize(("n_workers", "rounds"), [(1, 9), (2, 4.5), (9, 1), (64, 1)])
@pytest.mark.usefixtures("steps")
def test_every_seed_is_a_training_of_its_own(n_workers, rounds):
    seconds = estimate.seconds(replace(CONFIG, n_seeds=3), 40, n_workers=n_workers)
    assert seconds == pytest.approx(0.5 * work(CONFIG, "rope") * rounds, rel=1e-9)


def test_several_seeds_are_measured_with_the_steps_of_one(steps):
    estimate.seconds(replace(CONFIG, n_seeds=10), 40, n_workers=1)
    assert [(encoding, step) for encoding, step, *_ in steps] == [("rope", 1), ("rope", 2), ("rope", 3)]


def test_three_steps_of_the_first_encoding_are_taken(steps):
    estimate.seconds(CONFIG, 40, n_workers=1)
    assert [(encoding, step) for encoding, step, *_ in steps] == [("rope", 1), ("rope", 2), ("rope", 3)]


def test_the_output_layer_is_as_wide_as_the_text_needs(steps, monkeypatch):
    built = []
    monkeypatch.setattr(estimate, "build_model", lambda config, encoding, corpus: built.append(len(corpus.symbols)))
    estimate.seconds(CONFIG, 40, n_workers=1)
    assert built == [40]
    assert {n_symbols for *_, n_symbols in steps} == {40}


def test_steps_are_measured_on_one_thread_as_workers_take_them(steps):
    torch.set_num_threads(2)
    estimate.seconds(CONFIG, 40, n_workers=1)
    assert {threads for _, _, threads, _ in steps} == {1}
    assert torch.get_num_threads() == 2


def test_real_steps_give_an_estimate_of_a_second_or_so():
    assert 0.01 < estimate.seconds(CONFIG, 40, n_workers=1) < 60
