"""How thinly models attend: over a text in blocks of eight, and in a task over the queries that answer."""

import math
from dataclasses import replace

import pytest
import torch

from pe_core.lab.experiment.datasets import NOT_ASKED, Examples
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model
from pe_core.lab.inspection import inside
from pe_core.lab.inspection.inside import InspectedModel, attention
from pe_core.lab.inspection.sample_input import questions
from tests.cases import each

CONFIG = RunConfig(("rope", "none"), train_length=16, d_model=16, n_heads=2, n_layers=2, steps=50)


def models_of(dataset, config=CONFIG):
    return {key: InspectedModel(build_model(config, key, dataset).eval(), config) for key in config.encodings}


def plain_entropy(row):
    return -sum(p * math.log(p) for p in row if p > 0)


def test_over_a_text_every_point_is_the_mean_of_eight_positions_and_all_texts(text):
    texts = text.held_out[: 3 * 32].view(3, 32)
    models = models_of(text)
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
    models = models_of(TASKS[key])
    examples = {length: questions(TASKS[key], length, 3) for length in (16, 32)}
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
    examples = Examples(torch.tensor([[1, 2]]), torch.tensor([[5, 6]]))
    found = inside.where_asked(models_of(TASKS["copy"]), {2: examples})
    lone = attention(models_of(TASKS["copy"])["rope"], examples.inputs)[0, 0, 0, 1].double().tolist()
    assert float(found.fraction["rope"][0, 0, 0]) == pytest.approx(plain_entropy(lone) / math.log(2), abs=1e-6)


def test_a_layer_of_windows_is_compared_with_even_attention_to_what_it_sees(text):
    config = replace(CONFIG, encodings=("gemma3",))  # windows of 8 in the first layer
    inspected, read = InspectedModel(build_model(config, "gemma3", text).eval(), config), text.held_out[:32]
    by_text = inside.over_positions({"gemma3": inspected}, read[None]).fraction["gemma3"]
    examples = Examples(read[None, :-1], torch.where(torch.arange(31) == 30, read[1:], NOT_ASKED)[None])
    asked = inside.where_asked({"gemma3": inspected}, {31: examples}).fraction["gemma3"]
    rows = attention(inspected, read[None])[:, 0, 0].double().tolist()
    for layer, seen in enumerate((8, 32)):
        fractions = [plain_entropy(row) / math.log(min(m + 1, seen)) for m, row in enumerate(rows[layer]) if m]
        assert float(by_text[layer, 0, -1]) == pytest.approx(sum(fractions[-8:]) / 8, abs=1e-6)
        assert float(asked[layer, 0, 0]) == pytest.approx(fractions[29], abs=1e-6)
