import copy
import math
from dataclasses import replace
from itertools import islice

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment import training
from pe_core.lab.experiment.datasets import Corpus, from_text
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.training import TrainStep, build_model, scheduled, train
from tests.cases import each

ALPHABET = "abcdefghij"
EASY = from_text(ALPHABET * 600)  # what comes next is the next letter

WARMUP, FALL = 25, 10_000  # torch's: the rate starts at 1 / 25 of its peak, and ends at 1 / 10,000 of its start
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

every_encoding = each("key", ENCODINGS)


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


def test_batches_and_what_encodings_share_at_the_start_are_the_same(tiny, text):
    expected, start = seen_batches(tiny, text, "none", 2), build_model(tiny, "none", text).state_dict()
    for key in ENCODINGS:
        for batch, same in zip(seen_batches(tiny, text, key, 2), expected, strict=True):
            assert torch.equal(batch, same), key
        own = build_model(tiny, key, text).state_dict()
        shared = {name: value for name, value in own.items() if not name.startswith("encoding.")}
        assert shared.keys() == start.keys(), key
        assert all(torch.equal(shared[name], value) for name, value in start.items()), key
    assert not torch.equal(seen_batches(replace(tiny, seed=1), text, "none")[0], expected[0])


def test_training_leaves_the_global_random_numbers_alone(tiny, text):
    model = build_model(tiny, "learned", text)
    before = torch.get_rng_state()
    list(islice(train(model, "learned", text, tiny), 5))
    assert torch.equal(torch.get_rng_state(), before)


@each(
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
)
def test_every_field_changes_the_curve(change, tiny, text, usual):
    other = curve(replace(tiny, **change), text)
    assert other != usual()
    assert all(math.isfinite(loss) for loss in other)


def test_the_encoding_and_the_text_change_the_curve(tiny, usual):
    different = []
    for losses in (*(usual(key) for key in ENCODINGS), curve(tiny, EASY)):
        if not any(losses == pytest.approx(known, abs=1e-5) for known in different):  # a bias of 0 may round otherwise
            different.append(losses)
    assert len(different) == len(ENCODINGS) - len(TWINS) + 1


@every_encoding
def test_a_seed_gives_one_curve_whatever_the_global_seed_and_with_evaluations_in_between(key, tiny, text, usual):
    first = usual(key)
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
def test_in_bfloat16_encodings_keep_single_precision(key, tiny, text, usual, monkeypatch):
    exact = usual(key)[0]
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


def test_a_squared_gradient_is_forgotten_by_a_fiftieth_at_each_step():
    weight = torch.nn.Parameter(torch.tensor([2.0], dtype=torch.float64))
    optimiser, _ = scheduled([weight], 0.05, 10)
    expected, squares, mean = 2.0, 0.0, 0.0
    rate, momentum = 0.05 / WARMUP, optimiser.param_groups[0]["betas"][0]
    for step, gradient in enumerate((1.0, -3.0, 0.5), start=1):
        weight.grad = torch.tensor([gradient], dtype=torch.float64)
        optimiser.step()
        mean = momentum * mean + (1 - momentum) * gradient
        squares = 0.98 * squares + 0.02 * gradient**2
        expected -= rate * 0.01 * expected  # weight decay
        expected -= rate * (mean / (1 - momentum**step)) / (math.sqrt(squares / (1 - 0.98**step)) + 1e-8)
        assert weight.item() == pytest.approx(expected, rel=1e-12)
