"""Agreement of orders, tests and intervals: by hand, by loops, and against known tables."""

import math
import random
from itertools import combinations

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from pe_core.measures.uncertainty import (
    NORMAL,
    holm,
    interval,
    kendall_tau,
    mean_interval,
    p_value,
    rank_interval,
    ranks,
    spearman,
    t_critical,
    wilson,
)
from tests.cases import each
from tests.strategies import normal, seeds

# Two-sided 5% points of Student's t by degrees of freedom, as every table of statistics has them.
CRITICAL = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 9: 2.2622, 30: 2.0423}


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


SERIES = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=9)


@given(SERIES)
def test_it_counts_the_pairs(pairs):
    moves = [(a - c, b - d) for (a, b), (c, d) in combinations(pairs, 2)]
    agreed = sum((a * b > 0) - (a * b < 0) for a, b in moves)
    moved = [sum(step != 0 for step in side) for side in zip(*moves, strict=True)]
    if all(moved):
        found = kendall_tau(*(numbers(*side) for side in zip(*pairs, strict=True)))
        assert found == pytest.approx(agreed / math.sqrt(moved[0] * moved[1]), abs=1e-12)


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
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


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
        if 0 < end < 1:  # |count/n - end| is as many standard errors of `end` as a normal number has in 95% of cases
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


def test_two_seeds_by_hand():
    """One of two seeds is drawn: a resample is 1 or 3, so the points are 1 and 3, and t of one freedom is 12.7062."""
    low, high = interval(numbers([1.0], [3.0]))
    stretch = 12.7062 / 1.959964
    assert (low, high) == pytest.approx((2 - stretch, 2 + stretch), abs=1e-4)
    assert interval(numbers([1.0, 3.0])) == (low, high)  # two blocks of one seed are as two seeds of one block


def test_one_number_has_no_interval_and_equal_ones_have_no_spread():
    assert interval(numbers([1.0])) is None
    for shape in ((3, 1), (1, 9), (4, 8)):
        assert interval(torch.full(shape, 0.25)) == (0.25, 0.25), shape


def by_loops(rows, n_resamples):
    """The definition: draw seeds, draw blocks, take the mean; the points of the sorted means, moved outwards."""
    generator = random.Random(0)
    n_seeds, n_blocks = len(rows), len(rows[0])
    means = []
    for _ in range(n_resamples):
        seeds = [generator.randrange(n_seeds) for _ in range(n_seeds - 1)]
        blocks = [generator.randrange(n_blocks) for _ in range(n_blocks - 1)]
        means.append(sum(rows[seed][block] for seed in seeds for block in blocks) / len(seeds) / len(blocks))
    means.sort()
    mean = sum(map(sum, rows)) / n_seeds / n_blocks
    parts = []
    for values in ([sum(one) / len(one) for one in side] for side in (rows, zip(*rows, strict=True))):
        spread = sum((one - mean) ** 2 for one in values) / (len(values) - 1) / len(values)
        parts.append((spread, len(values) - 1))
    total = sum(spread for spread, _ in parts)
    freedom = int(total**2 / sum(spread**2 / each for spread, each in parts))
    stretch = t_critical(freedom) / 1.959964
    ends = means[round(0.025 * n_resamples)], means[round(0.975 * n_resamples)]
    return [mean + stretch * (end - mean) for end in ends]


def test_it_equals_the_definition_up_to_the_chance_of_the_draws():
    values = normal(1, 5, 1) + normal(2, 1, 12) + 0.3 * normal(3, 5, 12)
    low, high = interval(values)
    expected = by_loops(values.tolist(), 8_000)
    assert [low, high] == pytest.approx(expected, abs=0.06 * (expected[1] - expected[0]))


@given(seeds, st.floats(-3, 3), st.floats(0.1, 10))
def test_it_moves_and_grows_with_the_numbers(seed, shift, unit):
    values = normal(seed, 4, 6)
    low, high = interval(values)
    assert low <= float(values.mean()) <= high
    assert interval(unit * values + shift) == pytest.approx((unit * low + shift, unit * high + shift), abs=1e-9)


def test_it_holds_the_true_mean_about_as_often_as_it_says():
    """Of 120 tables with a true mean of 0; blocks are as hard for every seed, and some noise is of neither."""
    n_tables, held = 120, 0
    for place in range(0, 3 * n_tables, 3):
        of_seeds, of_blocks, noise = 0.3 * normal(place, 5, 1), normal(place + 1, 1, 64), 0.2 * normal(place + 2, 5, 64)
        low, high = interval(of_seeds + of_blocks + noise)
        held += low <= 0 <= high
    assert abs(held / n_tables - 0.945) < 0.02 + 2 * math.sqrt(0.945 * 0.055 / n_tables)


def test_the_interval_of_a_rank_correlation_is_that_of_a_loop():
    """Seeds and systems drawn one by one, with other random numbers."""
    first = torch.rand(6, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    second = first[:, :2] + 0.8 * torch.rand(6, 2, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    draw = random.Random(0)
    for systems in (True, False):
        found = []
        for _ in range(1_000):
            drawn = [side[:, draw.choices(range(side.shape[1]), k=side.shape[1])].mean(1) for side in (first, second)]
            rows = draw.choices(range(6), k=6) if systems else list(range(6))
            found.append(float(spearman(*(side[rows] for side in drawn))))
        found = sorted(rho for rho in found if not math.isnan(rho))
        expected = found[len(found) // 40], found[-len(found) // 40]
        assert rank_interval(first, second, systems=systems) == pytest.approx(expected, abs=0.12)


def test_a_rank_correlation_of_single_seeds_has_no_spread_but_that_of_its_systems():
    first, second = numbers([1.0], [2.0], [3.0], [4.0]), numbers([1.0], [3.0], [2.0], [4.0])
    assert rank_interval(first, second, systems=False) == pytest.approx((0.8, 0.8))
    low, high = rank_interval(first, second)
    assert low < 0.8 < high == pytest.approx(1)
