"""A table of cases by hand: for every criterion encodings where it must be good, and others where it must be bad."""

import math

import pytest
import torch
from torch import nn

from pe_core.encodings import Chain, PositionalEncoding
from pe_core.measures.criteria import CRITERIA
from tests.cases import each
from tests.measures.handmade import SHAPE, Scores, Short, Stretch, Vectors, registered
from tests.strategies import F64

L = SHAPE.train_length
NOTHING = PositionalEncoding()
CHANNELS = torch.arange(1, 9, dtype=F64)
LINE = Vectors(lambda m: m[:, None].double() * CHANNELS)  # the index along one direction
CIRCLE = Vectors(lambda m: torch.stack([torch.cos(0.3 * m.double()), torch.sin(0.3 * m.double())] * 4, dim=-1))
TURNED_BACK = Vectors(lambda m: CHANNELS * (m % 8).double()[:, None])  # comes again after 8 positions
NEAR_FIRST = Scores(lambda m, n: -(m - n).abs())
FAR_FIRST = Scores(lambda m, n: (m - n).abs())
SLOWLY = Scores(lambda m, n: (m - n).abs().log1p())
BY_PLACE = Scores(lambda m, n: m * n)
ROWS = Scores(lambda m, n: -((m // 4) - (n // 4)).abs())  # rows of 4: a shift by rows changes nothing
SIGNS = torch.tensor([[1.0, 1], [1, -1]], dtype=F64)
CORNERS = Vectors(lambda m: torch.cat([HADAMARD, -HADAMARD])[m % 16])
HADAMARD = torch.kron(torch.kron(SIGNS, SIGNS), SIGNS)  # 8 rows at right angles
SQUARES = Vectors(lambda m: m.double().square()[:, None] * CHANNELS)
DOUBLING = Stretch(lambda m: 1 + m)


class Learned(PositionalEncoding):
    """Add a learned number to each of the first `n` positions; `dead` further ones are used nowhere."""

    def __init__(self, n, dead=0):
        super().__init__()
        self.table, self.dead, self.n = nn.Parameter(torch.ones(n)), nn.Parameter(torch.ones(dead)), n

    def embed(self, x, positions):
        return x + self.table[positions.clamp(max=self.n - 1)][:, None]


# Every line: a criterion, an encoding, what it must measure, to a thousandth.
GOOD = [
    ("uniqueness", CORNERS, 1.0),  # all are equally far apart, but for 8 of 120 pairs
    ("uniqueness", LINE, 1 / 5),  # of distances 1 to 15 the middle one is 5
    ("growth", NOTHING, 0.0),
    ("growth", CIRCLE, 0.0),
    ("growth", Scores(lambda m, n: -(m - n).abs().clamp(max=20)), 0.0),  # capped
    ("translation", NEAR_FIRST, 0.0),
    ("translation", CIRCLE, 0.0),
    ("shift", NEAR_FIRST, 0.0),
    ("shift", CIRCLE, 0.0),
    ("prefix", LINE, 0.0),
    ("evenness", LINE, 1.0),
    ("evenness", CIRCLE, 1.0),
    ("local_order", NEAR_FIRST, 1.0),
    ("global_order", NEAR_FIRST, -1.0),
    ("asymmetry", NEAR_FIRST, 0.0),
    ("direction", Scores(lambda m, n: 1e9 * (m - n)), 1.0),
    ("composition", CIRCLE, 0.0),
    ("composition", Stretch(lambda m: 1.1**m), 0.0),
    ("composition", registered("rope"), 0.0),
    ("reach", NOTHING, 8.0),
    ("dilution", Scores(lambda m, n: (m - n).masked_fill((m - n).abs() > 3, -math.inf)), 0.0),
    ("parameters", NOTHING, 0.0),
    ("parameters", Learned(5, dead=2), 7.0),
    ("unreached", Learned(L), 0.0),
    ("unreached", Learned(L, dead=9), 0.0),  # used nowhere: not up to the length
    ("bias_size", LINE, 0.0),
]
BAD = [
    ("uniqueness", TURNED_BACK, 0.0),
    ("uniqueness", NOTHING, 0.0),
    ("uniqueness", registered("rerope"), 0.0),  # far keys all stand at one distance, though each is turned its own way
    ("growth", LINE, 1.0),
    ("growth", Scores(lambda m, n: 1e3 * (m - n).abs().sqrt()), 0.5),
    ("growth", SQUARES, 2.0),
    ("growth", SLOWLY, math.log2((math.log(80_000) + 0.5) / (math.log(40_000) + 0.5))),
    ("translation", BY_PLACE, None),
    ("shift", BY_PLACE, None),
    ("shift", ROWS, None),
    ("shift", Scores(lambda m, n: 1.0 * (m.min() > 0) * (m + 0 * n)), 1.0),  # a text that does not begin at 0
    ("prefix", Vectors(lambda m: (m * len(m)).double()[:, None].expand(-1, 8)), 0.5),
    ("evenness", registered("rerope"), 0.0),
    ("evenness", SQUARES, 1 / 29),  # steps of 1, 3, ... 29
    ("local_order", FAR_FIRST, 0.0),
    ("local_order", NOTHING, 0.0),
    ("global_order", FAR_FIRST, 1.0),
    ("asymmetry", Scores(lambda m, n: m - n), 1.0),
    ("direction", Scores(lambda m, n: -1e9 * (m - n).abs()), 0.0),
    ("composition", DOUBLING, None),
    ("composition", registered("learned"), None),
    ("reach", Short(L), 1.0),
    ("reach", Short(L - 1), 0.0),
    ("dilution", NOTHING, 1.0),
    ("parameters", Learned(8 * L), 8.0 * L),
    ("unreached", Learned(8 * L), 7 / 8),
    ("unreached", Learned(8 * L, dead=8 * L), 7 / 16),
    ("bias_size", Chain(registered("alibi"), LINE), 2.0 * L * L),
]


@each(("criterion", "encoding", "expected"), GOOD)
def test_where_a_criterion_must_be_good(criterion, encoding, expected):
    assert CRITERIA[criterion].measure(encoding, SHAPE) == pytest.approx(expected, abs=1e-3)


@each(("criterion", "encoding", "expected"), BAD)
def test_where_a_criterion_must_be_bad(criterion, encoding, expected):
    found = CRITERIA[criterion].measure(encoding, SHAPE)
    assert found > 0.1 if expected is None else found == pytest.approx(expected, abs=1e-3)


def test_every_criterion_has_both():
    for cases in (GOOD, BAD):
        assert {criterion for criterion, _, _ in cases} == set(CRITERIA)
