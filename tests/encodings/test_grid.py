import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings.grid import coordinates
from tests.cases import refuses
from tests.strategies import whole_positions

grid_widths = st.integers(1, 64)


def test_a_grid_of_8_columns_is_read_row_by_row():
    assert coordinates(torch.tensor([0, 7, 8, 17]), 8).tolist() == [[0, 0], [0, 7], [1, 0], [2, 1]]


@given(whole_positions, grid_widths)
def test_coordinates_equal_the_definition(positions, width):
    assert coordinates(positions, width).tolist() == [[p // width, p % width] for p in positions.tolist()]


def test_positions_between_columns_and_above_the_first_row():
    assert coordinates(torch.tensor([9.5, -1.0]), 8).tolist() == [[1, 1.5], [-1, 7]]


def test_a_grid_without_columns_is_rejected():
    refuses(lambda: coordinates(torch.arange(3), 0), "width must be at least 1, got 0")
