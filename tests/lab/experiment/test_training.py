"""Training and fine-tuning: batches, losses and steps by their definition; what changes them, and what does not."""

import copy
import math
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment import training
from pe_core.lab.experiment.datasets import Corpus, from_text
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import OF_MODEL, RunConfig
from pe_core.lab.experiment.training import TrainStep, build_model, scheduled, train
from tests.cases import each, refuses
from tests.encodings.test_own import ALIBI, ROPE
from tests.lab.experiment.test_device import LAYERS

ALPHABET = "abcdefghij"
EASY = from_text(ALPHABET * 600)  # what comes next is the next letter

WARMUP, FALL = 25, 10_000  # torch's: the rate starts at 1 / 25 of its peak, and ends at 1 / 10,000 of its start
EARLY = 12  # steps, after which runs that differ have other losses

every_encoding = each("key", ENCODINGS)


@cache
def curve(config, corpus, key="none"):
    """The losses of a run up to its early steps, trained once for all tests."""
    return [step.loss for step in islice(train(build_model(config, key, corpus), key, corpus, config), EARLY)]


def seen_batches(config, corpus, key="none", n_steps=2):
    """What the model is fed in its first steps."""
    model, batches = build_model(config, key, corpus), []
    model.register_forward_pre_hook(lambda _, inputs: batches.append(inputs[0].clone()))
    list(islice(train(model, key, corpus, config), n_steps))
    return batches


def test_the_first_loss_is_the_mean_surprise_at_the_next_letters(tiny):
    model = build_model(tiny, "rope", EASY)
    untrained, batches = copy.deepcopy(model).double(), []
    model.register_forward_pre_hook(lambda _, inputs: batches.append(inputs[0].clone()))
    first = next(train(model, "rope", EASY, tiny))
    chances = untrained(batches[0]).softmax(-1).tolist()
    surprise = [
        -math.log(chances[row][place][(letter + 1) % 10])
        for row, text in enumerate(batches[0].tolist())
        for place, letter in enumerate(text)
    ]
    assert len(surprise) == 16 * 16
    assert first == TrainStep("rope", 1, pytest.approx(math.fsum(surprise) / len(surprise), rel=1e-5))


def test_batches_are_windows_of_the_training_part_only(tiny):
    numbered = Corpus("numbers", tuple(ALPHABET), torch.arange(4_000) % 9, torch.full((1_000,), 9))
    batches = seen_batches(tiny, numbered, n_steps=5)
    assert [batch.shape for batch in batches] == [(16, 16)] * 5
    for batch in batches:
        assert torch.equal((batch - batch[:, :1]) % 9, (torch.arange(16) % 9).expand(16, 16))
        assert (batch < 9).all()
    assert not torch.equal(batches[0], batches[1])
    shortest = Corpus("one window and its next character", tuple(ALPHABET), torch.arange(17) % 10, numbered.held_out)
    (batch,) = seen_batches(tiny, shortest, n_steps=1)
    assert torch.equal(batch, (torch.arange(16) % 10).expand(16, 16))


def test_batches_and_what_encodings_share_at_the_start_are_the_same(tiny, text):
    expected, start = seen_batches(tiny, text), dict(build_model(tiny, "none", text).state_dict())
    for key in ENCODINGS:
        torch.testing.assert_close(seen_batches(tiny, text, key), expected, rtol=0, atol=0, msg=key)
        own = build_model(tiny, key, text).state_dict()
        shared = {name: value for name, value in own.items() if not name.startswith("encoding.")}
        torch.testing.assert_close(shared, start, rtol=0, atol=0, msg=key)
    assert not torch.equal(seen_batches(replace(tiny, seed=1), text)[0], expected[0])


def test_every_setting_of_a_model_changes_the_curve(tiny, text):
    others = RunConfig(("none",), 32, 32, 2, 2, 100, 32, 0.003, 1, mask="window", remap="randomised", layers="local")
    for name in OF_MODEL:
        losses = curve(replace(tiny, **{name: getattr(others, name)}), text, "sinusoidal")
        assert losses != curve(tiny, text, "sinusoidal"), name
        assert all(math.isfinite(loss) for loss in losses), name


@every_encoding
def test_every_encoding_learns_an_easy_text_and_can_be_measured(key, tiny):
    """Heads have 8 channels: encodings of two dimensions need a multiple of 4."""
    config = replace(tiny, n_heads=2, n_layers=LAYERS.get(key, 1), batch_size=8)
    *events, outcome = run_encoding(config, key, EASY)
    losses = [event.loss for event in events if isinstance(event, TrainStep)]
    assert len(losses) == 50
    assert losses[0] == pytest.approx(math.log(10), abs=1)  # at first it guesses
    assert max(losses[-5:]) < 0.75 * EASY.unigram_loss
    assert outcome.lengths[0].loss < losses[0]
    assert [loss.length for loss in outcome.lengths] == [16, 32, 48, 64, 96, 128]
    assert len(outcome.positions) == 128
    found = [*losses, *outcome.positions, *(one.loss for one in outcome.lengths)]
    assert all(math.isfinite(loss) for loss in found)


@every_encoding
def test_a_seed_gives_one_curve_whatever_the_global_seed_and_with_evaluations_in_between(key, tiny, text):
    first = curve(tiny, text, key)
    torch.manual_seed(2)
    model, before, modes = build_model(tiny, key, text), torch.get_rng_state(), []
    model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    losses = []
    for step in islice(train(model, key, text, tiny), EARLY):
        losses.append(step.loss)
        if step.step % 4 == 0:
            with torch.inference_mode():
                model.eval()(text.held_out[None, :16])
    assert losses == first
    assert torch.equal(torch.get_rng_state(), before)
    assert modes.count(False) == EARLY // 4
    assert [mode for mode in modes if mode] == [True] * EARLY


@each("key", ["rope", "t5"])
def test_gradients_of_a_large_batch_are_added_up_in_parts(key, tiny, monkeypatch):
    config = replace(tiny, batch_size=16)
    whole = curve(config, EASY, key)
    monkeypatch.setattr(training, "AT_ONCE", 3 * 16)
    read, model = [], build_model(config, key, EASY)
    model.register_forward_pre_hook(lambda _, inputs: read.append(len(inputs[0])))
    parts = [step.loss for step in islice(train(model, key, EASY, config), EARLY)]
    assert read == EARLY * [3, 3, 3, 3, 3, 1]
    torch.testing.assert_close(torch.tensor(parts), torch.tensor(whole), atol=1e-4, rtol=0)


@every_encoding
def test_in_bfloat16_encodings_keep_single_precision(key, tiny, text, monkeypatch):
    exact = curve(tiny, text, key)[0]
    model, given = build_model(tiny, key, text), []
    model.multiplies_in = torch.bfloat16
    layer = type(model.encoding.at_layer(0))
    rotate = layer.rotate
    monkeypatch.setattr(layer, "rotate", lambda own, q, k, at: given.append(q.dtype) or rotate(own, q, k, at))
    half = next(train(model, key, text, tiny)).loss
    assert set(given) <= {torch.float32}  # single layers of some answer for their encoding
    assert half != exact
    assert half == pytest.approx(exact, rel=0.01)
    assert {one.dtype for one in model.parameters()} == {torch.float32}


def test_small_runs_keep_single_precision_on_a_gpu_and_large_ones_do_not(tiny, text, monkeypatch):
    monkeypatch.setattr(Transformer, "to", lambda model, device: model)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    large = replace(tiny, batch_size=64)
    kinds = [build_model(one, "none", text, where).multiplies_in for one in (tiny, large) for where in ("cpu", "cuda")]
    assert kinds == [None, None, None, torch.bfloat16]


def test_the_rate_goes_up_in_a_straight_line_for_three_tenths_of_the_steps_and_down_in_one():
    optimiser, schedule = scheduled([torch.nn.Parameter(torch.zeros(1))], 0.05, 10)
    rates = []
    for _ in range(10):
        rates.append(schedule.get_last_lr()[0])
        optimiser.step()
        schedule.step()
    start, end = 0.05 / WARMUP, 0.05 / WARMUP / FALL
    up = [start, (start + 0.05) / 2, 0.05]
    down = [0.05 + (end - 0.05) * step / 7 for step in range(1, 8)]
    assert rates == pytest.approx([*up, *down], rel=1e-12)
    assert optimiser.param_groups[0]["betas"][1] == 0.98  # of a squared gradient, a fiftieth is forgotten at each step


# Own encodings: the same losses as those of the registry, and what is refused.


SIZES = {"train_length": 16, "d_model": 16, "n_heads": 4, "n_layers": 2, "steps": 50, "batch_size": 8}
CONFIG = RunConfig((ALIBI, "alibi", ROPE, "rope"), **SIZES)


def trained(key, text):
    """The losses of some steps, and the model after them."""
    model = build_model(CONFIG, key, text)
    return [step.loss for step in islice(train(model, key, text, CONFIG), 20)], model.eval()


@each(("typed", "known"), [(ALIBI, "alibi"), (ROPE, "rope")])
def test_a_typed_encoding_has_the_losses_of_the_registry_to_the_last_digit(typed, known, text):
    (own_losses, own), (losses, model) = trained(typed, text), trained(known, text)
    assert own_losses == losses
    assert len(set(losses)) == 20
    tokens = text.held_out[None, : max(CONFIG.lengths)]
    assert torch.equal(own(tokens), model(tokens))


@each(
    ("key", "message"),
    [
        (
            "own:bias:q",
            "formula must use the names of a bias (m, n, distance, h, head, heads, width, head_width, length, pi, "
            "a, b, c), got 'q' in column 1 of 'q'",
        ),
        ("own:embedding:exp(m)", "own embedding must be finite, got inf at m = 95, channel = 0 in 'exp(m)'"),
        (
            "own:bias:-2**distance*1e9",
            "own bias must be finite, got -inf at m = 127, n = 0, h = 0 in '-2**distance*1e9'",
        ),
    ],
)
def test_a_wrong_formula_is_refused_before_the_training(key, message):
    refuses(lambda: RunConfig((key,), **SIZES), message)
