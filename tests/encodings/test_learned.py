import re

import pytest
import torch
from hypothesis import given
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.learned import Learned, rows
from tests.strategies import checked, normal, seeds, whole_positions

SHAPE = Shape(d_model=8, n_heads=2, train_length=4, max_length=6)


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def test_rows_of_a_small_table():
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert rows(table, torch.tensor([2, 0, 2])).tolist() == [[5, 6], [1, 2], [5, 6]]


@checked
@given(seeds, whole_positions)
def test_rows_equal_the_definition(seed, positions):
    table = normal(seed, 5001, 2)
    assert rows(table, positions).tolist() == [table.tolist()[position] for position in positions.tolist()]


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


def test_the_registry_has_a_row_for_every_position_up_to_the_longest():
    assert ENCODINGS["learned"].build(SHAPE).table.shape == (6, 8)


@pytest.mark.parametrize("width", [1, 3, 7])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
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


def test_a_bad_std_is_rejected():
    with pytest.raises(ValueError, match=r"^std must be a number from 0\.001 to 1, got 2$"):
        ENCODINGS["learned"].build(SHAPE, {"std": 2})


def test_there_is_no_row_between_two_rows():
    with pytest.raises(ValueError, match=r"^positions must be whole, got \[0\.5, 3\.0\]$"):
        rows(torch.randn(4, 2), torch.tensor([0.5, 3.0]))
