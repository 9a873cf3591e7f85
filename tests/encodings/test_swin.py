import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.grid import apart, rows_of
from pe_core.encodings.swin import bias, index
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


def test_corners_of_a_window_of_8_by_8():
    found = index(torch.arange(64), height=8, width=8)
    assert [int(found[pair]) for pair in ((0, 0), (0, 63), (63, 0))] == [112, 0, 224]


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


@given(seeds, near_positions, grid_widths, st.integers(-9, 9))
def test_a_shift_by_whole_rows_changes_nothing(seed, positions, width, rows):
    table = normal(seed, 59 * (2 * width - 1), 2)
    shifted = bias(positions + rows * width, table, width=width)
    assert torch.equal(shifted, bias(positions, table, width=width))


@pytest.mark.parametrize(("length", "width", "expected"), [(1, 8, 1), (2, 8, 2), (9, 8, 2), (10, 8, 3), (5, 1, 5)])
def test_rows_that_a_text_touches_wherever_it_begins(length, width, expected):
    rows = [len({(start + place) // width for place in range(length)}) for start in range(width)]
    assert max(rows) == expected == rows_of(length, width)


def test_rows_and_columns_apart():
    down, right = apart(torch.tensor([0, 9, 6]), 4)  # (0, 0), (2, 1), (1, 2)
    assert down.tolist() == [[0, -2, -1], [2, 0, 1], [1, -1, 0]]
    assert right.tolist() == [[0, -1, -2], [1, 0, -1], [2, 1, 0]]


def test_no_gradient_reaches_differences_that_the_text_does_not_have(q, k):
    encoding = ENCODINGS["swin"].build(Shape(8, 2, 4, 16), {"grid_width": 2}).double()
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    encoding.bias(q[:, :, :4], k[:, :, :4], torch.arange(4)).square().sum().backward()
    assert encoding.table.shape == ((2 * 9 - 1) * 3, 2)
    reached = (encoding.table.grad.abs().sum(1) > 0).view(17, 3)  # by rows and columns apart
    assert reached.any(1).nonzero().flatten().tolist() == [7, 8, 9]
    assert reached[7:10].all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: index(torch.tensor([0, 8]), height=4, width=2),
            "positions must lie less than 4 rows apart, those of the table, got 4",
        ),
        (lambda: index(torch.tensor([0, 0.5]), height=4, width=2), "distance must be whole, got [-0.5]"),
        (
            lambda: bias(torch.arange(2), torch.ones(6, 1), width=2),
            "table must have an odd multiple of 3 rows, one for each difference of columns, got 6",
        ),
        (
            lambda: bias(torch.arange(2), torch.ones(7, 1), width=2),
            "table must have an odd multiple of 3 rows, one for each difference of columns, got 7",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


def test_a_float32_table_serves_half_precision_inputs(q, k):
    encoding = ENCODINGS["swin"].build(Shape(8, 2, 8, 16))
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    added = encoding.bias(q.bfloat16(), k.bfloat16(), torch.arange(5))
    assert added.dtype == torch.bfloat16
    assert_close(added.double(), bias(torch.arange(5), encoding.table.double(), width=8, dtype=F64), atol=1e-3, rtol=0)
