"""Training and fine-tuning: batches, losses and steps by their definition; what changes them, and what does not."""

import copy
import math
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest
import torch
from torch.nn import functional as F

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment import training
from pe_core.lab.experiment.datasets import Corpus, from_text
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import plan, run_encoding, tuned_of
from pe_core.lab.experiment.settings import OF_MODEL, RunConfig
from pe_core.lab.experiment.training import TrainStep, build_model, scheduled, train, tune
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.record_file import exact_json, from_json
from pe_core.lab.results.table import rows
from tests.cases import each, refuses
from tests.lab.experiment.test_device import LAYERS
from tests.lab.running import finished
from tests.lab.seeded import one_seed

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
def test_a_wrong_formula_is_refused_before_the_training(key, message, tiny):
    refuses(lambda: replace(tiny, encodings=(key,)), message)


# Fine-tuning, at the longest length but for one repair: on a copy, under what is read with, and measured as such.


SIZES = {"train_length": 16, "d_model": 16, "n_heads": 2, "n_layers": 1, "batch_size": 32}
CONFIG = RunConfig(("rope",), **SIZES, steps=50, tune_steps=50, repairs=("pi", "window"))


@pytest.fixture(scope="module")
def run(text):
    """What happens in the run, step by step, and its outcome at the end."""
    return list(run_encoding(CONFIG, "rope", text))


def test_the_trained_model_is_left_alone_and_its_copy_gets_the_encoding_but_not_the_mask(text):
    model, untouched = (build_model(CONFIG, "rope", text) for _ in range(2))
    count, (tuned, rest) = finished(tune(model, CONFIG, text, named("pi+window")))
    assert count == 50
    torch.testing.assert_close(dict(model.state_dict()), dict(untouched.state_dict()), rtol=0, atol=0)
    assert not torch.equal(tuned.head.weight, model.head.weight)
    q = torch.randn(1, 2, 64, 8, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(64)  # more than the training length
    turned = tuned.encoding.rotate(q, q, positions)[0]
    pressed = named("pi").build(model.encoding, CONFIG.shape).rotate(q, q, positions)[0]
    torch.testing.assert_close(turned, pressed, rtol=0, atol=0)
    assert not torch.allclose(turned, model.encoding.rotate(q, q, positions)[0])
    assert (rest.stand_in, rest.log_n) == (None, False)
    assert rest.build(tuned.encoding, CONFIG.shape) is tuned.encoding
    torch.testing.assert_close(rest.mask(64, 16), named("window").mask(64, 16))


def test_a_step_is_adamw_on_the_longest_texts(text, monkeypatch):
    model, by_hand = (build_model(CONFIG, "rope", text) for _ in range(2))
    optimiser = torch.optim.AdamW(by_hand.parameters(), lr=CONFIG.peak_learning_rate / 10)
    starts = torch.randint(len(text.train) - 128, (4, 1), generator=torch.Generator().manual_seed(0))
    pieces = text.train[starts + torch.arange(129)]
    loss = F.cross_entropy(by_hand(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(by_hand.parameters(), 1.0)
    optimiser.step()
    copies = []
    monkeypatch.setattr(training.copy, "deepcopy", lambda model: copies.append(model) or model)
    next(tune(model, CONFIG, text, AS_TRAINED))
    assert copies == [model]
    torch.testing.assert_close(model.head.weight, by_hand.head.weight, rtol=1e-4, atol=1e-6)


def test_drope_takes_rope_away_and_is_recalibrated_at_the_training_length(text, monkeypatch):
    """After a step the copy has learned from as many tokens as ever, in texts of the training length."""
    model, by_hand = (build_model(CONFIG, key, text) for key in ("rope", "none"))
    drawn, learn = [], training.learn
    monkeypatch.setattr(training, "learn", lambda *given: drawn.append(given[1].inputs.shape) or learn(*given))
    _, (tuned, rest) = finished(tune(model, CONFIG, text, named("drope")))
    assert drawn == [(32, 16)] * 50
    tokens = text.held_out[None, :40]
    by_hand.load_state_dict(tuned.state_dict())
    assert torch.equal(tuned(tokens), by_hand(tokens))
    assert rest.build(tuned.encoding, CONFIG.shape) is tuned.encoding
    assert named("drope+window").recalibrates
    assert not named("pi+window").recalibrates


def test_a_run_tunes_the_model_as_it_is_and_under_each_repair(run, text):
    assert [repair.key for repair in tuned_of(CONFIG, "rope")] == ["as_trained", "pi", "window"]
    assert tuned_of(replace(CONFIG, tune_steps=0), "rope") == []
    *pieces, outcome = run
    assert pieces[51:] == [None] * (6 * 3 + 3 * 50 + 6 * 3)
    assert sum(n for _, n in plan(CONFIG, "rope")) == len(pieces) - 1  # the trained model is no work
    assert list(outcome.tuned) == ["as_trained", "pi", "window"]
    longest = {name: read.lengths[-1].loss for name, read in outcome.tuned.items()}
    assert longest["pi"] < outcome.repaired["pi"].lengths[-1].loss
    assert longest["as_trained"] < outcome.lengths[-1].loss
    assert len(set(longest.values())) == 3


def test_a_record_keeps_what_was_repaired_and_tuned(run, text):
    record = one_seed(CONFIG, text_facts(text), {"rope": tuple(step.loss for step in run[:50])}, {"rope": run[-1]})
    assert from_json(exact_json(record)) == record
    names = [row["Encoding"] for row in rows(record)]
    assert names[1] == f"RoPE, {named('pi').title}"
    assert names[3:] == ["RoPE, As trained, fine-tuned", *(f"{name}, fine-tuned" for name in names[1:3])]
    damaged = exact_json(record).replace('"tuned": {\n    "as_trained"', '"tuned": {\n    "yarn"')
    refuses(lambda: from_json(damaged), "repair must be one of pi, window, the repairs of the run, got yarn")
