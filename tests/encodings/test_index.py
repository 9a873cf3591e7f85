import torch
from hypothesis import given
from torch.testing import assert_close

from pe_core.encodings.index import Index, table
from tests.strategies import initialised, whole_positions

F64 = torch.float64


def test_the_first_positions():
    assert table(torch.arange(3)).tolist() == [[0], [1], [2]]
    assert table(torch.arange(3), normalise=True).tolist() == [[0], [0.5], [1]]


@given(whole_positions)
def test_table_equals_the_definition(positions):
    places = positions.tolist()
    assert table(positions, dtype=F64).tolist() == [[place] for place in places]
    expected = [[place / max(places) if max(places) else 0.0] for place in places]
    assert table(positions, normalise=True, dtype=F64).tolist() == expected


def test_no_positions_give_an_empty_table():
    assert table(torch.arange(0)).shape == (0, 1)
    assert table(torch.arange(0), normalise=True).shape == (0, 1)


def test_shifted_unsorted_and_fractional_positions_are_ordinary():
    positions = torch.tensor([7.5, 2.0, 10.0])
    assert table(positions).tolist() == [[7.5], [2], [10]]
    assert_close(table(positions, normalise=True), torch.tensor([[0.75], [0.2], [1]]))


def test_embed_moves_along_the_direction(x):
    encoding = initialised(Index(8, normalise=False)).double()
    moved = encoding.embed(x, torch.tensor([0, 3, 1, 100, 2])) - x
    expected = torch.stack([m * encoding.direction[0] for m in (0, 3, 1, 100, 2)])
    assert_close(moved, expected.expand(2, 5, 8))
