"""Positions as rows and columns of a grid, and biases of the difference of both: a table of Swin, a network of v2."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, swin_v2
from pe_core.encodings.grid import coordinates, rows_of
from pe_core.encodings.swin import bias, index
from pe_core.encodings.swin_v2 import cosines, log_spaced
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs
from tests.strategies import F64, initialised, normal, real_positions, seeds, whole_positions

near_positions = st.lists(st.integers(0, 29), min_size=1, max_size=6).map(torch.tensor)  # neither sorted nor distinct
grid_widths = st.integers(1, 9)


def test_a_grid_of_8_columns_is_read_row_by_row():
    assert coordinates(torch.tensor([0, 7, 8, 17]), 8).tolist() == [[0, 0], [0, 7], [1, 0], [2, 1]]
    assert coordinates(torch.tensor([9.5, -1.0]), 8).tolist() == [[1, 1.5], [-1, 7]]  # between columns, above row 0


@given(whole_positions, st.integers(1, 64))
def test_coordinates_equal_the_definition(positions, width):
    assert coordinates(positions, width).tolist() == [[p // width, p % width] for p in positions.tolist()]


def test_a_window_of_2_by_2():
    expected = [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]  # 4: no rows and no columns apart, 1 * 3 + 1
    assert index(torch.arange(4), height=2, width=2).tolist() == expected


@given(seeds, near_positions, grid_widths)
def test_the_bias_is_a_number_for_each_difference_of_rows_and_columns(seed, positions, width):
    """Kept by difference, not by index."""
    height = rows_of(30, width)
    steps = [(down, right) for down in range(1 - height, height) for right in range(1 - width, width)]
    numbers = {step: normal(seed + 1000 * step[0] + step[1], 2) for step in steps}

    def value(m, n, head):
        return float(numbers[m // width - n // width, m % width - n % width][head])

    table = torch.stack(list(numbers.values()))  # row by row
    assert torch.equal(bias(positions, table, width=width, dtype=F64), of_pairs(positions, value, [(0,), (1,)]))


@each(("length", "width", "expected"), [(1, 8, 1), (2, 8, 2), (9, 8, 2), (10, 8, 3), (5, 1, 5)])
def test_rows_that_a_text_touches_wherever_it_begins(length, width, expected):
    rows = [len({(start + place) // width for place in range(length)}) for start in range(width)]
    assert max(rows) == expected == rows_of(length, width)


def built(params=None, train_length=64):
    return initialised(ENCODINGS["swin_v2"].build(Shape(8, 2, train_length, 512), params).double())


def added(encoding, positions, dtype=F64):
    """What the encoding adds to the scores of a text with these positions."""
    nothing = torch.zeros(1, 2, len(positions), 4, dtype=dtype)
    return encoding.bias(nothing, nothing, positions)


def test_differences_in_a_window_of_8_and_twice_as_much():
    found = log_spaced(torch.arange(8), 8)
    expected = [0, 0.366512, 0.572069, 0.715614, 0.826016, 0.915745, 0.991335, 1.056642]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=5e-7, rtol=0)
    assert torch.equal(log_spaced(-torch.arange(8), 8), -found)
    assert float(log_spaced(torch.tensor(15), 8)) == pytest.approx(1.3938, abs=5e-5)
    assert float(log_spaced(torch.tensor(7 / 8), 1)) == pytest.approx(1)  # log2(8) / 3: one row is not divided by 0
    refuses(lambda: log_spaced(torch.arange(2), 0), "size must be at least 1, got 0")


@torch.no_grad()
@given(st.lists(st.integers(-99, 999), min_size=1, max_size=5).map(torch.tensor) | real_positions, st.integers(1, 9))
def test_the_bias_of_swin_v2_equals_the_definition(positions, width):
    """The network for every pair of positions on its own."""
    encoding, height = built({"grid_width": width}), math.ceil(64 / width)

    def coordinate(x, size):
        return math.copysign(math.log2(1 + abs(8 * x / max(size - 1, 1))) / 3, x)

    def value(m, n, head):
        (y, x), (other_y, other_x) = divmod(m, width), divmod(n, width)
        inputs = torch.tensor([coordinate(y - other_y, height), coordinate(x - other_x, width)], dtype=F64)
        hidden = (encoding.hidden_weight @ inputs + encoding.hidden_bias).clamp(min=0)
        return 16 / (1 + math.exp(-float(encoding.out_weight[head] @ hidden)))

    expected = of_pairs(positions.double(), value, [(0,), (1,)])
    assert_close(added(encoding, positions), expected, atol=1e-9, rtol=1e-9)


def test_the_cosine_of_two_pairs_by_hand():
    q, k = torch.tensor([[[[3.0, 4.0]]], [[[5.0, 0.0]]]], dtype=F64)[:, None]
    for tau, scale in ((math.log(10), 10), (math.log(100), 100), (9.0, 100)):
        turned_q, turned_k = cosines(q, k, torch.tensor([tau], dtype=F64))
        assert float(turned_q @ turned_k.mT) / math.sqrt(2) == pytest.approx(0.6 * scale)


@given(seeds, st.floats(0.01, 100))
def test_scores_do_not_see_how_long_vectors_are(seed, factor):
    q, k = normal(seed, 2, 1, 2, 3, 4)
    tau = normal(seed + 1, 2) + 2
    plain, longer = cosines(q, k, tau), cosines(factor * q, k / factor, tau)
    for one, other in zip(plain, longer, strict=True):
        assert_close(one, other, atol=1e-11, rtol=1e-11)
    assert ((plain[0] @ plain[1].mT / 2).abs().amax((0, 2, 3)) <= tau.clamp(max=math.log(100)).exp() + 1e-9).all()


@torch.no_grad()
def test_the_network_is_asked_once_for_each_difference():
    asked, encoding = [], built()

    def g(c):
        asked.append(c)
        return encoding.network(c)

    swin_v2.bias(torch.arange(64), g, height=8, width=8, dtype=F64)
    assert [len(c) for c in asked] == [15 * 15]
    asked.clear()
    positions = torch.rand(100, generator=torch.Generator().manual_seed(0), dtype=F64) * 512
    assert torch.equal(swin_v2.bias(positions, g, height=8, width=8), added(encoding, positions, torch.float32))
    assert len(asked) == 3
    assert max(len(c) for c in asked) == swin_v2.AT_ONCE


def test_errors():
    refuses(lambda: coordinates(torch.arange(3), 0), "width must be at least 1, got 0")
    far = "positions must lie less than 4 rows apart, those of the table, got 4"
    refuses(lambda: index(torch.tensor([0, 8]), height=4, width=2), far)
    refuses(lambda: index(torch.tensor([0, 0.5]), height=4, width=2), "distance must be whole, got [-0.5]")
    for n_rows in (6, 7):
        rule = f"table must have an odd multiple of 3 rows, one for each difference of columns, got {n_rows}"
        refuses(lambda n_rows=n_rows: bias(torch.arange(2), torch.ones(n_rows, 1), width=2), rule)
