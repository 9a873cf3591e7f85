import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.distance import whole
from pe_core.encodings.relative_key import scores
from tests.cases import each, refuses
from tests.largest import max_tensor
from tests.strategies import initialised, normal, seeds

F64 = torch.float64
near_positions = st.lists(st.integers(0, 9), min_size=1, max_size=6).map(torch.tensor)  # neither sorted nor distinct


def built(key, max_length=16):
    return initialised(ENCODINGS[key].build(Shape(8, 2, 4, max_length)).double())


@each(("both", "expected"), [(False, 8.0), (True, 14.0)])
def test_four_channels_of_ones_at_a_distance_of_3(both, expected):
    """Row e of distance x is (x, x, x, x): 4 + 12, or 4 + 12 + 12, over 2."""
    ones, table = torch.ones(1, 1, 4, 4), torch.arange(-5.0, 6)[:, None].expand(-1, 4)
    added = scores(ones, ones, table, torch.arange(4), both=both)
    assert added[0, 0, 3, 0] + 4 / 2 == expected
    assert added[0, 0, 0, 3] - 4 / 2 == -expected  # the key comes after the query: the distance is -3


def scores_by_loops(q, k, table, positions, both):
    """One vector for each pair of positions, from the definition."""
    middle, places = len(table) // 2, positions.tolist()
    added = torch.empty(*q.shape[:-1], len(places), dtype=F64)
    for i, m in enumerate(places):
        for j, n in enumerate(places):
            e = table[middle + m - n]
            added[..., i, j] = (q[..., i, :] * e).sum(-1) + (k[..., j, :] * e).sum(-1) * both
    return added / math.sqrt(q.shape[-1])


@given(seeds, near_positions, st.integers(1, 5), st.booleans())
def test_scores_equal_the_definition(seed, positions, dim, both):
    q, k = normal(seed, 2, 2, 2, len(positions), dim)
    table = normal(seed + 1, 23, dim)
    added = scores(q, k, table, positions, both=both)
    assert_close(added, scores_by_loops(q, k, table, positions, both), atol=1e-12, rtol=1e-12)


def test_only_the_second_form_asks_the_keys():
    q, k, other = normal(0, 3, 1, 2, 5, 4)
    one, two = built("relative_key"), built("relative_key_query")
    assert torch.equal(one.bias(q, k, torch.arange(5)), one.bias(q, other, torch.arange(5)))
    assert not torch.isclose(two.bias(q, k, torch.arange(5)), two.bias(q, other, torch.arange(5))).any()
    swapped = scores(k, q, two.table.flip(0), torch.arange(5), both=True)  # who asks plays no part in it
    assert_close(two.bias(q, k, torch.arange(5)), swapped.mT, atol=1e-14, rtol=0)


def test_no_vector_for_each_pair_is_made_and_no_product_with_rows_of_longer_texts():
    q, table = normal(0, 1, 1, 30, 16), normal(1, 99, 16)
    assert max_tensor(lambda: scores(q, q, table, torch.arange(30), both=True)) == 30 * 59  # not 30 * 30 * 16


def test_errors():
    (q, k), odd = normal(0, 2, 1, 2, 3, 4), "table must have an odd number of rows, got 4"
    refuses(lambda: whole(torch.tensor([1.0, -0.5])), "distance must be whole, got [-0.5]")
    far = "positions must lie at most 3 apart, the rows of the table, got 4"
    refuses(lambda: built("relative_key", 4).bias(q, k, torch.tensor([0, 4, 1])), far)
    refuses(lambda: scores(q, k, torch.ones(4, 4), torch.arange(3), both=False), odd)
