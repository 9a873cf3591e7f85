import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.binary import Binary, bits_for, table
from tests.cases import each
from tests.strategies import whole_positions


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def test_6_is_110_lowest_bit_first():
    assert table(torch.tensor([6]), 4).tolist() == [[0, 1, 1, 0]]


def test_the_first_4_positions_with_2_bits():
    assert table(torch.arange(4), 2).tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]


def test_300_reads_as_44_with_8_bits():
    assert torch.equal(table(torch.tensor([300]), 8), table(torch.tensor([44]), 8))
    assert table(torch.tensor([300]), 8) @ (2.0 ** torch.arange(8)) == 44
    assert table(torch.tensor([300]), 9) @ (2.0 ** torch.arange(9)) == 300


@each(("length", "bits"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9), (16_384, 14)])
def test_bits_for(length, bits):
    assert bits_for(length) == bits


@given(whole_positions, st.integers(1, 62))
def test_table_equals_the_definition(positions, n_bits):
    expected = [[position // 2**bit % 2 for bit in range(n_bits)] for position in positions.tolist()]
    assert table(positions, n_bits).tolist() == expected


@given(st.integers(1, 5000))
def test_bits_for_is_the_least_number_that_tells_all_positions_apart(length):
    bits = bits_for(length)
    assert 2**bits >= length
    assert bits == 1 or 2 ** (bits - 1) < length


@given(st.integers(1, 10))
def test_all_codes_are_different_and_then_come_again(n_bits):
    codes = table(torch.arange(2 ** (n_bits + 1)), n_bits)
    assert codes.unique(dim=0).shape == (2**n_bits, n_bits)
    assert torch.equal(codes[: 2**n_bits], codes[2**n_bits :])


@given(whole_positions, st.integers(1, 8))
def test_bit_k_is_the_lowest_bit_of_position_over_2_to_the_k(positions, bit):
    assert torch.equal(table(positions, 9)[:, bit], table(positions // 2**bit, 1)[:, 0])


def test_neighbours_may_differ_in_one_bit_or_in_all():
    codes = table(torch.arange(9), 4)
    flipped = (codes[1:] != codes[:-1]).sum(1)
    assert flipped.tolist() == [1, 2, 1, 3, 1, 2, 1, 4]


def test_a_longer_table_starts_with_the_shorter_one():
    assert torch.equal(table(torch.arange(300), 8)[:20], table(torch.arange(20), 8))


def test_16384_positions_are_told_apart():
    codes = table(torch.arange(16_384), bits_for(16_384))
    assert codes.shape == (16_384, 14)
    assert codes.unique(dim=0).shape == (16_384, 14)


def test_unsorted_and_whole_floating_positions_are_ordinary():
    assert torch.equal(table(torch.tensor([5.0, 2.0, 5.0]), 3), table(torch.arange(6), 3)[[5, 2, 5]])


@each("width", [1, 3, 7])
@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_and_odd_widths_at_position_8191(dtype, width):
    encoding = filled(Binary(width, 13)).to(dtype)
    moved = encoding.embed(torch.zeros(1, 2, width, dtype=dtype), torch.tensor([8191, 8190]))
    assert moved.dtype == dtype
    assert moved.shape == (1, 2, width)
    step = (moved[0, 0] - moved[0, 1]).double()
    assert_close(step, encoding.directions[0].double(), atol=4e-3, rtol=0)  # they differ in the lowest bit


def test_embed_adds_the_direction_of_every_set_bit(x):
    encoding = filled(Binary(8, 3)).double()
    moved = encoding.embed(x, torch.tensor([0, 1, 2, 3, 6])) - x
    first, second, third = encoding.directions
    expected = torch.stack([0 * first, first, second, first + second, second + third])
    assert_close(moved, expected.expand(2, 5, 8))


def test_n_bits_changes_the_result(x):
    wide, narrow = filled(Binary(8, 3)).double(), filled(Binary(8, 2)).double()
    narrow.directions.data = wide.directions.data[:2]
    assert torch.equal(wide.embed(x, torch.arange(5))[:, :4], narrow.embed(x, torch.arange(5))[:, :4])
    assert not torch.allclose(wide.embed(x, torch.arange(5))[:, 4], narrow.embed(x, torch.arange(5))[:, 4])


def test_dtype_is_the_type_of_the_table():
    assert table(torch.arange(2), 2).dtype == torch.float32
    assert table(torch.arange(2), 2, dtype=torch.float16).dtype == torch.float16


def test_the_registry_has_enough_bits_for_the_longest_text():
    assert ENCODINGS["binary"].build(Shape(8, 2, 64, 512)).n_bits == 9


@each(
    ("call", "message"),
    [
        (lambda: table(torch.arange(2), 0), "n_bits must be from 1 to 62, got 0"),
        (lambda: table(torch.arange(2), 63), "n_bits must be from 1 to 62, got 63"),
        (lambda: table(torch.tensor([1.0, 1.5]), 3), "positions must be whole and not negative, got [1.0, 1.5]"),
        (lambda: table(torch.tensor([-1, 2]), 3), "positions must be whole and not negative, got [-1, 2]"),
        (lambda: table(torch.tensor([torch.nan]), 3), "positions must be whole and not negative, got [nan]"),
        (lambda: bits_for(0), "length must be at least 1, got 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
