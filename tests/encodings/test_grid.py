import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.grid import coordinates
from tests.strategies import offsets, real_positions, whole_positions

grid_widths = st.integers(1, 64)


def test_a_grid_of_8_columns_is_read_row_by_row():
    assert coordinates(torch.tensor([0, 7, 8, 17]), 8).tolist() == [[0, 0], [0, 7], [1, 0], [2, 1]]


@given(whole_positions, grid_widths)
def test_coordinates_equal_the_definition(positions, width):
    assert coordinates(positions, width).tolist() == [[p // width, p % width] for p in positions.tolist()]


@given(real_positions, grid_widths)
def test_row_and_column_give_the_position_back(positions, width):
    rows, columns = coordinates(positions, width).unbind(-1)
    assert_close(rows * width + columns, positions, atol=1e-9, rtol=0)
    assert torch.equal(rows, rows.floor())
    assert ((columns >= 0) & (columns <= width)).all()  # a position just below 0 rounds to the end of the row above


@given(whole_positions, grid_widths, offsets)
def test_a_shift_by_whole_rows_keeps_the_columns(positions, width, rows):
    moved = coordinates(positions + rows * width, width)
    assert torch.equal(moved, coordinates(positions, width) + torch.tensor([rows, 0]))


def test_positions_between_columns_and_above_the_first_row():
    assert coordinates(torch.tensor([9.5, -1.0]), 8).tolist() == [[1, 1.5], [-1, 7]]


def test_no_positions_have_no_coordinates():
    assert coordinates(torch.arange(0), 8).shape == (0, 2)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64])
def test_the_type_of_positions_is_kept(dtype):
    assert coordinates(torch.tensor([3], dtype=dtype), 2).dtype == dtype


def test_a_grid_without_columns_is_rejected():
    with pytest.raises(ValueError, match=r"^width must be at least 1, got 0$"):
        coordinates(torch.arange(3), 0)
