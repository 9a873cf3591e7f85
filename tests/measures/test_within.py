"""The numbers of pairs and codes for encodings: what is known of each encoding by its formula."""

import math

import pytest
import torch

from pe_core.encodings import Chain, Shape
from pe_core.measures import within
from pe_core.measures.profile import PROJECTIONS, profile
from tests.cases import each
from tests.measures.handmade import SHAPE, Scores, Short, Vectors, registered

OF_PAIRS = (within.toeplitz_deviation, within.asymmetry, within.local_monotonicity, within.rank_correlation)
MEASURES = (*OF_PAIRS, within.uniqueness, within.evenness, within.direction)


def test_who_sees_only_the_past_has_no_symmetry_and_no_direction():
    assert within.asymmetry(registered("alibi"), SHAPE) is None
    assert within.direction(registered("alibi"), SHAPE) is None
    assert within.asymmetry(registered("alibi", {"direction": "symmetric"}), SHAPE) == 0


def test_near_is_a_quarter_of_the_training_length():
    rising_from_5 = Scores(lambda m, n: torch.where((m - n).abs() <= 4, -(m - n).abs(), (m - n).abs()))
    assert within.local_monotonicity(rising_from_5, SHAPE) == 1
    assert within.local_monotonicity(rising_from_5, Shape(8, 2, train_length=20, max_length=20)) < 1


def test_distances_that_share_a_bias_are_one():
    assert within.uniqueness(Scores(lambda m, n: -(m - n).abs().clamp(max=10)), SHAPE) == 0
    assert within.uniqueness(Chain(Scores(lambda m, n: -(m - n).clamp(max=10)), registered("rope")), SHAPE) > 0


def test_the_direction_of_added_vectors_and_a_bias_equals_the_definition():
    table = [[math.sin(m * (c + 1)) for c in range(4)] for m in range(6)]
    shape = Shape(d_model=4, n_heads=1, train_length=6, max_length=6)
    generator = torch.Generator().manual_seed(PROJECTIONS)
    token, query, key = (
        torch.randn(size, generator=generator, dtype=torch.float64).tolist() for size in ((4,), (4, 1, 4), (4, 1, 4))
    )

    def projected(row, weights):
        return [sum((token[c] + row[c]) / 2 * weights[c][0][e] for c in range(4)) for e in range(4)]

    def score(m, n):
        pairs = zip(projected(table[m], query), projected(table[n], key), strict=True)
        return sum(a * b for a, b in pairs) / 2 + m - 2 * n

    places = [(m, n) for m in range(6) for n in range(6)]
    mean = sum(score(m, n) for m, n in places) / 36
    half = sum(((score(m, n) - score(n, m)) / 2) ** 2 for m, n in places)
    expected = math.sqrt(half / sum((score(m, n) - mean) ** 2 for m, n in places))
    added = Vectors(lambda positions: torch.tensor(table, dtype=torch.float64)[positions])
    assert within.direction(Chain(added, Scores(lambda m, n: m - 2 * n)), shape) == pytest.approx(expected)


def test_a_long_text_is_measured_at_its_start():
    long = Shape(8, 2, train_length=600, max_length=600)
    assert within.start(long).tolist() == list(range(512))
    assert profile(registered("sinusoidal", shape=long), long, within.start(long)).shape == (2, 512, 512)


@each("measure", MEASURES)
def test_positions_that_are_refused_give_no_number(measure):
    assert measure(Short(15), SHAPE) is None
