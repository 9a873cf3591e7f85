import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.alibi import bias, nonsymmetric_bias, slopes
from tests.cases import each, refuses
from tests.strategies import head_counts, lengths, normal, real_positions, seeds, whole_positions

F64 = torch.float64
INF = math.inf


def test_the_steepest_of_8_heads_at_3_positions():
    causal = [[0, -INF, -INF], [-0.5, 0, -INF], [-1, -0.5, 0]]
    symmetric = [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    assert bias(torch.arange(3), 8)[0].tolist() == causal
    assert bias(torch.arange(3), 8, causal=False)[0].tolist() == symmetric


def test_slopes_as_published():
    power, more = [2**-2, 2**-4, 2**-6, 2**-8], [2**-1, 2**-3]
    assert_close(slopes(4), torch.tensor(power, dtype=F64), atol=0, rtol=1e-15)
    assert_close(slopes(6), torch.tensor(power + more, dtype=F64), atol=0, rtol=1e-15)


def slope_list(n_heads):
    """The rule for any number of heads, from the definition."""
    power = max(2**e for e in range(12) if 2**e <= n_heads)
    own, double = ([2 ** (-8 * h / n) for h in range(1, n + 1)] for n in (power, 2 * power))
    return (own + double[0::2])[:n_heads]


@given(head_counts)
def test_slopes_equal_the_definition(n_heads):
    assert_close(slopes(n_heads), torch.tensor(slope_list(n_heads), dtype=F64), atol=0, rtol=1e-14)


@given(real_positions, head_counts, st.booleans())
def test_bias_equals_the_definition(positions, n_heads, causal):
    places = positions.tolist()
    expected = [
        [[-INF if causal and n > m else -slope * abs(m - n) for n in places] for m in places]
        for slope in slope_list(n_heads)
    ]
    assert_close(bias(positions, n_heads, causal=causal, dtype=F64), torch.tensor(expected, dtype=F64))


@given(seeds, lengths, head_counts)
def test_the_key_index_form_is_the_same_after_softmax_under_the_causal_mask(seed, length, n_heads):
    scores, positions = normal(seed, n_heads, length, length), torch.arange(length)
    key_index = slopes(n_heads)[:, None, None] * positions  # as published: slope * n, whatever the query
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    expected = (scores + key_index).masked_fill(future, -INF).softmax(-1)
    assert_close((scores + bias(positions, n_heads, dtype=F64)).softmax(-1), expected, atol=1e-12, rtol=0)


def test_two_heads_at_3_positions_look_to_one_side_each():
    back = [[0, -INF, -INF], [-(2**-8), 0, -INF], [-(2**-7), -(2**-8), 0]]
    ahead = [[0, -(2**-8), -(2**-7)], [-INF, 0, -(2**-8)], [-INF, -INF, 0]]
    assert nonsymmetric_bias(torch.arange(3), 2).tolist() == [back, ahead]


@given(whole_positions, head_counts)
def test_the_nonsymmetric_bias_equals_the_definition(positions, half):
    places = positions.tolist()
    expected = [
        [[-slope * abs(m - n) if (m - n) * side >= 0 else -INF for n in places] for m in places]
        for side in (1, -1)
        for slope in slope_list(half)
    ]
    assert_close(nonsymmetric_bias(positions, 2 * half, dtype=F64), torch.tensor(expected, dtype=F64))


@each("direction", ["causal", "symmetric", "nonsymmetric"])
def test_the_direction_of_the_registry_reaches_the_bias(direction, q, k):
    positions, added = torch.arange(5), ENCODINGS["alibi"].build(Shape(8, 2, 4, 8), {"direction": direction})
    expected = {
        "causal": bias(positions, 2, dtype=F64),
        "symmetric": bias(positions, 2, causal=False, dtype=F64),
        "nonsymmetric": nonsymmetric_bias(positions, 2, dtype=F64),
    }
    assert torch.equal(added.bias(q, k, positions), expected[direction])


def test_errors():
    halves = "n_heads must be even, half to look back and half ahead, got 3"
    refuses(lambda: slopes(0), "n_heads must be at least 1, got 0")
    refuses(lambda: nonsymmetric_bias(torch.arange(2), 3), halves)
    refuses(lambda: ENCODINGS["alibi"].build(Shape(9, 3, 4, 8), {"direction": "nonsymmetric"}), halves)
