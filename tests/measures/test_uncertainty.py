"""Intervals of a counted fraction and of a mean: known values, the equation they solve, and how often they hold."""

import math

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from pe_core.measures.agreement import p_value
from pe_core.measures.uncertainty import NORMAL, mean_interval, wilson
from tests.cases import each


@each(
    ("count", "n", "expected"),
    [(0, 100, (0.0, 0.036995)), (100, 100, (0.963005, 1.0)), (50, 100, (0.403832, 0.596168)), (1, 1, (0.206549, 1.0))],
)
def test_known_intervals_of_a_fraction(count, n, expected):
    assert wilson(count, n) == pytest.approx(expected, abs=1e-5)


@given(st.integers(1, 2_000), st.floats(0, 1))
@example(409, 1.0)
@example(409, 0.0)
def test_the_ends_are_where_the_score_test_turns(n, part):
    count = round(part * n)
    assert (wilson(count, n)[0] == 0) == (count == 0)
    assert (wilson(count, n)[1] == 1) == (count == n)
    for end in wilson(count, n):
        if 0 < end < 1:  # |count/n - end| is as many standard errors of `end` as a normal number has in 95 % of cases
            assert abs(count / n - end) == pytest.approx(NORMAL * math.sqrt(end * (1 - end) / n), abs=1e-9)


def test_the_interval_of_a_mean_by_hand():
    low, high = mean_interval(torch.tensor([1.0, 2.0, 3.0]))
    assert (low, high) == pytest.approx((2 - 4.302653 / math.sqrt(3), 2 + 4.302653 / math.sqrt(3)), abs=1e-5)
    assert mean_interval(torch.tensor([1.0, 3.0])) == pytest.approx((2 - 12.7062, 2 + 12.7062), abs=1e-3)
    assert mean_interval(torch.tensor([2.0, 2.0, 2.0])) == pytest.approx((2, 2), abs=1e-12)
    assert mean_interval(torch.tensor([2.0])) is None


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=9).filter(lambda values: max(values) - min(values) > 0.1))
def test_a_mean_at_an_end_of_the_interval_is_just_told_apart(values):
    numbers = torch.tensor(values, dtype=torch.float64)
    for end in mean_interval(numbers):
        assert p_value(numbers - end) == pytest.approx(0.05, abs=1e-6)
