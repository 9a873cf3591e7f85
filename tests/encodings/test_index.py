import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import layer_norm
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.index import Index, table
from tests.cases import each
from tests.strategies import lengths, normal, seeds, whole_positions

F64 = torch.float64


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def test_the_first_positions():
    assert table(torch.arange(3)).tolist() == [[0], [1], [2]]
    assert table(torch.arange(3), normalise=True).tolist() == [[0], [0.5], [1]]


@given(whole_positions)
def test_table_equals_the_definition(positions):
    places = positions.tolist()
    assert table(positions, dtype=F64).tolist() == [[place] for place in places]
    expected = [[place / max(places) if max(places) else 0.0] for place in places]
    assert table(positions, normalise=True, dtype=F64).tolist() == expected


@given(seeds, st.integers(0, 10_000), st.integers(2, 32))
def test_layer_norm_removes_an_index_added_to_every_channel(seed, position, width):
    x = normal(seed, 3, width)
    moved = layer_norm(x + position, (width,))
    assert_close(moved, layer_norm(x, (width,)), atol=1e-8, rtol=0)


@pytest.mark.parametrize("key", ["integer", "normalised"])
def test_layer_norm_does_not_remove_the_module(x, key):
    encoding = filled(ENCODINGS[key].build(Shape(8, 2, 5, 5))).double()
    moved, plain = layer_norm(encoding.embed(x, torch.arange(5)), (8,)), layer_norm(x, (8,))
    assert ((moved - plain).abs().amax(-1)[:, 1:] > 1e-3).all()  # every position but 0


@given(lengths)
def test_normalised_runs_from_0_to_1_with_a_step_that_depends_on_the_length(length):
    index = table(torch.arange(length + 1), normalise=True, dtype=F64)[:, 0]
    assert (index[0], index[-1]) == (0, 1)
    assert_close(index.diff(), torch.full((length,), 1 / length, dtype=F64), atol=1e-12, rtol=0)


@given(lengths, lengths)
def test_only_the_integer_index_of_a_longer_text_starts_like_the_shorter_one(length, more):
    shorter, longer = torch.arange(1 + length), torch.arange(1 + length + more)
    assert torch.equal(table(longer)[: length + 1], table(shorter))
    assert not torch.allclose(table(longer, normalise=True)[: length + 1], table(shorter, normalise=True))


def test_a_lone_position_0_stays_0():
    assert table(torch.tensor([0]), normalise=True).tolist() == [[0]]


def test_no_positions_give_an_empty_table():
    assert table(torch.arange(0)).shape == (0, 1)
    assert table(torch.arange(0), normalise=True).shape == (0, 1)


def test_shifted_unsorted_and_fractional_positions_are_ordinary():
    positions = torch.tensor([7.5, 2.0, 10.0])
    assert table(positions).tolist() == [[7.5], [2], [10]]
    assert_close(table(positions, normalise=True), torch.tensor([[0.75], [0.2], [1]]))


def test_16384_positions():
    assert table(torch.arange(16_384)).unique().numel() == 16_384
    assert table(torch.arange(16_384), normalise=True).unique().numel() == 16_384


@each("width", [1, 3, 7])
@each("normalise", [False, True])
@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_and_odd_widths_at_position_8191(dtype, normalise, width):
    encoding = filled(Index(width, normalise=normalise)).to(dtype)
    moved = encoding.embed(torch.zeros(1, 2, width, dtype=dtype), torch.tensor([0, 8191]))
    assert moved.dtype == dtype
    assert moved.shape == (1, 2, width)
    expected = encoding.direction[0].double() * (1 if normalise else 8191)
    assert_close(moved[0, 1].double(), expected, rtol=2**-6, atol=0)


def test_embed_moves_along_the_direction(x):
    encoding = filled(Index(8, normalise=False)).double()
    moved = encoding.embed(x, torch.tensor([0, 3, 1, 100, 2])) - x
    expected = torch.stack([m * encoding.direction[0] for m in (0, 3, 1, 100, 2)])
    assert_close(moved, expected.expand(2, 5, 8))


def test_normalise_changes_the_result(x):
    results = [filled(Index(8, normalise=flag)).double().embed(x, torch.arange(5)) for flag in (False, True)]
    assert not torch.allclose(*results)


def test_dtype_is_the_type_of_the_table():
    assert table(torch.arange(2)).dtype == torch.float32
    assert table(torch.arange(2), dtype=torch.float16).dtype == torch.float16
