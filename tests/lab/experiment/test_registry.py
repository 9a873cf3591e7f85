"""Every encoding trains in the lab without NaN, at eight times its training length too; other entries are offered."""

import math

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import from_text
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.experiment.training import TrainStep
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from tests.cases import each
from tests.lab.experiment.test_device import LAYERS

# Heads of 8 channels: encodings of two dimensions need a multiple of 4.
SMALL = {"train_length": 16, "d_model": 16, "n_heads": 2, "n_layers": 1, "steps": 50, "batch_size": 8}
EASY = from_text("abcdefghij" * 2_000)  # what comes next is the next letter
TRAINED_AS = {"mask": [key for key, spec in MASKS.items() if not spec.sees_ahead], "remap": list(REMAPS)}


@pytest.fixture(autouse=True)
def few_windows(monkeypatch):
    """Eight texts of the longest length are enough to be finite."""
    monkeypatch.setattr("pe_core.lab.experiment.datasets.EVALUATED_CHARACTERS", 1_024)


@each("key", ENCODINGS)
def test_every_encoding_learns_an_easy_text(key):
    config = RunConfig((key,), **{**SMALL, "n_layers": LAYERS.get(key, 1)})
    *events, outcome = run_encoding(config, key, EASY)
    losses = [event.loss for event in events if isinstance(event, TrainStep)]
    assert len(losses) == 50
    assert losses[0] > 0.8 * math.log(10)
    assert max(losses[-5:]) < 0.75 * EASY.unigram_loss
    assert outcome.lengths[0].loss < losses[0]
    assert [loss.length for loss in outcome.lengths] == [16, 32, 48, 64, 96, 128]
    assert len(outcome.positions) == 128
    found = [*losses, *outcome.positions, *(one.loss for one in outcome.lengths)]
    assert all(math.isfinite(loss) for loss in found)


@each("name", ["mask", "remap"])
def test_the_lab_offers_every_other_entry(name):
    assert list(PARAMETERS[name].choices) == TRAINED_AS[name]
    assert PARAMETERS[name].default == TRAINED_AS[name][0]
