import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.shaw import Shaw, clipped, scores
from tests.largest import max_tensor
from tests.strategies import lengths, normal, offsets, seeds, whole_positions

F64 = torch.float64
SHAPE = Shape(d_model=8, n_heads=2, train_length=16, max_length=64)
clips = st.integers(1, 9)


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding.double()


def test_rows_of_a_clip_of_2():
    assert clipped(torch.arange(-4, 5), 2).tolist() == [0, 0, 0, 1, 2, 3, 4, 4, 4]


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


@given(seeds, whole_positions, clips, offsets)
def test_scores_depend_on_the_distance_only(seed, positions, clip, shift):
    q, table = normal(seed, 1, 2, len(positions), 4), normal(seed + 1, 2 * clip + 1, 4)
    assert torch.equal(scores(q, table, positions + shift), scores(q, table, positions))


@given(seeds, clips, lengths)
def test_keys_beyond_the_clip_look_alike_and_to_the_two_sides_different(seed, clip, more):
    length = 2 * clip + more
    q, table = normal(seed, 1, 1, 1, 4).expand(1, 1, length, 4), normal(seed + 1, 2 * clip + 1, 4)
    middle = scores(q, table, torch.arange(length) - length // 2)[0, 0, length // 2]
    before, after = middle[: length // 2 - clip + 1], middle[length // 2 + clip :]
    assert (before == before[0]).all()
    assert (after == after[0]).all()
    assert not (before[:1] == after[:1]).any()


@given(seeds, lengths, lengths, clips)
def test_a_longer_text_starts_like_the_shorter_one(seed, length, more, clip):
    q, table = normal(seed, 1, 1, length + more, 4), normal(seed + 1, 2 * clip + 1, 4)
    longer = scores(q, table, torch.arange(length + more))[..., :length, :length]
    assert_close(longer, scores(q[..., :length, :], table, torch.arange(length)), atol=1e-13, rtol=1e-13)


def test_no_vector_for_each_pair_is_made():
    q, table = normal(0, 1, 1, 40, 16), normal(1, 11, 16)
    assert max_tensor(lambda: scores(q, table, torch.arange(40))) == 40 * 40  # and not 40 * 40 * 16


def test_a_fraction_within_the_clip_is_an_error_and_beyond_it_is_not():
    far = torch.tensor([0.0, 7.5])
    assert clipped(far[None, :] - far[:, None], 3).tolist() == [[3, 6], [0, 3]]
    with pytest.raises(ValueError, match=r"^relative_position must be whole, got \[-7.5\]$"):
        clipped(-far, 8)


def test_no_gradient_reaches_a_row_that_no_pair_asks_for(q):
    encoding = filled(Shaw(4, 6))
    encoding.bias(q, q, torch.tensor([0, 1, 2, 4, 9])).square().sum().backward()
    reached = (encoding.table.grad.abs().sum(1) > 0).nonzero().flatten() - 6
    assert reached.tolist() == [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6]
    encoding.zero_grad()
    encoding.bias(q, q, torch.tensor([0, 0, 0, 3, 3])).square().sum().backward()
    assert ((encoding.table.grad.abs().sum(1) > 0).nonzero().flatten() - 6).tolist() == [-3, 0, 3]


@pytest.mark.parametrize(
    ("clip", "train_length", "rows"), [(0.25, 64, 33), (0.5, 64, 65), (2.0, 64, 257), (0.25, 1, 3)]
)
def test_the_clip_follows_the_training_length(clip, train_length, rows):
    shape = Shape(d_model=8, n_heads=2, train_length=train_length, max_length=512)
    assert ENCODINGS["shaw"].build(shape, {"clip": clip}).table.shape == (rows, 4)


def test_the_clip_changes_far_scores_only(q):
    near, far = (filled(ENCODINGS["shaw"].build(SHAPE, {"clip": clip})) for clip in (0.25, 0.5))
    with torch.no_grad():
        near.table.copy_(far.table[4:13])
    positions = torch.arange(5) * 2  # distances 0, 2, 4, 6, 8; clips of 4 and 8
    difference = near.bias(q, q, positions) - far.bias(q, q, positions)
    differ = difference.abs() > 1e-12  # products with tables of two sizes may be rounded in two ways
    assert torch.equal(differ.all(0).all(0), (positions[:, None] - positions).abs() > 4)


def test_a_float32_table_serves_half_precision_inputs(q):
    encoding = filled(Shaw(4, 3)).float()
    added = encoding.bias(q.bfloat16(), q.bfloat16(), torch.arange(5))
    assert added.dtype == torch.bfloat16
    assert_close(added.double(), scores(q, encoding.table.double(), torch.arange(5)), atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clipped(torch.arange(2), 0), "max_distance must be at least 1, got 0"),
        (
            lambda: scores(torch.ones(1, 1, 2, 4), torch.ones(4, 4), torch.arange(2)),
            "table must have an odd number of rows, got 4",
        ),
        (
            lambda: ENCODINGS["shaw"].build(SHAPE, {"clip": 0.1}),
            "clip must be a number from 0.25 to 2, got 0.1",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
