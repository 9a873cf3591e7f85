"""Inside a trained model: attention as the fused kernel has it, entropies by loops, what is written and answered."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import NOT_ASKED, Examples
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS, named
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model
from pe_core.lab.inspection import inside
from pe_core.lab.inspection.inside import InspectedModel, answered, attention, entropies, keys_by_layer, logits, written
from tests.cases import each, refuses
from tests.encodings.loops import plain_entropy
from tests.lab.running import ready

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=2, n_layers=2, steps=50)
LENGTH = 40
SUITED = ("none", "sinusoidal", "rope", "learned")  # one of them suits every repair


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


@each(
    ("key", "mask", "repair"),
    [
        *((key, mask, AS_TRAINED) for key in ENCODINGS for mask in ("causal", "sinks")),
        *((next(filter(one.is_for, SUITED)), "causal", one) for one in (*REPAIRS.values(), named("ntk+window"))),
    ],
)
def test_the_attention_shown_is_that_of_the_fused_kernel(key, mask, repair, text):
    config = replace(CONFIG, encodings=(key,), mask=mask)
    model = grown(config, key, text)
    assert_as_fused(InspectedModel(model, config, ready(repair, model, config, text)), text.held_out[:LENGTH])


@each("repair", [AS_TRAINED, *(REPAIRS[key] for key in ("window", "yarn", "grouped"))])
def test_the_scores_are_those_that_a_run_is_measured_by(repair, text):
    inspected = InspectedModel(build_model(CONFIG, "rope", text).eval(), CONFIG, repair)
    measured = measure(inspected.model, CONFIG, text, LENGTH, inspected.repair)
    scored = logits(inspected, text.held_out[None, :LENGTH])[0]
    losses = -scored.log_softmax(-1).gather(1, text.held_out[1 : LENGTH + 1, None])
    assert_close(losses[:, 0].double(), measured.losses[0], atol=1e-5, rtol=0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda weights: sum(weights) > 1e-3))
def test_entropy_is_that_of_a_plain_loop_and_at_most_that_of_even_attention(weights):
    shares = [weight / sum(weights) for weight in weights]
    found = float(entropies(torch.tensor([[shares]], dtype=torch.float64)))
    assert found == pytest.approx(plain_entropy(shares), abs=1e-12)
    assert -1e-12 <= found <= math.log(len(shares)) + 1e-12


def test_the_attention_on_right_answers_by_hand():
    probabilities = torch.tensor([[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.2, 0.3]])[None, None]
    read, answers = torch.tensor([4, 7, 4]), torch.tensor([NOT_ASKED, 7, 4])  # the last one: keys 0 and 2 are a 4
    assert inside.on_answers(probabilities, read, answers).tolist() == [[pytest.approx((0.75 + 0.8) / 2)]]
    both = torch.cat([probabilities, probabilities.flip(-2)], dim=1)
    assert inside.on_answers(both, read, answers)[0].tolist() == pytest.approx([0.775, (0.75 + 1) / 2])


def test_a_layer_sees_the_keys_that_the_run_the_repair_and_its_encoding_allow(text):
    config = replace(CONFIG, encodings=("gemma3",))  # windows of 8 in the first layer
    window = named("window")
    for mask, repair, least in (("causal", AS_TRAINED, LENGTH), ("window", AS_TRAINED, 8), ("causal", window, 16)):
        own = replace(config, mask=mask)
        inspected = InspectedModel(grown(own, "gemma3", text), own, repair)
        expected = [[min(m + 1, seen, least) for m in range(LENGTH)] for seen in (8, LENGTH)]
        assert keys_by_layer(inspected, LENGTH).tolist() == expected
        found = attention(inspected, text.held_out[None, :LENGTH])
        assert (found > 0).sum(-1).tolist() == [[[row] * 2] for row in expected]


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


def test_draws_follow_the_softmax_of_the_scores_and_repeat_with_the_seed(inspected, text):
    start = text.held_out[:4]
    with torch.no_grad():
        expected = (inspected.model(start[None])[0, -1].double() / 1.5).softmax(-1)
    best = int(expected.argmax())
    drawn, again = (
        [next(written(inspected, start, 5, temperature=1.5, seed=seed)) for seed in range(200)] for _ in range(2)
    )
    assert drawn == again
    share, spread = drawn.count(best) / 200, math.sqrt(float(expected[best] * (1 - expected[best])) / 200)
    assert abs(share - float(expected[best])) < 4 * spread


def test_a_repair_changes_what_is_written_past_the_training_length_only(inspected, text):
    start = text.held_out[:5]
    own, repaired = (
        list(written(replace(inspected, repair=repair), start, 120)) for repair in (AS_TRAINED, REPAIRS["window"])
    )
    assert own[:12] == repaired[:12]  # the symbol at place 16 is drawn from a text of 16
    assert own != repaired


def test_what_cannot_be_written_or_asked(inspected, text):
    start = text.held_out[:3]
    for temperature in (-0.1, math.nan):
        rule = f"temperature must be at least 0, got {temperature}"
        refuses(lambda wrong=temperature: next(written(inspected, start, 10, temperature=wrong)), rule)
    refuses(lambda: next(written(inspected, start[:0], 10)), "start must have at least one symbol, got 0")
    asked = torch.tensor([True, False, False])
    refuses(lambda: next(answered(inspected, start, asked)), "asked must be false at the first symbol, got True")


def test_answers_are_the_likeliest_symbols_after_what_was_told_and_answered_before(inspected, text):
    told = text.held_out[:24]
    asked = torch.tensor([place in (4, 5, 9, 23) for place in range(24)])
    whole = []
    for symbol, is_asked in zip(told.tolist(), asked.tolist(), strict=True):
        whole.append(int(inspected.model(torch.tensor([whole]))[0, -1].argmax()) if is_asked else symbol)
    assert list(answered(inspected, told, asked)) == whole
    assert whole != told.tolist()
    assert told.tolist() == text.held_out[:24].tolist()  # the example itself is left as it was


# How thinly they attend: over a text in blocks of eight, and in a task over the queries that answer.


def models_of(dataset, *keys):
    config = replace(CONFIG, encodings=keys)
    return {key: InspectedModel(build_model(config, key, dataset).eval(), config) for key in config.encodings}


def test_over_a_text_every_point_is_the_mean_of_eight_positions_and_all_texts(text):
    texts = text.held_out[: 3 * 32].view(3, 32)
    models = models_of(text, "rope", "none")
    found = inside.over_positions(models, texts)
    assert found.read.tolist() == [4.5, 12.5, 20.5, 28.5]
    assert found.within(16) == 1
    for key, inspected in models.items():
        assert found.entropy[key].shape == found.fraction[key].shape == (2, 2, 4)
        rows = [attention(inspected, one[None])[1, 0, 1, 8:16].double().tolist() for one in texts]
        plain = [plain_entropy(row) for one in rows for row in one]
        assert float(found.entropy[key][1, 1, 1]) == pytest.approx(sum(plain) / 24, abs=1e-6)
        shares = [plain_entropy(row) / math.log(9 + place) for one in rows for place, row in enumerate(one)]
        assert float(found.fraction[key][1, 1, 1]) == pytest.approx(sum(shares) / 24, abs=1e-6)
    assert float(found.even[1]) == pytest.approx(sum(math.log(n) for n in range(9, 17)) / 8)


@each("key", ["copy", "lookup", "addition"])
def test_in_a_task_only_the_queries_that_answer_count(key):
    models = models_of(TASKS[key], "rope", "none")
    examples = {length: TASKS[key].held_out_examples(length).part(0, 3) for length in (16, 32)}
    found = inside.where_asked(models, examples)
    assert found.read.tolist() == [16, 32]
    assert found.within(16) == found.within(31) == 0
    one = examples[32]
    plain, shares, even = [], [], []
    for tokens, asked in zip(one.inputs, one.asked.tolist(), strict=True):
        rows = attention(models["rope"], tokens[None])[0, 0, 1].double().tolist()
        for place, row in enumerate(rows):
            if asked[place]:
                plain.append(plain_entropy(row))
                even.append(math.log(place + 1))
                shares.append(plain[-1] / even[-1])
    assert float(found.entropy["rope"][0, 1, 1]) == pytest.approx(sum(plain) / len(plain), abs=1e-6)
    assert float(found.fraction["rope"][0, 1, 1]) == pytest.approx(sum(shares) / len(shares), abs=1e-6)
    assert float(found.even[1]) == pytest.approx(sum(even) / len(even))


def test_a_query_with_one_key_has_no_fraction():
    models, examples = models_of(TASKS["copy"], "rope"), Examples(torch.tensor([[1, 2]]), torch.tensor([[5, 6]]))
    found = inside.where_asked(models, {2: examples})
    lone = attention(models["rope"], examples.inputs)[0, 0, 0, 1].double().tolist()
    assert float(found.fraction["rope"][0, 0, 0]) == pytest.approx(plain_entropy(lone) / math.log(2), abs=1e-6)


def test_a_layer_of_windows_is_compared_with_even_attention_to_what_it_sees(text):
    models, read = models_of(text, "gemma3"), text.held_out[:32]
    by_text = inside.over_positions(models, read[None]).fraction["gemma3"]
    examples = Examples(read[None, :-1], torch.where(torch.arange(31) == 30, read[1:], NOT_ASKED)[None])
    asked = inside.where_asked(models, {31: examples}).fraction["gemma3"]
    rows = attention(models["gemma3"], read[None])[:, 0, 0].double().tolist()
    for layer, seen in enumerate((8, 32)):  # windows of 8 in the first layer
        fractions = [plain_entropy(row) / math.log(min(m + 1, seen)) for m, row in enumerate(rows[layer]) if m]
        assert float(by_text[layer, 0, -1]) == pytest.approx(sum(fractions[-8:]) / 8, abs=1e-6)
        assert float(asked[layer, 0, 0]) == pytest.approx(fractions[29], abs=1e-6)
