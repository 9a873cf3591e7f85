"""Uniqueness, steps and linear maps of codes, on tables whose answers are known."""

import itertools
import math
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import sinusoidal
from pe_core.measures import points
from tests.measures.handmade import F64
from tests.strategies import normal, seeds, widths

LINE = torch.arange(9.0, dtype=F64)[:, None]


@given(seeds, st.integers(2, 9), widths)
def test_uniqueness_and_evenness_equal_the_definition(seed, length, width):
    codes = normal(seed, length, width)
    distances = [math.dist(one, other) for one, other in itertools.combinations(codes.tolist(), 2)]
    steps = [math.dist(one, other) for one, other in itertools.pairwise(codes.tolist())]
    assert points.uniqueness(codes) == pytest.approx(min(distances) / statistics.median_low(distances))
    assert points.evenness(codes) == pytest.approx(min(steps) / max(steps))


def test_codes_that_are_all_alike_but_for_rounding_are_neither_unique_nor_even():
    for codes in (torch.ones(9, 2, dtype=F64), 1 + 1e-15 * normal(0, 9, 2)):
        assert points.uniqueness(codes) == 0
        assert points.evenness(codes) is None
        assert points.linear_map_error(codes, 1) is None  # rounding is no code
    assert points.uniqueness(torch.ones(1, 2)) is None
    assert points.evenness(torch.ones(1, 2)) is None


def test_one_map_leads_along_the_sinusoid_and_none_along_random_vectors():
    for dim in (2, 8, 64):
        assert points.linear_map_error(sinusoidal.table(torch.arange(64), dim, dtype=F64), 5) < 1e-8, dim
    assert points.linear_map_error(normal(0, 64, 32), 1) > 0.9


def test_the_map_of_one_channel_equals_the_definition():
    here, there = LINE[:-1, 0].tolist(), LINE[1:, 0].tolist()
    order = torch.randperm(8, generator=torch.Generator().manual_seed(0)).tolist()
    fitted, tested = order[:6], order[6:]
    slope = sum(here[i] * there[i] for i in fitted) / sum(here[i] ** 2 for i in fitted)
    mean = sum(there) / len(there)
    missed = math.hypot(*(slope * here[i] - there[i] for i in tested))
    expected = missed / math.hypot(*(there[i] - mean for i in tested))
    assert points.linear_map_error(LINE, 1) == pytest.approx(expected)


def test_there_is_no_map_without_pairs_to_test_it_on():
    assert points.linear_map_error(LINE[:4], 1) is None
    assert points.linear_map_error(LINE, 20) is None
