"""Kendall's tau against pairs counted one by one, and the paired test against known tables."""

import math
from itertools import combinations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.measures.agreement import holm, kendall_tau, p_value, ranks, spearman
from tests.cases import each

# Two-sided 5 % points of Student's t by degrees of freedom, as every table of statistics has them.
CRITICAL = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 9: 2.2622, 30: 2.0423}


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def counted(first, second):
    moves = [(a - c, b - d) for (a, b), (c, d) in combinations(zip(first, second, strict=True), 2)]
    agreed = sum((a * b > 0) - (a * b < 0) for a, b in moves)
    return agreed / math.sqrt(sum(a != 0 for a, _ in moves) * sum(b != 0 for _, b in moves))


SERIES = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=9)


@given(SERIES)
def test_it_counts_the_pairs(pairs):
    first, second = zip(*pairs, strict=True)
    if len(set(first)) > 1 and len(set(second)) > 1:
        assert kendall_tau(numbers(*first), numbers(*second)) == pytest.approx(counted(first, second), abs=1e-12)


@each("freedom", CRITICAL)
def test_p_is_five_per_cent_at_the_critical_values(freedom):
    values = torch.arange(freedom + 1, dtype=torch.float64)
    values -= values.mean()
    values += CRITICAL[freedom] * values.std() / math.sqrt(len(values))
    assert p_value(values) == pytest.approx(0.05, abs=1e-5)
    assert p_value(-values) == pytest.approx(0.05, abs=1e-5)


def test_two_degrees_of_freedom_by_hand():
    # mean 2, standard deviation 1: t = 2 sqrt 3, and for two degrees of freedom 1 - p = t / sqrt(2 + t^2)
    assert p_value(numbers(1, 2, 3)) == pytest.approx(1 - math.sqrt(12 / 14), abs=1e-12)
    assert p_value(numbers(5.0)) == p_value(numbers()) == p_value(numbers(0, 0, 0)) == 1  # too little says nothing


def test_differences_without_a_spread_say_nothing_and_a_small_one_counts():
    for difference in (0.5, -0.1, 1e-6):
        assert p_value(numbers(*[difference] * 3)) == 1, difference
        # Computed from two systems they differ in their rounding, which is no spread either.
        first = numbers(1.1, 2.1, 3.1)
        assert p_value((first + difference) - first) == 1, difference
    assert p_value(numbers(0.5, 0.5001)) == pytest.approx(1 - 2 / math.pi * math.atan(10_001), rel=1e-6)


def test_holm_by_hand():
    # 3 × 0.01, 2 × 0.02, 1 × 0.03, none below the one before it
    assert holm([0.02, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.7]) == [0.7]
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def naive_ranks(values):
    """Places in sorted order from 1; equal numbers get the mean of theirs."""
    places = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


@given(SERIES)
def test_spearman_is_pearsons_correlation_of_naive_ranks(pairs):
    first, second = (list(map(float, side)) for side in zip(*pairs, strict=True))
    expected = [naive_ranks(side) for side in (first, second)]
    assert ranks(numbers(*first)).tolist() == expected[0]
    found = float(spearman(numbers(*first), numbers(*second)))
    means = [sum(side) / len(side) for side in expected]
    spreads = [sum((one - mean) ** 2 for one in side) for side, mean in zip(expected, means, strict=True)]
    if 0 in spreads:
        assert math.isnan(found)
        return
    shared = sum((one - means[0]) * (other - means[1]) for one, other in zip(*expected, strict=True))
    assert found == pytest.approx(shared / math.sqrt(spreads[0] * spreads[1]))


def test_spearman_by_hand():
    """Of different numbers it is a sum of the squares of moves; rows are taken one by one."""
    assert float(spearman(numbers(1, 2, 3, 4), numbers(10, 30, 20, 40))) == pytest.approx(1 - 6 * 2 / (4 * 15))
    rows = torch.stack([numbers(1, 2, 3), numbers(1, 2, 3)])
    assert spearman(rows, torch.stack([numbers(5, 6, 7), numbers(3, 2, 1)])).tolist() == pytest.approx([1, -1])
