import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.binary import Binary, bits_for, table
from tests.cases import refuses
from tests.strategies import initialised, whole_positions


def test_6_is_110_lowest_bit_first():
    assert table(torch.tensor([6]), 4).tolist() == [[0, 1, 1, 0]]


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


def test_unsorted_and_whole_floating_positions_are_ordinary():
    assert torch.equal(table(torch.tensor([5.0, 2.0, 5.0]), 3), table(torch.arange(6), 3)[[5, 2, 5]])


def test_embed_adds_the_direction_of_every_set_bit(x):
    encoding = initialised(Binary(8, 3)).double()
    moved = encoding.embed(x, torch.tensor([0, 1, 2, 3, 6])) - x
    first, second, third = encoding.directions
    expected = torch.stack([0 * first, first, second, first + second, second + third])
    assert_close(moved, expected.expand(2, 5, 8))


def test_the_registry_has_enough_bits_for_the_longest_text():
    assert ENCODINGS["binary"].build(Shape(8, 2, 64, 512)).n_bits == 9


def test_errors():
    refuses(lambda: table(torch.arange(2), 0), "n_bits must be from 1 to 62, got 0")
    refuses(lambda: table(torch.arange(2), 63), "n_bits must be from 1 to 62, got 63")
    refuses(lambda: table(torch.tensor([1.0, 1.5]), 3), "positions must be whole and not negative, got [1.0, 1.5]")
    refuses(lambda: table(torch.tensor([-1, 2]), 3), "positions must be whole and not negative, got [-1, 2]")
    refuses(lambda: table(torch.tensor([torch.nan]), 3), "positions must be whole and not negative, got [nan]")
    refuses(lambda: bits_for(0), "length must be at least 1, got 0")
