"""The position as a number, whole or divided by the last one, as its bits, and as a row of a learned table."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, binary, index
from pe_core.encodings.learned import PAST_TABLE, Learned, rows
from tests.cases import each, refuses
from tests.strategies import F64, initialised, lengths, normal, seeds, whole_positions


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


SHAPE = Shape(d_model=8, n_heads=2, train_length=4, max_length=6)


def test_past_a_table_of_3_rows():
    table, positions = torch.tensor([[0.0], [10.0], [30.0]]), torch.tensor([0, 1, 2, 3, 4])
    assert rows(table, positions, beyond="clamp").tolist() == [[0], [10], [30], [30], [30]]
    assert rows(table, positions, beyond="interpolate").tolist() == [[0], [5], [10], [20], [30]]


@given(seeds, lengths, whole_positions)
def test_rows_equal_the_definition(seed, n_rows, positions):
    table, places, last = normal(seed, n_rows, 2), positions.tolist(), n_rows - 1
    clamped = [table[min(place, last)].tolist() for place in places]
    assert rows(table, positions, beyond="clamp").tolist() == clamped

    longest = max(places)
    between = []
    for place in places:
        at = place * last / longest if longest > last else place
        share = at - int(at)
        between.append((1 - share) * table[int(at)] + share * table[min(int(at) + 1, last)])
    assert_close(rows(table, positions, beyond="interpolate"), torch.stack(between), atol=1e-12, rtol=0)


@given(seeds, lengths, st.data(), st.sampled_from(PAST_TABLE), st.sampled_from([torch.int64, torch.float64]))
def test_within_the_table_every_choice_is_the_row_itself(seed, n_rows, data, beyond, dtype):
    table, places = normal(seed, n_rows, 2), data.draw(st.lists(st.integers(0, n_rows - 1), max_size=8))
    expected = torch.stack([table[place] for place in places]) if places else table[:0]
    assert torch.equal(rows(table, torch.tensor(places, dtype=dtype), beyond=beyond), expected)


@each("beyond", ["clamp", "interpolate", "noise"])
def test_what_beyond_does_to_a_text_of_5_tokens_after_training_on_4(beyond, x):
    encoding, positions = initialised(ENCODINGS["learned"].build(SHAPE, {"beyond": beyond})).double(), torch.arange(5)
    moved = encoding.embed(x, positions)
    how = "error" if beyond == "noise" else beyond  # noise is a row of the table, which training has not reached
    assert torch.equal(moved, x + rows(encoding.table, positions, beyond=how))
    moved[:, 4].square().sum().backward()
    trained = (encoding.table.grad != 0).any(dim=1).nonzero().flatten().tolist()
    assert trained == ([4] if beyond == "noise" else [3])  # the last token trains no row but its own


def test_a_float32_table_serves_half_precision_inputs():
    encoding = initialised(Learned(4, 8, std=1.0))
    moved = encoding.embed(torch.zeros(1, 8, 4, dtype=torch.bfloat16), torch.arange(8))
    assert torch.equal(moved[0], encoding.table.to(torch.bfloat16))


def test_errors():
    whole = "positions must be whole and not negative, got"
    refuses(lambda: binary.table(torch.arange(2), 0), "n_bits must be from 1 to 62, got 0")
    refuses(lambda: binary.table(torch.arange(2), 63), "n_bits must be from 1 to 62, got 63")
    for places, shown in (([1.0, 1.5], "[1.0, 1.5]"), ([-1, 2], "[-1, 2]"), ([torch.nan], "[nan]")):
        refuses(lambda places=places: binary.table(torch.tensor(places), 3), f"{whole} {shown}")
    refuses(lambda: binary.bits_for(0), "length must be at least 1, got 0")

    def read(places, beyond="error"):
        return lambda: rows(torch.ones(4, 2), torch.tensor(places), beyond=beyond)

    outside = "positions must lie from 0 to 3, the rows of the table, got"
    for places, shown in (([0, 3, 4], "[4]"), ([-1, 0, 9], "[-1, 9]"), ([0.0, 4.5], "[4.5]"), ([math.nan], "[nan]")):
        refuses(read(places), f"{outside} {shown}")
    for beyond in ("clamp", "interpolate"):
        refuses(read([-1, 0, 9], beyond), "positions must be at least 0, got [-1]")
        refuses(read([math.nan, 1.0], beyond), "positions must be at least 0, got [nan]")
    refuses(read([0], "wrap"), "beyond must be one of error, clamp, interpolate, got wrap")
    refuses(read([0.5, 3.0]), "positions must be whole, got [0.5, 3.0]")
    encoding = ENCODINGS["learned"].build(SHAPE, {"beyond": "error"})
    refuses(lambda: encoding.embed(torch.zeros(1, 5, 8), torch.arange(5)), f"{outside} [4]")
