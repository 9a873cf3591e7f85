import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.grid import rows_of
from pe_core.encodings.swin import bias, index
from tests.cases import each, refuses
from tests.strategies import normal, seeds

F64 = torch.float64
near_positions = st.lists(st.integers(0, 29), min_size=1, max_size=6).map(torch.tensor)  # neither sorted nor distinct
grid_widths = st.integers(1, 9)


def test_a_window_of_2_by_2():
    assert index(torch.arange(4), height=2, width=2).tolist() == [
        [4, 3, 1, 0],  # no rows and no columns apart: 1 * 3 + 1
        [5, 4, 2, 1],
        [7, 6, 4, 3],
        [8, 7, 5, 4],
    ]


@given(near_positions, grid_widths)
def test_the_index_equals_the_definition(positions, width):
    expected = [
        [
            (m // width - n // width + 29) * (2 * width - 1) + m % width - n % width + width - 1
            for n in positions.tolist()
        ]
        for m in positions.tolist()
    ]
    assert index(positions, height=30, width=width).tolist() == expected


@given(seeds, near_positions, grid_widths)
def test_the_bias_is_a_number_for_each_difference_of_rows_and_columns(seed, positions, width):
    """Kept by difference, not by index."""
    height = rows_of(30, width)
    numbers = {
        (down, right): normal(seed + 1000 * down + right, 2)
        for down in range(1 - height, height)
        for right in range(1 - width, width)
    }
    expected = torch.stack(
        [
            torch.stack([numbers[m // width - n // width, m % width - n % width] for n in positions.tolist()])
            for m in positions.tolist()
        ]
    )
    table = torch.stack(list(numbers.values()))  # row by row
    assert torch.equal(bias(positions, table, width=width, dtype=F64), expected.permute(2, 0, 1))


@each(("length", "width", "expected"), [(1, 8, 1), (2, 8, 2), (9, 8, 2), (10, 8, 3), (5, 1, 5)])
def test_rows_that_a_text_touches_wherever_it_begins(length, width, expected):
    rows = [len({(start + place) // width for place in range(length)}) for start in range(width)]
    assert max(rows) == expected == rows_of(length, width)


def test_the_table_has_a_row_for_each_difference_in_the_longest_text():
    assert ENCODINGS["swin"].build(Shape(8, 2, 4, 16), {"grid_width": 2}).table.shape == ((2 * 9 - 1) * 3, 2)


def test_errors():
    far = "positions must lie less than 4 rows apart, those of the table, got 4"
    refuses(lambda: index(torch.tensor([0, 8]), height=4, width=2), far)
    refuses(lambda: index(torch.tensor([0, 0.5]), height=4, width=2), "distance must be whole, got [-0.5]")
    for n_rows in (6, 7):
        refuses(
            lambda n_rows=n_rows: bias(torch.arange(2), torch.ones(n_rows, 1), width=2),
            f"table must have an odd multiple of 3 rows, one for each difference of columns, got {n_rows}",
        )
