import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.alibi import Alibi, NonsymmetricAlibi, bias, nonsymmetric_bias, slopes
from tests.cases import each
from tests.strategies import head_counts, lengths, normal, offsets, seeds, whole_positions

F64 = torch.float64
INF = math.inf
EIGHT = [2**-1, 2**-2, 2**-3, 2**-4, 2**-5, 2**-6, 2**-7, 2**-8]


def test_the_steepest_of_8_heads_at_3_positions():
    causal = [[0, -INF, -INF], [-0.5, 0, -INF], [-1, -0.5, 0]]
    symmetric = [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    assert bias(torch.arange(3), 8)[0].tolist() == causal
    assert bias(torch.arange(3), 8, causal=False)[0].tolist() == symmetric


@each(
    ("n_heads", "expected"),
    [
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (3, [2**-4, 2**-8, 2**-2]),
        (4, [2**-2, 2**-4, 2**-6, 2**-8]),
        (6, [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]),
        (8, EIGHT),
        (12, [*EIGHT, 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]),  # .7071, .3536, .1768, .0884
    ],
)
def test_slopes_as_published(n_heads, expected):
    assert_close(slopes(n_heads), torch.tensor(expected, dtype=F64), atol=0, rtol=1e-15)


def test_6_heads_do_not_follow_the_formula_for_powers_of_two():
    naive = torch.tensor([2 ** (-8 * h / 6) for h in range(1, 7)], dtype=F64)  # .397, .157 ...
    assert not torch.allclose(slopes(6).sort().values, naive.sort().values, rtol=0.1)


def slope_list(n_heads):
    """The rule for any number of heads, from the definition."""
    power = max(2**e for e in range(12) if 2**e <= n_heads)
    own, double = ([2 ** (-8 * h / n) for h in range(1, n + 1)] for n in (power, 2 * power))
    return (own + double[0::2])[:n_heads]


@given(head_counts)
def test_slopes_equal_the_definition(n_heads):
    assert_close(slopes(n_heads), torch.tensor(slope_list(n_heads), dtype=F64), atol=0, rtol=1e-14)


@given(whole_positions, head_counts, st.booleans())
def test_bias_equals_the_definition(positions, n_heads, causal):
    places = positions.tolist()
    expected = [
        [[-INF if causal and n > m else -slope * abs(m - n) for n in places] for m in places]
        for slope in slope_list(n_heads)
    ]
    assert_close(bias(positions, n_heads, causal=causal, dtype=F64), torch.tensor(expected, dtype=F64))


@given(head_counts)
def test_slopes_are_distinct_and_lie_between_0_and_1(n_heads):
    assert slopes(n_heads).unique().numel() == n_heads
    assert ((slopes(n_heads) > 0) & (slopes(n_heads) < 1)).all()


@given(whole_positions, head_counts, offsets, st.booleans())
def test_the_bias_depends_on_the_distance_only(positions, n_heads, shift, causal):
    shifted = bias(positions + shift, n_heads, causal=causal)
    assert torch.equal(shifted, bias(positions, n_heads, causal=causal))


@given(seeds, lengths, head_counts)
def test_the_key_index_form_is_the_same_after_softmax_under_the_causal_mask(seed, length, n_heads):
    scores, positions = normal(seed, n_heads, length, length), torch.arange(length)
    key_index = slopes(n_heads)[:, None, None] * positions  # as published: slope * n, whatever the query
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    expected = (scores + key_index).masked_fill(future, -INF).softmax(-1)
    assert_close((scores + bias(positions, n_heads, dtype=F64)).softmax(-1), expected, atol=1e-12, rtol=0)


def test_without_the_mask_the_key_index_form_is_another_bias():
    positions = torch.arange(4)
    key_index = (slopes(2)[:, None, None] * positions).expand(2, 4, 4)
    assert not torch.allclose(key_index.softmax(-1), bias(positions, 2, causal=False, dtype=F64).softmax(-1))


@given(whole_positions, head_counts)
def test_the_diagonal_is_0_and_the_symmetric_form_is_symmetric(positions, n_heads):
    symmetric = bias(positions, n_heads, causal=False)
    assert torch.equal(symmetric, symmetric.mT)
    assert (symmetric.diagonal(dim1=1, dim2=2) == 0).all()
    assert (bias(positions, n_heads).diagonal(dim1=1, dim2=2) == 0).all()


@given(lengths, head_counts)
def test_the_causal_form_is_the_symmetric_one_up_to_the_query(length, n_heads):
    causal, symmetric = (bias(torch.arange(length), n_heads, causal=flag) for flag in (True, False))
    past = torch.ones(length, length, dtype=torch.bool).tril()
    assert torch.equal(causal[:, past], symmetric[:, past])
    assert (causal[:, ~past] == -INF).all()


@given(lengths, lengths, head_counts)
def test_a_longer_text_starts_like_the_shorter_one(length, more, n_heads):
    longer = bias(torch.arange(length + more), n_heads)
    assert torch.equal(longer[:, :length, :length], bias(torch.arange(length), n_heads))


def test_unsorted_positions_are_masked_by_position_and_not_by_place():
    order = torch.tensor([2, 0, 3, 1])
    assert torch.equal(bias(order, 4), bias(torch.arange(4), 4)[:, order][:, :, order])


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


@given(whole_positions, head_counts, offsets)
def test_nonsymmetric_halves_are_mirror_images_and_depend_on_the_distance_only(positions, half, shift):
    back, ahead = nonsymmetric_bias(positions, 2 * half).split(half)
    assert torch.equal(ahead, back.mT)
    assert torch.equal(nonsymmetric_bias(positions + shift, 2 * half), torch.cat([back, ahead]))


@given(lengths, head_counts)
def test_the_two_sides_together_are_the_symmetric_form(length, half):
    back, ahead = nonsymmetric_bias(torch.arange(length), 2 * half).split(half)
    assert torch.equal(torch.maximum(back, ahead), bias(torch.arange(length), half, causal=False))


def test_under_a_causal_mask_the_heads_that_look_ahead_see_themselves_only():
    future = torch.ones(6, 6, dtype=torch.bool).triu(1)
    weights = nonsymmetric_bias(torch.arange(6), 4).masked_fill(future, -INF).softmax(-1)
    assert torch.equal(weights[2:], torch.eye(6).expand(2, 6, 6))


@pytest.mark.parametrize("direction", ["causal", "symmetric", "nonsymmetric"])
def test_the_direction_of_the_registry_reaches_the_bias(direction, q, k):
    positions, added = torch.arange(5), ENCODINGS["alibi"].build(Shape(8, 2, 4, 8), {"direction": direction})
    expected = {
        "causal": bias(positions, 2, dtype=F64),
        "symmetric": bias(positions, 2, causal=False, dtype=F64),
        "nonsymmetric": nonsymmetric_bias(positions, 2, dtype=F64),
    }
    assert torch.equal(added.bias(q, k, positions), expected[direction])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_heads_that_look_ahead_keep_near_keys_apart_at_position_8191(dtype):
    q = torch.ones(1, 16, 4, 2, dtype=dtype)
    ahead = NonsymmetricAlibi(16).bias(q, q, torch.arange(8188, 8192))[8]
    assert ahead.dtype == dtype
    assert ahead[0].tolist() == [0, -0.5, -1, -1.5]


def test_fractional_positions_are_penalised_by_their_distance():
    assert bias(torch.tensor([0.25, 1.5]), 8)[0].tolist() == [[0, -INF], [-0.625, 0]]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_near_keys_apart_at_position_8191(dtype):
    q = torch.ones(1, 8, 4, 2, dtype=dtype)
    near = Alibi(8, causal=True).bias(q, q, torch.arange(8188, 8192))
    assert near.dtype == dtype
    assert near[0, 3].tolist() == [-1.5, -1, -0.5, 0]  # slope * key index would be 4094 ... 4095.5, all alike


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_first_of_16384_keys_is_finite(dtype):
    far = bias(torch.tensor([0, 16_383]), 8, dtype=dtype)[:, 1, 0]
    assert_close(far.double(), -16_383 * slopes(8), rtol=2**-8, atol=0)


def test_a_single_position_has_no_bias():
    assert bias(torch.tensor([5]), 3).tolist() == [[[0]], [[0]], [[0]]]


def test_heads_and_direction_change_the_bias(q, k):
    positions = torch.arange(5)
    causal = Alibi(2, causal=True).bias(q, k, positions)
    assert causal.shape == (2, 5, 5)
    assert torch.equal(causal, bias(positions, 2, dtype=F64))
    assert not torch.equal(causal, Alibi(2, causal=False).bias(q, k, positions))
    assert not torch.equal(causal[:1], Alibi(1, causal=True).bias(q, k, positions))


def test_dtype_is_the_type_of_the_bias():
    assert bias(torch.arange(2), 2).dtype == torch.float32
    assert bias(torch.arange(2), 2, dtype=torch.float16).dtype == torch.float16


@each(
    ("call", "message"),
    [
        (lambda: slopes(0), "n_heads must be at least 1, got 0"),
        (lambda: bias(torch.arange(2), -1), "n_heads must be at least 1, got -1"),
        (
            lambda: nonsymmetric_bias(torch.arange(2), 3),
            "n_heads must be even, half to look back and half ahead, got 3",
        ),
        (
            lambda: nonsymmetric_bias(torch.arange(2), 0),
            "n_heads must be even, half to look back and half ahead, got 0",
        ),
        (
            lambda: ENCODINGS["alibi"].build(Shape(9, 3, 4, 8), {"direction": "nonsymmetric"}),
            "n_heads must be even, half to look back and half ahead, got 3",
        ),
        (
            lambda: ENCODINGS["alibi"].build(Shape(8, 2, 4, 8), {"direction": "left"}),
            "direction must be one of causal, symmetric, nonsymmetric, got left",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
