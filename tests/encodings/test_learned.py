import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.learned import PAST_TABLE, Learned, rows
from tests.cases import each, refuses
from tests.strategies import initialised, lengths, normal, seeds, whole_positions

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
