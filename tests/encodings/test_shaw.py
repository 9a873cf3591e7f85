import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.shaw import clipped, scores
from tests.cases import each, refuses
from tests.largest import max_tensor
from tests.strategies import normal, seeds, whole_positions

F64 = torch.float64
clips = st.integers(1, 9)


def test_three_positions_and_a_clip_of_1():
    q = torch.tensor([[1.0, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0]])[None, None]
    table = torch.tensor([[4.0, 6, 0, 0], [8, 10, 0, 0], [12, 14, 0, 0]])  # before, same, after
    expected = [[4, 6, 6], [6, 10, 14], [5, 5, 9]]  # q . a / sqrt(4)
    assert scores(q, table, torch.arange(3))[0, 0].tolist() == expected


def scores_by_loops(q, table, positions):
    """One product per text, head, query and key, from the definition."""
    k, places, d = len(table) // 2, positions.tolist(), q.shape[-1]
    rows = [[max(-k, min(k, n - m)) + k for n in places] for m in places]
    return torch.tensor(
        [
            [[[float(q_m @ table[c]) / math.sqrt(d) for c in row] for q_m, row in zip(head, rows, strict=True)]
             for head in text]
            for text in q
        ],
        dtype=F64,
    )  # fmt: skip


@given(seeds, whole_positions, clips, st.integers(1, 5))
def test_scores_equal_the_definition(seed, positions, clip, dim):
    q, table = normal(seed, 2, 2, len(positions), dim), normal(seed + 1, 2 * clip + 1, dim)
    assert_close(scores(q, table, positions), scores_by_loops(q, table, positions), atol=1e-12, rtol=1e-12)


def test_no_vector_for_each_pair_is_made():
    q, table = normal(0, 1, 1, 40, 16), normal(1, 11, 16)
    assert max_tensor(lambda: scores(q, table, torch.arange(40))) == 40 * 40  # and not 40 * 40 * 16


def test_a_fraction_within_the_clip_is_an_error_and_beyond_it_is_not():
    far = torch.tensor([0.0, 7.5])
    assert clipped(far[None, :] - far[:, None], 3).tolist() == [[3, 6], [0, 3]]
    with pytest.raises(ValueError, match=r"^relative_position must be whole, got \[-7.5\]$"):
        clipped(-far, 8)


@each(("clip", "train_length", "rows"), [(0.25, 64, 33), (0.5, 64, 65), (2.0, 64, 257), (0.25, 1, 3)])
def test_the_clip_follows_the_training_length(clip, train_length, rows):
    shape = Shape(d_model=8, n_heads=2, train_length=train_length, max_length=512)
    assert ENCODINGS["shaw"].build(shape, {"clip": clip}).table.shape == (rows, 4)


def test_errors():
    q, table = torch.ones(1, 1, 2, 4), torch.ones(4, 4)
    refuses(lambda: clipped(torch.arange(2), 0), "max_distance must be at least 1, got 0")
    refuses(lambda: scores(q, table, torch.arange(2)), "table must have an odd number of rows, got 4")
