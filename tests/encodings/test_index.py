"""The position as a number, whole or divided by the last one, and as its bits."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import binary, index
from tests.cases import refuses
from tests.strategies import initialised, whole_positions

F64 = torch.float64


def test_the_first_positions():
    assert index.table(torch.arange(3)).tolist() == [[0], [1], [2]]
    assert index.table(torch.arange(3), normalise=True).tolist() == [[0], [0.5], [1]]
    assert binary.table(torch.tensor([6]), 4).tolist() == [[0, 1, 1, 0]]  # lowest bit first


@given(whole_positions, st.integers(1, 62))
def test_tables_equal_the_definition(positions, n_bits):
    places = positions.tolist()
    assert index.table(positions, dtype=F64).tolist() == [[place] for place in places]
    fractions = [[place / max(places) if max(places) else 0.0] for place in places]
    assert index.table(positions, normalise=True, dtype=F64).tolist() == fractions
    bits = [[place // 2**bit % 2 for bit in range(n_bits)] for place in places]
    assert binary.table(positions, n_bits).tolist() == bits
    assert binary.table(positions.double(), n_bits).tolist() == bits  # whole numbers of any type


def test_no_positions_and_fractional_ones_are_ordinary_to_an_index():
    for normalise, expected in ((False, [[7.5], [2], [10]]), (True, [[0.75], [0.2], [1]])):
        assert index.table(torch.arange(0), normalise=normalise).shape == (0, 1)
        found = index.table(torch.tensor([7.5, 2.0, 10.0]), normalise=normalise)
        assert_close(found, torch.tensor(expected))


@given(st.integers(1, 5000))
def test_bits_for_is_the_least_number_that_tells_all_positions_apart(length):
    bits = binary.bits_for(length)
    assert 2**bits >= length
    assert bits == 1 or 2 ** (bits - 1) < length


@given(st.integers(1, 10))
def test_all_codes_are_different_and_then_come_again(n_bits):
    codes = binary.table(torch.arange(2 ** (n_bits + 1)), n_bits)
    assert codes.unique(dim=0).shape == (2**n_bits, n_bits)
    assert torch.equal(codes[: 2**n_bits], codes[2**n_bits :])


def test_what_is_added_are_multiples_of_the_learned_directions(x):
    along = initialised(index.Index(8, normalise=False)).double()
    moved = along.embed(x, torch.tensor([0, 3, 1, 100, 2])) - x
    assert_close(moved, torch.stack([m * along.direction[0] for m in (0, 3, 1, 100, 2)]).expand(2, 5, 8))
    bits = initialised(binary.Binary(8, 3)).double()
    moved, (first, second, third) = bits.embed(x, torch.tensor([0, 1, 2, 3, 6])) - x, bits.directions
    expected = torch.stack([0 * first, first, second, first + second, second + third])
    assert_close(moved, expected.expand(2, 5, 8))


def test_errors():
    whole = "positions must be whole and not negative, got"
    refuses(lambda: binary.table(torch.arange(2), 0), "n_bits must be from 1 to 62, got 0")
    refuses(lambda: binary.table(torch.arange(2), 63), "n_bits must be from 1 to 62, got 63")
    for places, shown in (([1.0, 1.5], "[1.0, 1.5]"), ([-1, 2], "[-1, 2]"), ([torch.nan], "[nan]")):
        refuses(lambda places=places: binary.table(torch.tensor(places), 3), f"{whole} {shown}")
    refuses(lambda: binary.bits_for(0), "length must be at least 1, got 0")
