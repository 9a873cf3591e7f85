"""How attention spreads: by hand, against sums written out, and against the formula where it holds."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import log_n
from pe_core.measures import entropy as measured
from pe_core.measures.entropy import by_number_of_keys, entropy, normal_scores
from tests.cases import each
from tests.strategies import normal, seeds


def summed(scores):
    weights = [math.exp(score) for score in scores]
    total = sum(weights)
    return -sum(weight / total * math.log(weight / total) for weight in weights if weight)


@given(seeds, st.integers(1, 12), st.floats(0, 5))
def test_entropy_is_the_sum_written_out(seed, n, spread):
    scores = spread * normal(seed, 3, n)
    assert entropy(scores).tolist() == pytest.approx([summed(row) for row in scores.tolist()], abs=1e-12)


def test_entropy_by_hand():
    assert entropy(torch.zeros(8)).item() == pytest.approx(math.log(8), abs=1e-15)
    assert entropy(torch.tensor([0.0, -math.inf, 0.0])).item() == pytest.approx(math.log(2), abs=1e-15)
    assert entropy(torch.tensor([math.log(3), 0.0])).item() == pytest.approx(math.log(4) - 0.75 * math.log(3), abs=1e-7)
    assert entropy(torch.tensor([2_000.0, 0.0])).item() == 0


@each("spread", [0.0, 1.5])
def test_the_formula_holds_for_many_keys(spread):
    n = 20_000
    found = float(entropy(normal_scores(n, spread)).mean())
    assert found == pytest.approx(float(measured.expected(torch.tensor([n]), spread)), abs=0.01)


def test_the_formula_fails_for_fewer_keys_than_it_needs():
    n, spread = 32, 3.0
    assert n < measured.enough_keys(spread) == math.exp(4.5)
    assert float(measured.expected(torch.tensor([n]), spread)) < 0 < float(entropy(normal_scores(n, spread)).mean())


def test_scores_are_the_same_however_many_are_drawn():
    assert torch.equal(normal_scores(5, 2.0), normal_scores(40, 2.0)[:, :5])
    assert_close(normal_scores(7, 3.0), 3 * normal_scores(7, 1.0))


@each("slope", [0.5, 1 / 256])
def test_each_way_to_attend_written_out(slope):
    n_keys, length, spread = [3, 8, 20], 8, 1.5
    found = by_number_of_keys(torch.tensor(n_keys), spread, length, slope)
    scores = normal_scores(20, spread).tolist()
    assert list(found) == ["plain", "log-n", "window", "ALiBi"]
    for place, n in enumerate(n_keys):
        scale = max(1.0, math.log(n) / math.log(length))
        ways = {
            "plain": [row[:n] for row in scores],
            "log-n": [[scale * score for score in row[:n]] for row in scores],
            "window": [row[: min(n, length)] for row in scores],
            "ALiBi": [[score - slope * distance for distance, score in enumerate(row[:n])] for row in scores],
        }
        for name, rows in ways.items():
            mean = sum(map(summed, rows)) / len(rows)
            assert float(found[name][place]) == pytest.approx(mean, abs=1e-12), name


@each("length", [16, 128])
def test_log_n_holds_the_level_at_its_spread(length):
    def slope(spread):
        n_keys = torch.tensor([[length], [length + 1]]).double()
        before, after = (float(measured.expected(n, log_n.factor(n, length, dtype=n.dtype) * spread)) for n in n_keys)
        return (after - before) / (math.log(length + 1) - math.log(length))

    spread = measured.level_spread(length)
    assert slope(spread / 2) > 0 > slope(2 * spread)
    assert slope(spread) == pytest.approx(0, abs=0.02)
