"""Rows of a table: by hand, by plain loops, and for any numbers."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.measures import table_rows
from tests.strategies import checked, normal, seeds, widths


def test_cosines_by_hand():
    table = torch.tensor([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    half = 1 / math.sqrt(2)
    expected = [[1, 0, half, 0], [0, 1, half, 0], [half, half, 1, 0], [0, 0, 0, 0]]
    torch.testing.assert_close(table_rows.cosines(table), torch.tensor(expected, dtype=torch.float64))


@checked
@given(seeds, st.integers(2, 12), widths, st.integers(1, 11))
def test_neighbours_are_the_mean_of_the_cosines_of_pairs(seed, n_rows, dim, offset):
    table = normal(seed, n_rows, dim)
    offset = min(offset, n_rows - 1)
    pairs = [(table[i], table[i + offset]) for i in range(n_rows - offset)]
    found = [float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)) for a, b in pairs]
    assert table_rows.neighbours(table, offset) == pytest.approx(sum(found) / len(found), abs=1e-12)


@pytest.mark.parametrize("offset", [0, 3, -1])
def test_rows_cannot_be_farther_apart_than_the_table_is_long(offset):
    with pytest.raises(ValueError, match=rf"^offset must be from 1 to 2, the rows less one, got {offset}$"):
        table_rows.neighbours(torch.ones(3, 2), offset)


@checked
@given(seeds, widths, st.floats(0.01, 3))
def test_a_row_that_shrinks_has_moved_and_not_turned(seed, dim, share):
    before = normal(seed, 4, dim)
    ones = torch.ones(4, dtype=torch.float64)
    torch.testing.assert_close(table_rows.turned(before, share * before), ones, rtol=0, atol=1e-12)
    torch.testing.assert_close(table_rows.moved(before, share * before), abs(1 - share) * ones, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(table_rows.lengths(share * before), share * table_rows.lengths(before))


def test_a_row_that_turns_by_hand():
    before, after = torch.tensor([[2.0, 0.0]]), torch.tensor([[0.0, 2.0]])
    assert table_rows.turned(before, after).tolist() == [0]
    assert table_rows.moved(before, after).tolist() == pytest.approx([math.sqrt(2)])
    assert table_rows.lengths(torch.tensor([[3.0, 4.0]])).tolist() == [5]
