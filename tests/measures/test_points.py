"""Uniqueness, steps and linear maps of codes, on tables whose answers are known."""

import itertools
import math
import re
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import binary, sinusoidal
from pe_core.measures import points
from tests.cases import each
from tests.measures.handmade import F64
from tests.strategies import normal, seeds, widths

LINE = torch.arange(9.0, dtype=F64)[:, None]


@given(seeds, st.integers(2, 9), widths)
def test_uniqueness_and_evenness_equal_the_definition(seed, length, width):
    codes = normal(seed, length, width)
    distances = [math.dist(one, other) for one, other in itertools.combinations(codes.tolist(), 2)]
    steps = [math.dist(one, other) for one, other in itertools.pairwise(codes.tolist())]
    assert points.uniqueness(codes) == pytest.approx(min(distances) / statistics.median_low(distances))
    assert points.neighbour_steps(codes) == pytest.approx((min(steps), max(steps)))
    assert points.evenness(codes) == pytest.approx(min(steps) / max(steps))


def test_every_pair_has_its_distance_once():
    assert points.pair_distances(LINE[:4]).tolist() == [1, 2, 3, 1, 2, 1]


def test_two_positions_with_one_code():
    assert points.uniqueness(torch.tensor([[0.0], [3.0], [7.0], [3.0]])) == 0
    assert points.evenness(torch.tensor([[0.0], [3.0], [3.0]])) == 0


def test_binary_codes_that_wrap_around_are_not_unique():
    assert points.uniqueness(binary.table(torch.arange(16), 4)) > 0.5
    assert points.uniqueness(binary.table(torch.arange(17), 4)) == 0


def test_from_7_to_8_the_binary_code_makes_its_largest_step():
    assert points.neighbour_steps(binary.table(torch.arange(16), 4)) == (1, 2)  # 1 bit and 4 bits
    assert points.evenness(binary.table(torch.arange(16), 4)) == 0.5


def test_the_steps_of_the_sinusoid_are_all_alike():
    assert points.evenness(sinusoidal.table(torch.arange(64), 8, dtype=F64)) == pytest.approx(1, abs=1e-12)


def test_codes_that_are_all_alike_are_neither_unique_nor_even():
    assert points.uniqueness(torch.ones(5, 2)) == 0
    assert points.evenness(torch.ones(5, 2)) is None


def test_one_position_has_no_other():
    assert points.uniqueness(torch.ones(1, 2)) is None
    assert points.evenness(torch.ones(1, 2)) is None


@each("offset", [1, 5, 8])
@each("dim", [2, 8, 64])
def test_one_map_leads_along_the_sinusoid(dim, offset):
    assert points.linear_map_error(sinusoidal.table(torch.arange(64), dim, dtype=F64), offset) < 1e-8


@given(seeds)
def test_no_map_leads_along_random_vectors(seed):
    assert points.linear_map_error(normal(seed, 64, 32), 1) > 0.9


def test_powers_have_a_map_and_the_index_needs_a_constant_as_well():
    assert points.linear_map_error(1.1**LINE, 2) < 1e-12
    assert points.linear_map_error(LINE, 2) > 0.1
    assert points.linear_map_error(torch.cat([LINE, torch.ones_like(LINE)], 1), 2) < 1e-12


def test_the_map_of_one_channel_equals_the_definition():
    here, there = LINE[:-1, 0].tolist(), LINE[1:, 0].tolist()
    order = torch.randperm(8, generator=torch.Generator().manual_seed(5)).tolist()
    fitted, tested = order[:6], order[6:]
    slope = sum(here[i] * there[i] for i in fitted) / sum(here[i] ** 2 for i in fitted)
    mean = sum(there) / len(there)
    missed = math.hypot(*(slope * here[i] - there[i] for i in tested))
    expected = missed / math.hypot(*(there[i] - mean for i in tested))
    assert points.linear_map_error(LINE, 1, seed=5) == pytest.approx(expected)


def test_there_is_no_map_without_pairs_to_test_it_on():
    assert points.linear_map_error(LINE[:4], 1) is None
    assert points.linear_map_error(LINE, 20) is None
    assert points.linear_map_error(torch.ones(9, 2, dtype=F64), 1) is None


def test_rounding_is_no_code():
    codes = 1 + 1e-15 * normal(0, 9, 2)
    assert_close(points.uniqueness(codes), 0.0)
    assert points.evenness(codes) is None
    assert points.linear_map_error(codes, 1) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: points.neighbour_steps(LINE[:1]), "codes must have at least two rows, got 1"),
        (lambda: points.linear_map_error(LINE, 0), "offset must be at least 1, got 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
