import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.learned import PAST_TABLE, Learned, rows
from tests.cases import each
from tests.strategies import lengths, normal, seeds, whole_positions

SHAPE = Shape(d_model=8, n_heads=2, train_length=4, max_length=6)


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def test_rows_of_a_small_table():
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert rows(table, torch.tensor([2, 0, 2])).tolist() == [[5, 6], [1, 2], [5, 6]]


@given(seeds, whole_positions)
def test_rows_equal_the_definition(seed, positions):
    table = normal(seed, 5001, 2)
    assert rows(table, positions).tolist() == [table.tolist()[position] for position in positions.tolist()]


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


@given(seeds, st.integers(2, 24), lengths)
def test_an_interpolated_text_of_any_length_runs_from_the_first_row_to_the_last(seed, n_rows, more):
    table, positions = normal(seed, n_rows, 2), torch.arange(n_rows + more)
    read = rows(table, positions, beyond="interpolate")
    assert torch.equal(read[[0, -1]], table[[0, -1]])
    ramp = torch.arange(n_rows, dtype=torch.float64)[:, None]  # of a table that says its own place
    steps = rows(ramp, positions, beyond="interpolate").diff(dim=0)
    assert_close(steps, torch.full_like(steps, (n_rows - 1) / (n_rows + more - 1)), atol=1e-12, rtol=0)


def test_interpolation_reads_between_rows_and_changes_what_came_before():
    table = normal(0, 4, 2)
    halfway = rows(table, torch.tensor([0.5, 3.0]), beyond="interpolate")
    assert_close(halfway, torch.stack([(table[0] + table[1]) / 2, table[3]]), atol=1e-15, rtol=0)
    within, past = (rows(table, torch.arange(n), beyond="interpolate")[:4] for n in (4, 5))
    assert torch.equal(within, table)
    assert not torch.allclose(past[1:], within[1:])


def test_a_table_of_one_row_gives_it_to_all():
    table = normal(0, 1, 2)
    for beyond in ("clamp", "interpolate"):
        assert torch.equal(rows(table, torch.arange(5), beyond=beyond), table.expand(5, 2))


def test_embed_adds_one_row_to_every_text(x):
    encoding = filled(Learned(8, 9, std=1.0)).double()
    moved = encoding.embed(x, torch.tensor([8, 0, 3, 3, 1])) - x
    assert_close(moved, encoding.table[[8, 0, 3, 3, 1]].expand(2, 5, 8))


def test_a_longer_text_starts_like_the_shorter_one(x):
    encoding = filled(Learned(8, 5, std=1.0)).double()
    assert torch.equal(encoding.embed(x, torch.arange(5))[:, :3], encoding.embed(x[:, :3], torch.arange(3)))


def test_no_gradient_reaches_a_row_that_was_not_asked_for(x):
    encoding = filled(Learned(8, 9, std=1.0)).double()
    encoding.embed(x, torch.tensor([0, 1, 2, 3, 7])).square().sum().backward()
    reached = encoding.table.grad.abs().sum(1) > 0
    assert reached.nonzero().flatten().tolist() == [0, 1, 2, 3, 7]


def test_whole_floating_positions_are_ordinary():
    table = normal(0, 4, 2)
    assert torch.equal(rows(table, torch.tensor([3.0, 0.0])), table[[3, 0]])


def test_std_is_the_spread_of_the_rows():
    for std in (0.02, 0.5):
        table = filled(Learned(64, 512, std=std)).table
        assert_close(table.std().item(), std, rtol=0.02, atol=0)
        assert abs(table.mean().item()) < 0.02 * std


def test_std_scales_the_same_rows():
    small, large = (filled(ENCODINGS["learned"].build(SHAPE, {"std": std})).table for std in (0.25, 0.5))
    assert_close(large, 2 * small)


def test_only_noise_has_rows_past_the_training_length():
    for beyond, n_rows in (("noise", 6), ("error", 4), ("clamp", 4), ("interpolate", 4)):
        assert ENCODINGS["learned"].build(SHAPE, {"beyond": beyond}).table.shape == (n_rows, 8)
    assert ENCODINGS["learned"].build(SHAPE).table.shape == (6, 8)


def test_every_choice_is_the_table_up_to_the_training_length(x):
    for beyond in ("noise", *PAST_TABLE):
        encoding = filled(ENCODINGS["learned"].build(SHAPE, {"beyond": beyond})).double()
        assert torch.equal(encoding.embed(x[:, :4], torch.arange(4)), x[:, :4] + encoding.table[:4])


def test_what_beyond_does_to_a_text_of_5_tokens_after_training_on_4(x):
    positions = torch.arange(5)
    clamped, squeezed, noisy = (
        filled(ENCODINGS["learned"].build(SHAPE, {"beyond": beyond})).double()
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
        encoding = filled(Learned(8, 3, std=1.0, beyond=beyond)).double()
        encoding.embed(x, torch.arange(3, 8)).square().sum().backward()
        assert (encoding.table.grad.abs().sum(1) > 0).nonzero().flatten().tolist() == reached


@each("width", [1, 3, 7])
@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_and_odd_widths_at_16384_rows(dtype, width):
    encoding = filled(Learned(width, 16_384, std=0.02)).to(dtype)
    moved = encoding.embed(torch.zeros(1, 2, width, dtype=dtype), torch.tensor([8191, 16_383]))
    assert moved.dtype == dtype
    assert torch.equal(moved[0], encoding.table[[8191, 16_383]])


def test_a_float32_table_serves_half_precision_inputs():
    encoding = filled(Learned(4, 8, std=1.0))
    moved = encoding.embed(torch.zeros(1, 8, 4, dtype=torch.bfloat16), torch.arange(8))
    assert torch.equal(moved[0], encoding.table.to(torch.bfloat16))


OUTSIDE = "positions must lie from 0 to 3, the rows of the table, got "


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([0, 3, 4], OUTSIDE + "[4]"),
        ([-1, 0, 9], OUTSIDE + "[-1, 9]"),
        ([0.0, 3.5 + 1], OUTSIDE + "[4.5]"),
        ([torch.nan], OUTSIDE + "[nan]"),
    ],
)
def test_positions_past_the_table_are_rejected(positions, message):
    encoding = Learned(2, 4, std=1.0)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        encoding.embed(torch.zeros(1, len(positions), 2), torch.tensor(positions))


def test_error_refuses_a_text_past_the_training_length(x):
    encoding = filled(ENCODINGS["learned"].build(SHAPE, {"beyond": "error"})).double()
    with pytest.raises(ValueError, match=f"^{re.escape(OUTSIDE + '[4]')}$"):
        encoding.embed(x, torch.arange(5))


@pytest.mark.parametrize("beyond", ["clamp", "interpolate"])
@pytest.mark.parametrize(("positions", "shown"), [([-1, 0, 9], "[-1]"), ([torch.nan, 1.0], "[nan]")])
def test_no_choice_has_a_row_before_the_first(beyond, positions, shown):
    with pytest.raises(ValueError, match=f"^{re.escape(f'positions must be at least 0, got {shown}')}$"):
        rows(torch.randn(4, 2), torch.tensor(positions), beyond=beyond)


def test_a_choice_that_does_not_exist_is_rejected():
    with pytest.raises(ValueError, match=r"^beyond must be one of error, clamp, interpolate, got wrap$"):
        rows(torch.randn(4, 2), torch.arange(2), beyond="wrap")
    with pytest.raises(ValueError, match=r"^beyond must be one of noise, error, clamp, interpolate, got wrap$"):
        ENCODINGS["learned"].build(SHAPE, {"beyond": "wrap"})


def test_a_bad_std_is_rejected():
    with pytest.raises(ValueError, match=r"^std must be a number from 0\.001 to 1, got 2$"):
        ENCODINGS["learned"].build(SHAPE, {"std": 2})


def test_there_is_no_row_between_two_rows():
    with pytest.raises(ValueError, match=r"^positions must be whole, got \[0\.5, 3\.0\]$"):
        rows(torch.randn(4, 2), torch.tensor([0.5, 3.0]))
