"""What is measured of trained weights, by hand."""

import math

import pytest
import torch

from pe_core.encodings.swin import bias as swin_bias
from pe_core.encodings.t5 import bias as t5_bias
from pe_core.measures.rotation import half_order
from pe_core.models.checkpoints.trained_positions import (
    bias_by_distance,
    bias_by_ring,
    cosine_by_offset,
    never_trained,
    pair_norms,
    runs,
    window_of,
)
from tests.cases import each


def test_cosines_by_hand():
    turned = torch.tensor([[math.cos(k * math.pi / 6), math.sin(k * math.pi / 6)] for k in range(12)])
    scaled = turned * torch.arange(1, 13)[:, None]  # lengths do not count
    assert cosine_by_offset(scaled, [1, 2, 3, 6]).tolist() == pytest.approx([math.sqrt(3) / 2, 0.5, 0, -1], abs=1e-6)
    assert cosine_by_offset(turned, [12]).isnan().all()
    scaled[5] = 0  # a row of zeros is left out, and does not count as a cosine of 0
    assert float(cosine_by_offset(scaled, [2])) == pytest.approx(0.5)


def test_rows_without_training_are_found():
    smooth = torch.cat([(torch.arange(300)[:, None] * 0.9 ** torch.arange(64)).sin(), torch.ones(300, 64)], dim=-1)
    assert not never_trained(smooth).any()
    smooth[200:] = torch.randn(100, 128, generator=torch.Generator().manual_seed(1)) * 0.02
    smooth[17] = 0
    assert runs(never_trained(smooth)) == [(17, 17), (200, 299)]


def test_a_narrow_table_has_no_more_than_its_zeros():
    table = torch.randn(10, 8)
    table[3:5] = 0
    assert runs(never_trained(table)) == [(3, 4)]
    assert runs(torch.tensor([True, False, True, True])) == [(0, 0), (2, 3)]
    assert runs(torch.zeros(4, dtype=torch.bool)) == []


@each("bidirectional", [False, True])
def test_the_bias_of_t5_is_that_of_the_encoding(bidirectional):
    table = torch.randn(32, 3)
    positions = torch.arange(200)
    whole = t5_bias(positions, table, max_distance=128, bidirectional=bidirectional)
    distances = torch.tensor([0, 1, 7, 20, 150] + ([-1, -39] if bidirectional else []))
    found = bias_by_distance(table, distances, max_distance=128, bidirectional=bidirectional)
    for place, distance in enumerate(distances.tolist()):
        assert torch.equal(found[place], whole[:, 160, 160 - distance].double())


def test_the_rings_of_swin_by_hand():
    assert [window_of(n) for n in (1, 9, 169, 168, 16)] == [1, 2, 7, None, None]
    table = torch.arange(9.0)[:, None]  # offsets -1 ... 1 in rows, then in columns; the middle one is 4
    assert bias_by_ring(table).flatten().tolist() == [4.0, 4.0]
    table[0] = 32  # mean of the eight around it: (32 + 1 + 2 + 3 + 5 + 6 + 7 + 8) / 8
    assert bias_by_ring(table).flatten().tolist() == [4.0, 8.0]
    learned = torch.randn(25, 2)
    middle = swin_bias(torch.arange(9), learned, width=3)[:, 4]  # all keys are within one ring
    assert bias_by_ring(learned)[1].tolist() == pytest.approx((middle.sum(-1) - middle[:, 4]).div(8).tolist(), rel=1e-5)
    with pytest.raises(ValueError, match="table must have a square of an odd number of rows, got 10"):
        bias_by_ring(torch.zeros(10, 1))


def test_norms_of_pairs_by_hand():
    weight = torch.diag(torch.tensor([3.0, 4.0, 0.0, 5.0, 1.0, 1.0, 2.0, 7.0]))
    near = pair_norms(weight, head_dim=4, n_rotated=4, layout="neighbours")
    assert near.flatten().tolist() == pytest.approx([5.0, 5.0, math.sqrt(2), math.sqrt(53)])
    halves = pair_norms(weight, head_dim=4, n_rotated=4, layout="halves")
    assert halves.flatten().tolist() == pytest.approx([3.0, math.sqrt(41), math.sqrt(5), math.sqrt(50)])
    part = pair_norms(weight, head_dim=8, n_rotated=4, layout="halves")  # of one wide head, half of which turns
    assert part.flatten().tolist() == pytest.approx([3.0, math.sqrt(41)])
    rows = torch.randn(16, 6)
    order = half_order(16)
    assert torch.equal(
        pair_norms(rows, head_dim=16, n_rotated=16, layout="neighbours"),
        pair_norms(rows[order], head_dim=16, n_rotated=16, layout="halves"),
    )
    with pytest.raises(ValueError, match=r"rows must be a multiple of the width of a head \(3\), got 16"):
        pair_norms(rows, head_dim=3, n_rotated=2, layout="halves")


def test_norms_of_pairs_are_lengths_of_queries():
    """With input of independent channels the mean squared length of a pair of a query is the square of its norm."""
    weight = torch.randn(8, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x = torch.randn(20_000, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    queries = x @ weight.T
    expected = (queries[:, 0].square() + queries[:, 4].square()).mean().sqrt()
    assert float(pair_norms(weight, head_dim=8, n_rotated=8, layout="halves")[0, 0]) == pytest.approx(
        float(expected), rel=0.04
    )
