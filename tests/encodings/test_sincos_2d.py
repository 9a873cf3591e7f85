import math
from itertools import product

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.sincos_2d import detr_table, mae_table
from tests.cases import each, refuses
from tests.strategies import bases, offsets, seeds

F64 = torch.float64
KEYS = ["sincos_2d_mae", "sincos_2d_detr"]
quarters = st.integers(1, 6).map(lambda n: 4 * n)
sides = st.integers(1, 6)


def raster(height, width):
    """Rows and columns of every place of a grid, row by row."""
    return torch.cartesian_prod(torch.arange(height), torch.arange(width)).unbind(-1)


def test_mae_at_width_8_has_sines_before_cosines():
    table = mae_table(torch.tensor([3]), torch.tensor([2]), 8, base=100.0, dtype=F64)
    column = [math.sin(2), math.sin(0.2), math.cos(2), math.cos(0.2)]
    row = [math.sin(3), math.sin(0.3), math.cos(3), math.cos(0.3)]
    assert_close(table, torch.tensor([[*column, *row]], dtype=F64))


def test_detr_puts_the_row_first_counts_from_1_and_divides_by_the_extent():
    table = detr_table(torch.tensor([0]), torch.tensor([2]), 4, height=4, width=4, dtype=F64)
    row, column = 2 * math.pi / 4.000001, 2 * math.pi * 3 / 4.000001
    expected = [math.sin(row), math.cos(row), math.sin(column), math.cos(column)]
    assert_close(table, torch.tensor([expected], dtype=F64), atol=1e-14, rtol=0)
    assert_close(table, torch.tensor([[1.0, 0, -1, 0]], dtype=F64), atol=1e-5, rtol=0)  # a quarter, three quarters


@given(sides, sides, quarters, bases)
def test_mae_equals_the_definition(height, width, dim, base):
    steps = [base ** (-4 * i / dim) for i in range(dim // 4)]
    expected = [
        [f(place * step) for place in (column, row) for f in (math.sin, math.cos) for step in steps]
        for row, column in product(range(height), range(width))
    ]
    table = mae_table(*raster(height, width), dim, base=base, dtype=F64)
    assert_close(table, torch.tensor(expected, dtype=F64), atol=1e-12, rtol=0)


@given(sides, sides, quarters, bases)
def test_detr_equals_the_definition(height, width, dim, base):
    def wave(count, extent, i):
        angle = 2 * math.pi * count / (extent + 1e-6) / base ** (2 * (i // 2) / (dim // 2))
        return math.cos(angle) if i % 2 else math.sin(angle)

    expected = [
        [wave(count, extent, i) for count, extent in ((row, height), (column, width)) for i in range(dim // 2)]
        for row, column in product(range(1, height + 1), range(1, width + 1))
    ]
    table = detr_table(*raster(height, width), dim, height=height, width=width, base=base, dtype=F64)
    assert_close(table, torch.tensor(expected, dtype=F64), atol=1e-12, rtol=0)


@given(seeds, quarters, bases, offsets, offsets)
def test_products_depend_on_the_offset_in_rows_and_columns_only(seed, dim, base, down, right):
    rows, columns = torch.randint(0, 100, (2, 6), generator=torch.Generator().manual_seed(seed))
    table = mae_table(rows, columns, dim, base=base, dtype=F64)
    moved = mae_table(rows + down, columns + right, dim, base=base, dtype=F64)
    assert_close(moved @ moved.T, table @ table.T, atol=1e-9, rtol=0)
    assert_close(table.square().sum(-1), torch.full((6,), dim / 2, dtype=F64), atol=1e-12, rtol=0)


@each("positions", [torch.arange(5), torch.tensor([9, 0, 3, 3, 40])])
def test_the_modules_read_positions_row_by_row(x, positions):
    rows, columns, height = positions // 4, positions % 4, int(positions.max()) // 4 + 1
    mae, detr = (ENCODINGS[key].build(Shape(8, 2, 4, 8), {"grid_width": 4}) for key in KEYS)
    assert torch.equal(mae.embed(x, positions), x + mae_table(rows, columns, 8, dtype=F64))
    expected = detr_table(rows, columns, 8, height=height, width=4, dtype=F64)
    assert torch.equal(detr.embed(x, positions), x + expected)


@each("key", KEYS)
def test_no_tokens_are_ordinary(key):
    encoding = ENCODINGS[key].build(Shape(8, 2, 4, 8))
    assert encoding.embed(torch.zeros(1, 0, 8), torch.arange(0)).shape == (1, 0, 8)


ONE = torch.tensor([0])
FOUR = "be divisible by 4, sine and cosine of two coordinates, got"


def test_errors():
    refuses(lambda: mae_table(ONE, ONE, 6), f"dim must {FOUR} 6")
    refuses(lambda: detr_table(ONE, ONE, 10, height=1, width=1), f"dim must {FOUR} 10")
    refuses(lambda: detr_table(ONE, ONE, 4, height=0, width=1), "height must be at least 1, got 0")
    refuses(lambda: detr_table(ONE, ONE, 4, height=1, width=-2), "width must be at least 1, got -2")
    refuses(lambda: mae_table(ONE, ONE, 4, base=0.5), "base must be at least 1, got 0.5")
    refuses(lambda: ENCODINGS["sincos_2d_mae"].build(Shape(6, 2, 4, 8)), f"d_model must {FOUR} 6")
    refuses(lambda: ENCODINGS["sincos_2d_detr"].build(Shape(6, 2, 4, 8)), f"d_model must {FOUR} 6")
