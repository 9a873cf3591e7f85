"""Inside a trained model: attention as the fused kernel has it, entropies by plain loops, texts that are written."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import NOT_ASKED
from pe_core.lab.experiment.model import Attention
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS, named
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model
from pe_core.lab.inspection import inside
from pe_core.lab.inspection.inside import (
    InspectedModel,
    answered,
    attention,
    entropies,
    entropy_by_position,
    keys_by_layer,
    logits,
    written,
)
from tests.cases import each, refuses
from tests.lab.running import ready

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=2, n_layers=2, steps=50)
LENGTH = 40


@pytest.fixture(scope="module")
def tokens(text):
    return text.held_out[:LENGTH]


def grown(config, key, text):
    """A model in double precision whose learned biases are no zeros any more, as after training."""
    model = build_model(config, key, text).double().eval()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(0.1 * torch.randn(weights.shape, generator=generator, dtype=weights.dtype))
    return model


def assert_as_fused(inspected, tokens):
    """The attention that is shown, times the values, is what each layer has got from its kernel."""
    met = []

    def note(module, inputs, output):
        met.append((module.heads(*inputs), module.out, output))

    hooks = [block.attention.register_forward_hook(note) for block in inspected.model.blocks]
    logits(inspected, tokens[None])
    for hook in hooks:
        hook.remove()
    found = attention(inspected, tokens[None])
    assert len(met) == len(found)
    for probabilities, (heads, out, fused) in zip(found, met, strict=True):
        values = (probabilities @ heads.v).transpose(1, 2).flatten(2)
        assert_close(out(values), fused, atol=1e-10, rtol=0)
        assert_close(probabilities.sum(-1), torch.ones_like(probabilities[..., 0]), atol=1e-12, rtol=0)
    assert not bool(found.triu(1).any())


@each("key", ENCODINGS)
@each("mask", ["causal", "sinks"])
def test_the_attention_shown_is_that_of_the_fused_kernel(key, mask, text, tokens):
    config = replace(CONFIG, encodings=(key,), mask=mask)
    assert_as_fused(InspectedModel(grown(config, key, text), config), tokens)


@each("repair", [*REPAIRS, "ntk+window"])
def test_it_is_so_under_every_repair(repair, text, tokens):
    key = next(key for key in ("none", "sinusoidal", "rope", "learned") if named(repair).is_for(key))
    config = replace(CONFIG, encodings=(key,))
    model = grown(config, key, text)
    assert_as_fused(InspectedModel(model, config, ready(named(repair), model, config, text)), tokens)


@each("repair", [AS_TRAINED, *(REPAIRS[key] for key in ("window", "yarn", "grouped"))])
def test_the_scores_are_those_that_a_run_is_measured_by(repair, text):
    inspected = InspectedModel(build_model(CONFIG, "rope", text).eval(), CONFIG, repair)
    measured = measure(inspected.model, CONFIG, text, LENGTH, inspected.repair)
    scored = logits(inspected, text.held_out[None, :LENGTH])[0]
    losses = -scored.log_softmax(-1).gather(1, text.held_out[1 : LENGTH + 1, None])
    assert_close(losses[:, 0].double(), measured.losses[0], atol=1e-5, rtol=0)


def test_a_head_by_plain_loops():
    layer = Attention(2, 1).double()
    with torch.no_grad():
        layer.qkv.weight.copy_(torch.tensor([[1, 0], [0, 1], [0, 2], [1, 0], [1, 1], [0, 0]]))
    x = torch.tensor([[[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]], dtype=torch.float64)
    none = ENCODINGS["none"].build(CONFIG.shape)
    found = layer.heads(x, torch.arange(3), None, none).probabilities()[0, 0]
    for m, (a, b) in enumerate(x[0].tolist()):
        row = [math.exp((a * 2 * d + b * c) / math.sqrt(2)) for c, d in x[0, : m + 1].tolist()]
        assert found[m, : m + 1].tolist() == pytest.approx([weight / sum(row) for weight in row], abs=1e-12)
        assert found[m, m + 1 :].tolist() == [0.0] * (2 - m)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda weights: sum(weights) > 1e-3))
def test_entropy_is_that_of_a_plain_loop_and_at_most_that_of_even_attention(weights):
    shares = [weight / sum(weights) for weight in weights]
    found = float(entropies(torch.tensor([[shares]], dtype=torch.float64)))
    assert found == pytest.approx(-sum(share * math.log(share) for share in shares if share > 0), abs=1e-12)
    assert -1e-12 <= found <= math.log(len(shares)) + 1e-12


def test_the_attention_on_right_answers_by_hand():
    probabilities = torch.tensor([[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.2, 0.3]])[None, None]
    read, answers = torch.tensor([4, 7, 4]), torch.tensor([NOT_ASKED, 7, 4])  # the last one: keys 0 and 2 are a 4
    assert inside.on_answers(probabilities, read, answers).tolist() == [[pytest.approx((0.75 + 0.8) / 2)]]
    both = torch.cat([probabilities, probabilities.flip(-2)], dim=1)
    assert inside.on_answers(both, read, answers)[0].tolist() == pytest.approx([0.775, (0.75 + 1) / 2])


def test_a_layer_sees_the_keys_that_the_run_the_repair_and_its_encoding_allow(text, tokens):
    config = replace(CONFIG, encodings=("gemma3",))  # windows of 8 in the first layer
    for mask, repair, least in (("causal", AS_TRAINED, LENGTH), ("window", AS_TRAINED, 8), ("causal", "window", 16)):
        own = replace(config, mask=mask)
        repair = named(repair) if isinstance(repair, str) else repair
        inspected = InspectedModel(grown(own, "gemma3", text), own, repair)
        expected = [[min(m + 1, seen, least) for m in range(LENGTH)] for seen in (8, LENGTH)]
        assert keys_by_layer(inspected, LENGTH).tolist() == expected
        found = attention(inspected, tokens[None])
        assert (found > 0).sum(-1).tolist() == [[[row] * 2] for row in expected]


def test_entropy_by_position_is_the_mean_over_texts(text):
    inspected = InspectedModel(build_model(CONFIG, "rope", text).eval(), CONFIG)
    texts = text.held_out[: 3 * LENGTH].view(3, LENGTH)
    found = entropy_by_position(inspected, texts)
    assert found.shape == (2, 2, LENGTH)
    assert found[:, :, 0].abs().max() == 0
    one = [entropies(attention(inspected, row[None]))[1, 0, 1, -1] for row in texts]
    assert float(found[1, 1, -1]) == pytest.approx(float(sum(one)) / 3)


# What is written.


@pytest.fixture(scope="module")
def inspected(text):
    model = build_model(CONFIG, "rope", text).eval()
    with torch.no_grad():
        model.head.weight.mul_(5)
    return InspectedModel(model, CONFIG)


def test_the_likeliest_symbol_is_taken_each_time_also_past_the_training_length(inspected, text):
    start = text.held_out[:10]
    found = list(written(inspected, start, 30))
    assert len(found) == 20
    whole = start.tolist()
    for symbol in found:
        logits = inspected.model(torch.tensor([whole]))[0, -1]
        assert symbol == int(logits.argmax())
        whole.append(symbol)


def test_a_seed_draws_the_same_text_and_another_one_another(inspected, text):
    first, again, other = (
        list(written(inspected, text.held_out[:5], 40, temperature=1.0, seed=seed)) for seed in (0, 0, 1)
    )
    assert first == again != other


def test_draws_follow_the_softmax_of_the_scores(text):
    model = build_model(CONFIG, "none", text).eval()
    inspected, start = InspectedModel(model, CONFIG), text.held_out[:4]
    with torch.no_grad():
        model.head.weight.mul_(2)
        expected = (model(start[None])[0, -1].double() / 0.5).softmax(-1)
    best = int(expected.argmax())
    drawn = [next(written(inspected, start, 5, temperature=0.5, seed=seed)) for seed in range(200)]
    share, spread = drawn.count(best) / 200, math.sqrt(float(expected[best] * (1 - expected[best])) / 200)
    assert abs(share - float(expected[best])) < 4 * spread


def test_a_repair_changes_what_is_written_past_the_training_length_only(inspected, text):
    start = text.held_out[:5]
    own, repaired = (
        list(written(replace(inspected, repair=repair), start, 120)) for repair in (AS_TRAINED, REPAIRS["window"])
    )
    assert own[:12] == repaired[:12]  # the symbol at place 16 is drawn from a text of 16
    assert own != repaired


@each(
    ("n_start", "options", "message"),
    [
        (0, {}, "start must have at least one symbol, got 0"),
        (3, {"temperature": -0.1}, "temperature must be at least 0, got -0.1"),
        (3, {"temperature": math.nan}, "temperature must be at least 0, got nan"),
    ],
)
def test_what_cannot_be_written(inspected, text, n_start, options, message):
    refuses(lambda: next(written(inspected, text.held_out[:n_start], 10, **options)), message)


# What is answered.


def test_answers_are_the_likeliest_symbols_after_what_was_told_and_answered_before(inspected, text):
    told = text.held_out[:24]
    asked = torch.tensor([place in (4, 5, 9, 23) for place in range(24)])
    whole = []
    for symbol, is_asked in zip(told.tolist(), asked.tolist(), strict=True):
        whole.append(int(inspected.model(torch.tensor([whole]))[0, -1].argmax()) if is_asked else symbol)
    assert list(answered(inspected, told, asked)) == whole
    assert whole != told.tolist()
    assert told.tolist() == text.held_out[:24].tolist()  # the example itself is left as it was


def test_the_first_symbol_cannot_be_asked(inspected, text):
    with pytest.raises(ValueError, match=r"^asked must be false at the first symbol, got True$"):
        next(answered(inspected, text.held_out[:3], torch.tensor([True, False, False])))
