import copy
import math
from dataclasses import replace
from itertools import islice

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment import training
from pe_core.lab.experiment.datasets import Corpus, from_text
from pe_core.lab.experiment.evaluation import position_losses
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.settings import PARAMETERS
from pe_core.lab.experiment.training import TrainStep, build_model, train
from tests.cases import each

ALPHABET = "abcdefghij"
EASY = from_text(ALPHABET * 600)  # what comes next is the next letter

EARLY = 12  # steps, after which runs that differ have other losses
# Encodings that are the same as another one on texts of training, with one layer and one head.
TWINS = {
    "rope_scaled": "RoPE up to the training length",
    "rope_log_n": "RoPE up to the training length",
    "rope_layers": "RoPE in the first layer",
    "dual_chunk": "RoPE up to the training length",
    "self_extend": "ReRoPE where the distances beyond the window are one group",
    "videorope": "M-RoPE where time, row and column are the same",
    "mrope_interleaved": "M-RoPE where time, row and column are the same",
}

every_encoding = pytest.mark.parametrize("key", ENCODINGS)


def curve(config, corpus, key="none"):
    """The losses of a run up to its early steps."""
    return [step.loss for step in islice(train(build_model(config, key, corpus), key, corpus, config), EARLY)]


def seen_batches(config, corpus, key, n_steps=5):
    """What the model is fed in its first steps."""
    model, batches = build_model(config, key, corpus), []
    model.register_forward_pre_hook(lambda _, inputs: batches.append(inputs[0].clone()))
    steps = train(model, key, corpus, config)
    for _ in range(n_steps):
        next(steps)
    return batches


@pytest.fixture(scope="module")
def usual(tiny, text):
    """The curve of the tiny run on the text, of any encoding, trained once for all tests."""
    curves = {}

    def of(key="none"):
        if key not in curves:
            torch.manual_seed(1)
            curves[key] = curve(tiny, text, key)
        return curves[key]

    return of


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


def test_the_learning_rate_rises_to_its_peak_for_three_tenths_of_the_steps_and_falls(tiny, monkeypatch):
    rates, learn = [], training.learn

    def noted(*arguments):
        rates.append(arguments[-1].param_groups[0]["lr"])
        return learn(*arguments)

    monkeypatch.setattr(training, "learn", noted)
    config = replace(tiny, peak_learning_rate=0.03)
    for _ in train(build_model(config, "none", EASY), "none", EASY, config):
        pass
    peak = round(0.3 * config.steps) - 1
    assert rates[peak] == pytest.approx(0.03, rel=1e-12)
    assert sorted(rates[: peak + 1]) == rates[: peak + 1]
    assert sorted(rates[peak:], reverse=True) == rates[peak:]
    assert rates[-1] < 0.03 / 1_000


def test_batches_are_windows_of_the_training_part_only(tiny):
    numbered = Corpus("numbers", tuple(ALPHABET), torch.arange(4_000) % 9, torch.full((1_000,), 9))
    batches = seen_batches(tiny, numbered, "none")
    assert [batch.shape for batch in batches] == [(16, 16)] * 5
    for batch in batches:
        assert torch.equal((batch - batch[:, :1]) % 9, (torch.arange(16) % 9).expand(16, 16))
        assert (batch < 9).all()
    assert not torch.equal(batches[0], batches[1])


def test_the_shortest_training_part_is_one_window_and_its_next_character(tiny):
    corpus = Corpus("short", tuple(ALPHABET), torch.arange(17) % 10, torch.arange(1_000) % 10)
    (batch,) = seen_batches(tiny, corpus, "none", n_steps=1)
    assert torch.equal(batch, (torch.arange(16) % 10).expand(16, 16))


def test_batches_are_the_same_for_every_encoding(tiny, text):
    expected = seen_batches(tiny, text, "none")
    for key in ENCODINGS:
        for batch, same in zip(seen_batches(tiny, text, key), expected, strict=True):
            assert torch.equal(batch, same)
    assert not torch.equal(seen_batches(replace(tiny, seed=1), text, "none")[0], expected[0])


@each("key", ENCODINGS)
def test_what_encodings_share_starts_the_same(key, tiny, text):
    model, without = build_model(tiny, key, text), build_model(tiny, "none", text)
    shared = {name: value for name, value in model.state_dict().items() if not name.startswith("encoding.")}
    assert shared.keys() == without.state_dict().keys()
    for name, value in without.state_dict().items():
        assert torch.equal(shared[name], value)


def test_the_seed_decides_the_weights_at_the_start(tiny, text):
    one, same, other = (build_model(replace(tiny, seed=seed), "none", text).head.weight for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.isclose(one, other, rtol=1e-6, atol=0).any()


def test_training_leaves_the_global_random_numbers_alone(tiny, text):
    model = build_model(tiny, "learned", text)
    before = torch.get_rng_state()
    list(train(model, "learned", text, tiny))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    "change",
    [
        {"train_length": 32},
        {"d_model": 32},
        {"n_heads": 2},
        {"n_layers": 2},
        {"steps": 100},
        {"batch_size": 32},
        {"peak_learning_rate": 0.003},
        {"seed": 1},
        {"mask": "window"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_changes_the_curve(change, tiny, text, usual):
    config = replace(tiny, **change)
    other = [step.loss for step in train(build_model(config, "none", text), "none", text, config)]
    assert len(other) == change.get("steps", 50)
    assert other[:EARLY] != usual()
    assert all(math.isfinite(loss) for loss in other)


def test_the_encoding_and_the_text_change_the_curve(tiny, usual):
    different = []
    for losses in (*(usual(key) for key in ENCODINGS), curve(tiny, EASY)):
        if not any(losses == pytest.approx(known, abs=1e-5) for known in different):  # a bias of 0 may round otherwise
            different.append(losses)
    assert len(different) == len(ENCODINGS) - len(TWINS) + 1


def test_a_run_can_be_closed_midway(tiny, text, usual):
    model = build_model(tiny, "none", text)
    steps = train(model, "none", text, tiny)
    losses = [next(steps).loss for _ in range(3)]
    steps.close()
    with pytest.raises(StopIteration):
        next(steps)
    assert losses == usual()[:3]
    trained = position_losses(model, text.held_out, 16).mean()
    assert trained < position_losses(build_model(tiny, "none", text), text.held_out, 16).mean()


@every_encoding
def test_a_seed_gives_one_curve_whatever_the_global_seed_and_with_evaluations_in_between(key, tiny, text):
    torch.manual_seed(1)
    first = curve(tiny, text, key)
    torch.manual_seed(2)
    model = build_model(tiny, key, text)
    modes = []
    model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    losses = []
    for step in islice(train(model, key, text, tiny), EARLY):
        losses.append(step.loss)
        if step.step % 4 == 0:
            with torch.inference_mode():
                model.eval()(text.held_out[None, :16])
    assert losses == first
    assert modes.count(False) == EARLY // 4
    assert [mode for mode in modes if mode] == [True] * EARLY


@pytest.mark.parametrize("key", ["rope", "t5"])
def test_gradients_of_a_large_batch_are_added_up_in_parts(key, tiny, monkeypatch):
    config = replace(tiny, batch_size=16)
    whole = curve(config, EASY, key)
    monkeypatch.setattr(training, "AT_ONCE", 3 * 16)
    read, model = [], build_model(config, key, EASY)
    model.register_forward_pre_hook(lambda _, inputs: read.append(len(inputs[0])))
    parts = [step.loss for step in islice(train(model, key, EASY, config), EARLY)]
    assert read == EARLY * [3, 3, 3, 3, 3, 1]
    torch.testing.assert_close(torch.tensor(parts), torch.tensor(whole), atol=1e-4, rtol=0)


def test_every_batch_of_a_small_run_is_learned_at_once():
    largest = {name: one.choices[-1] if one.choices else one.maximum for name, one in PARAMETERS.items()}
    assert largest["batch_size"] * largest["train_length"] <= training.AT_ONCE


@every_encoding
def test_in_bfloat16_encodings_keep_single_precision(key, tiny, text, monkeypatch):
    exact = next(train(build_model(tiny, key, text), key, text, tiny)).loss
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
