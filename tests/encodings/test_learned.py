import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.learned import PAST_TABLE, Learned, rows
from tests.cases import refuses
from tests.strategies import initialised, lengths, normal, seeds, whole_positions

SHAPE = Shape(d_model=8, n_heads=2, train_length=4, max_length=6)


@given(seeds, whole_positions)
def test_rows_equal_the_definition(seed, positions):
    table = normal(seed, 5001, 2)
    expected = [table[position].tolist() for position in positions.tolist()]
    assert rows(table, positions).tolist() == expected


def test_past_a_table_of_3_rows():
    table, positions = torch.tensor([[0.0], [10.0], [30.0]]), torch.tensor([0, 1, 2, 3, 4])
    assert rows(table, positions, beyond="clamp").tolist() == [[0], [10], [30], [30], [30]]
    assert rows(table, positions, beyond="interpolate").tolist() == [[0], [5], [10], [20], [30]]


@given(seeds, lengths, whole_positions)
def test_clamp_and_interpolate_equal_the_definition(seed, n_rows, positions):
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


@given(seeds, lengths, st.data(), st.sampled_from(PAST_TABLE))
def test_within_the_table_every_choice_is_the_row_itself(seed, n_rows, data, beyond):
    table, places = normal(seed, n_rows, 2), data.draw(st.lists(st.integers(0, n_rows - 1), max_size=8))
    positions = torch.tensor(places, dtype=torch.int64)
    assert torch.equal(rows(table, positions, beyond=beyond), table[positions])


def test_whole_floating_positions_are_ordinary():
    table = normal(0, 4, 2)
    assert torch.equal(rows(table, torch.tensor([3.0, 0.0])), table[[3, 0]])


def test_std_is_the_spread_of_the_rows():
    for std in (0.02, 0.5):
        table = initialised(Learned(64, 512, std=std)).table
        assert_close(table.std().item(), std, rtol=0.02, atol=0)
        assert abs(table.mean().item()) < 0.02 * std


def test_only_noise_has_rows_past_the_training_length():
    for beyond, n_rows in (("noise", 6), ("error", 4), ("clamp", 4), ("interpolate", 4)):
        assert ENCODINGS["learned"].build(SHAPE, {"beyond": beyond}).table.shape == (n_rows, 8)
    assert ENCODINGS["learned"].build(SHAPE).table.shape == (6, 8)


def test_what_beyond_does_to_a_text_of_5_tokens_after_training_on_4(x):
    positions = torch.arange(5)
    clamped, squeezed, noisy = (
        initialised(ENCODINGS["learned"].build(SHAPE, {"beyond": beyond})).double()
        for beyond in ("clamp", "interpolate", "noise")
    )
    assert torch.equal(clamped.embed(x, positions), x + clamped.table[[0, 1, 2, 3, 3]])
    table = squeezed.table
    expected = torch.stack([table[0], table[0].lerp(table[1], 0.75), (table[1] + table[2]) / 2,
                            table[2].lerp(table[3], 0.25), table[3]])  # fmt: skip
    assert_close(squeezed.embed(x, positions), x + expected, atol=1e-12, rtol=0)
    assert torch.equal(noisy.embed(x, positions), x + noisy.table[:5])


def test_clamped_and_interpolated_texts_train_no_row_but_their_own(x):
    for beyond, reached in (("clamp", [2]), ("interpolate", [0, 1, 2])):
        encoding = initialised(Learned(8, 3, std=1.0, beyond=beyond)).double()
        encoding.embed(x, torch.arange(3, 8)).square().sum().backward()
        assert (encoding.table.grad.abs().sum(1) > 0).nonzero().flatten().tolist() == reached


def test_a_float32_table_serves_half_precision_inputs():
    encoding = initialised(Learned(4, 8, std=1.0))
    moved = encoding.embed(torch.zeros(1, 8, 4, dtype=torch.bfloat16), torch.arange(8))
    assert torch.equal(moved[0], encoding.table.to(torch.bfloat16))


def test_errors():
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


def test_error_refuses_a_text_past_the_training_length(x):
    encoding = ENCODINGS["learned"].build(SHAPE, {"beyond": "error"})
    outside = "positions must lie from 0 to 3, the rows of the table, got [4]"
    refuses(lambda: encoding.embed(x, torch.arange(5)), outside)
