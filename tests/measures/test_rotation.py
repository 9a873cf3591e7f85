"""RoPE taken apart, against golden numbers and formulas written out."""

import cmath
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.measures import rotation
from pe_core.measures.rotation import decay_bound, first_negative, interpolated, partial_sums
from tests.cases import each
from tests.strategies import bases, even_widths, normal, offsets, seeds

F64 = torch.float64


def test_a_quarter_turn_by_hand():
    x, frequencies = torch.tensor([1.0, 2.0], dtype=F64), torch.tensor([math.pi / 2], dtype=F64)
    for form in (rotation.real_form, rotation.complex_form):
        assert_close(form(x, 1, frequencies), torch.tensor([-2.0, 1.0], dtype=F64), atol=1e-15, rtol=0)
    expected = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=F64)
    assert_close(rotation.matrix(1, frequencies), expected, atol=1e-15, rtol=0)
    assert rotation.score(x, x, 1, 0, frequencies) == pytest.approx(0, abs=1e-15)  # at a right angle to itself
    assert_close(rotation.without_minus(x, 1, frequencies), torch.tensor([2.0, 1.0], dtype=F64), atol=1e-15, rtol=0)


@given(seeds, even_widths, offsets)
def test_the_three_forms_are_the_one_that_models_use_in_either_layout(seed, width, position):
    x, frequencies, positions = normal(seed, width), rotary.frequencies(width), torch.tensor([position])
    expected, order = rotary.rotate(x[None], positions, frequencies)[0], rotation.half_order(width)
    half = rotary.rotate(x[None, order], positions, frequencies, layout="half")[0]
    assert_close(half, expected[order], atol=1e-11, rtol=0)
    assert_close(rotation.real_form(x, position, frequencies), expected, atol=1e-11, rtol=0)
    assert_close(rotation.complex_form(x, position, frequencies), expected, atol=1e-11, rtol=0)
    assert_close(rotation.matrix(position, frequencies) @ x, expected, atol=1e-11, rtol=0)


@given(seeds, even_widths, offsets, offsets)
def test_pairs_add_up_to_the_score_at_that_distance(seed, width, query, key):
    (q, k), frequencies = normal(seed, 2, width), rotary.frequencies(width)
    expected = rotation.score(q, k, query, key, frequencies)
    distance = torch.tensor([query - key])
    assert float(rotation.pair_scores(q, k, query - key, frequencies).sum()) == pytest.approx(expected, abs=1e-10)
    assert float(rotation.scores(q, k, distance, frequencies)[0]) == pytest.approx(expected, abs=1e-10)
    assert rotation.score(q, k, query + 77, key + 77, frequencies) == pytest.approx(expected, abs=1e-10)


def test_a_pair_meets_as_much_of_a_turn_as_training_is_long():
    frequencies = torch.tensor([1.0, 2 * math.pi / 100], dtype=F64)
    assert_close(rotation.turned_through(frequencies, 63), torch.tensor([1.0, 0.63], dtype=F64))
    assert rotation.turned_through(frequencies, 0).tolist() == [0, 0]


@each(("head_dim", "expected"), [(16, [16, 46, 91, 405]), (128, [59, 171, 1707, 18_438])])
def test_the_first_negative_sum(head_dim, expected):
    assert [first_negative(rotary.frequencies(head_dim, base)) for base in (1e2, 5e2, 1e4, 5e5)] == expected


@given(even_widths, bases)
def test_the_first_negative_sum_is_negative_and_all_before_are_not(head_dim, base):
    def total(distance):
        return sum(math.cos(distance * base ** (-2 * i / head_dim)) for i in range(head_dim // 2))

    found = first_negative(rotary.frequencies(head_dim, base), farthest=200)
    assert all(total(distance) >= -1e-9 for distance in range(201 if found is None else found))
    assert found is None or total(found) < 1e-9


@given(even_widths, bases, st.lists(st.integers(-5000, 5000), min_size=1, max_size=5))
def test_partial_sums_equal_the_definition(head_dim, base, distances):
    pairs = range(head_dim // 2)
    hands = [[cmath.exp(1j * m * base ** (-2 * i / head_dim)) for i in pairs] for m in distances]
    expected = [[abs(sum(hand[: j + 1])) for j in pairs] for hand in hands]
    found = partial_sums(torch.tensor(distances), rotary.frequencies(head_dim, base))
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-9)


def test_the_decay_bound_by_hand():
    """Two pairs of content 1 and 1/2, half a turn apart at distance 1: |1 - 1/2| * 1 + 1/2 * |1 - 1|."""
    q, k = torch.tensor([1.0, 0, 1, 0], dtype=F64), torch.tensor([1.0, 0, 0.5, 0], dtype=F64)
    frequencies = torch.tensor([0.0, math.pi], dtype=F64)
    found = decay_bound(q, k, torch.tensor([0, 1]), frequencies)
    assert_close(found, torch.tensor([1.5, 0.5], dtype=F64), rtol=0, atol=1e-12)
    assert_close(rotation.scores(q, k, torch.tensor([0, 1]), frequencies), found, rtol=0, atol=1e-12)


@given(seeds, even_widths, bases, st.lists(st.integers(-5000, 5000), min_size=1, max_size=5), st.booleans())
def test_the_decay_bound_is_a_theorem(seed, width, base, distances, equal):
    q, k = normal(seed, 2, width)
    k = q if equal else k
    frequencies, places = rotary.frequencies(width, base), torch.tensor(distances)
    bound = decay_bound(q, k, places, frequencies)
    assert bool((rotation.scores(q, k, places, frequencies).abs() <= bound + 1e-9).all())
    pairs = [complex(*q[i : i + 2].tolist()) * complex(*k[i : i + 2].tolist()).conjugate() for i in range(0, width, 2)]
    steps = [abs(here - after) for here, after in zip(pairs, [*pairs[1:], 0], strict=True)]
    for distance, found in zip(distances, bound.tolist(), strict=True):
        hands = [cmath.exp(1j * distance * base ** (-i / width)) for i in range(0, width, 2)]
        by_parts = sum(step * abs(sum(hands[: j + 1])) for j, step in enumerate(steps))
        assert found == pytest.approx(min(by_parts, sum(map(abs, pairs))), abs=1e-9)
        looser = max(steps) * sum(abs(sum(hands[: j + 1])) for j in range(len(hands)))  # equation 37, to its end
        assert found <= looser + 1e-9


@each("farthest", [4095, 4096, 4097])
def test_a_distance_of_any_block_is_found(farthest):
    """A single pair turns negative a little past a quarter of its wavelength."""
    frequencies = torch.tensor([math.pi / 2 / (farthest - 0.5)], dtype=torch.float64)
    assert first_negative(frequencies, farthest=farthest) == farthest
    assert first_negative(frequencies, farthest=farthest - 1) is None


@given(st.lists(st.tuples(st.floats(1e-6, 1), st.floats(0, 1)), min_size=1, max_size=6), st.floats(1.01, 1000))
def test_shares_are_read_back_from_a_blend(pairs, scale):
    before, shares = torch.tensor(pairs, dtype=F64).T
    after = (1 - shares) * before + shares * before / scale
    assert_close(interpolated(before, after, scale), shares, rtol=0, atol=1e-12)
