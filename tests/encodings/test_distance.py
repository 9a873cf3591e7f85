import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings.distance import between, hide_future
from tests.cases import each
from tests.strategies import normal, seeds, whole_positions

INF = math.inf


def test_three_positions_out_of_order():
    positions = torch.tensor([4, 0, 1])
    assert between(positions).tolist() == [[0, 4, 3], [-4, 0, -1], [-3, 1, 0]]
    assert hide_future(torch.ones(3, 3), positions).tolist() == [[1, 1, 1], [-INF, 1, -INF], [-INF, 1, 1]]


@given(whole_positions)
def test_distances_equal_the_definition(positions):
    places = positions.tolist()
    assert between(positions, torch.float64).tolist() == [[m - n for n in places] for m in places]


@given(seeds, whole_positions, st.integers(1, 3))
def test_only_later_keys_are_hidden(seed, positions, n_heads):
    bias, places = normal(seed, n_heads, len(positions), len(positions)), positions.tolist()
    hidden = hide_future(bias, positions).tolist()
    for head, rows in enumerate(bias.tolist()):
        for i, m in enumerate(places):
            assert hidden[head][i] == [-INF if n > m else rows[i][j] for j, n in enumerate(places)]


@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_neighbours_apart(dtype):
    far = between(torch.tensor([8190, 8191, 0]), dtype)
    assert far.dtype == torch.float32
    assert far[:, 2].tolist() == [8190, 8191, 0]
