"""Every entry of every registry trains in the lab without NaN, and is evaluated at eight times its training length."""

import math

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment import training
from pe_core.lab.experiment.datasets import from_text
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Outcome, run_encoding
from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.experiment.training import TrainStep, train
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from tests.cases import each
from tests.lab.experiment.test_device import LAYERS

# Heads of 8 channels: encodings of two dimensions need a multiple of 4.
SMALL = {"train_length": 16, "d_model": 16, "n_heads": 2, "n_layers": 1, "steps": 50}
# After 50 steps of 16 letters, what comes next is less certain than with the others.
LEARNS_SLOWLY = {
    "sincos_2d_mae": "sines as large as 1 drown embeddings that start at 0.02",
    "sincos_2d_detr": "the same, and neighbours in a row differ by little",
}
EASY = from_text("abcdefghij" * 2_000)  # what comes next is the next letter
TRAINED_AS = {"mask": [key for key, spec in MASKS.items() if not spec.sees_ahead], "remap": list(REMAPS)}


@pytest.fixture(autouse=True)
def few_windows(monkeypatch):
    """Eight texts of the longest length are enough to be finite."""
    monkeypatch.setattr("pe_core.lab.experiment.datasets.EVALUATED_CHARACTERS", 1_024)


def trained(config, encoding, text):
    """The outcome of a run of one encoding, after checking every number on the way."""
    *events, outcome = run_encoding(config, encoding, text)
    losses = [event.loss for event in events if isinstance(event, TrainStep)]
    assert len(losses) == 50
    assert all(math.isfinite(loss) for loss in losses)
    assert isinstance(outcome, Outcome)
    assert [loss.length for loss in outcome.lengths] == [16, 32, 48, 64, 96, 128]
    assert all(math.isfinite(loss.loss) and math.isfinite(loss.last_quarter) for loss in outcome.lengths)
    assert len(outcome.positions) == 128
    assert all(math.isfinite(loss) for loss in outcome.positions)
    return losses, outcome


@pytest.mark.parametrize("key", ENCODINGS)
def test_every_encoding_learns_an_easy_text(key):
    losses, outcome = trained(RunConfig((key,), **{**SMALL, "n_layers": LAYERS.get(key, 1)}), key, EASY)
    assert losses[0] > 0.8 * math.log(10)
    assert max(losses[-5:]) < (0.95 if key in LEARNS_SLOWLY else 0.75) * EASY.unigram_loss
    assert outcome.lengths[0].loss < losses[0]


@pytest.mark.parametrize("key", SCALINGS)
def test_every_scaling(key, text, monkeypatch):
    config = RunConfig(("rope_scaled",), **SMALL)
    spec = ENCODINGS["rope_scaled"]

    def build_model(config, encoding, corpus, device):
        generator = torch.Generator().manual_seed(config.seed)
        built = spec.build(config.shape, {"scaling": key})
        return Transformer(len(corpus.vocabulary), config.shape, config.n_layers, built, generator=generator)

    monkeypatch.setattr("pe_core.lab.experiment.run.build_model", build_model)
    losses, _ = trained(config, "rope_scaled", text)
    assert losses[-1] < losses[0]


@each("key", TRAINED_AS["mask"])
def test_every_mask_beside_a_bias(key, text):
    losses, _ = trained(RunConfig(("alibi",), mask=key, **SMALL), "alibi", text)
    assert losses[-1] < losses[0]


@each("key", REMAPS)
def test_every_remap_at_one_of_the_three_places_of_an_encoding(key, text):
    encoding = ("sinusoidal", "rope", "alibi")[list(REMAPS).index(key) % 3]
    losses, _ = trained(RunConfig((encoding,), remap=key, **SMALL), encoding, text)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("key", [key for key, spec in MASKS.items() if spec.sees_ahead])
def test_a_mask_that_sees_ahead_trains_too_but_the_lab_does_not_offer_it(key, text, monkeypatch):
    assert key not in PARAMETERS["mask"].choices
    mask = MASKS[key].build(16, 16)
    monkeypatch.setattr(training, "build_mask", lambda config, length, device: mask)
    config = RunConfig(("rope",), **SMALL)
    model = training.build_model(config, "rope", text)
    losses = [step.loss for step in train(model, "rope", text, config)]
    assert all(math.isfinite(loss) for loss in losses)
    longer = MASKS[key].build(128, 16)
    assert model(text.held_out[None, :128], mask=longer).isfinite().all()


@pytest.mark.parametrize("name", ["mask", "remap"])
def test_the_lab_offers_every_other_entry(name):
    assert list(PARAMETERS[name].choices) == TRAINED_AS[name]
    assert PARAMETERS[name].default == TRAINED_AS[name][0]
