import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.dual_chunk import DualChunk, bias
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

F64 = torch.float64
SLOW = torch.tensor([0.01], dtype=F64)
sizes = st.integers(1, 12).flatmap(lambda chunk: st.tuples(st.just(chunk), st.integers(chunk, 20)))
neighbours = st.integers(1, 16).map(torch.arange)


def scores(q, k, positions, encoding):
    """The scaled scores as a model sees them, (T, T)."""
    turned_q, turned_k = encoding.rotate(q, k, positions)
    return turned_q @ turned_k.mT / math.sqrt(q.shape[-1]) + encoding.bias(turned_q, turned_k, positions)


def distances_seen(length, chunk, train_length):
    """The distance behind every score, read off a pair that turns so slowly that its angle is unique."""
    ones = torch.tensor([[1.0, 0.0]], dtype=F64).expand(length, 2)
    encoding = DualChunk(SLOW, chunk=chunk, train_length=train_length, layout="interleaved")
    return (scores(ones, ones, torch.arange(length), encoding) * math.sqrt(2)).clamp(-1, 1).acos() / SLOW


@pytest.mark.parametrize(
    ("m", "expected"),
    [
        (7, [7, 6, 5, 4, 3, 2, 1, 0]),
        (11, [9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0]),
        (12, [9, 8, 7, 6, 5, 4, 6, 5, 4, 3, 2, 1, 0]),
        (17, [9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0]),
    ],
)
def test_the_figure_of_the_paper(m, expected):
    """Figure 2: chunks of 6 and a training length of 10, so that no distance is above 9."""
    assert_close(distances_seen(18, 6, 10)[m, : m + 1], torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


def distance(m, n, chunk, train_length):
    back = m // chunk - n // chunk
    if back <= 0:
        return m - n
    return min(m % chunk + chunk if back == 1 else train_length - 1, train_length - 1) - n % chunk


@given(seeds, even_widths, bases, st.one_of(neighbours, whole_positions), sizes, st.sampled_from(LAYOUTS))
def test_scores_equal_the_definition(seed, dim, base, positions, sizes, layout):
    (q, k), omega = normal(seed, 2, len(positions), dim), frequencies(dim, base)
    expected = torch.zeros(len(q), len(k), dtype=F64)
    for row, m in enumerate(positions.tolist()):
        for column, n in enumerate(positions.tolist()):
            turned = rotate(q[row : row + 1], torch.tensor([distance(m, n, *sizes)]), omega, layout=layout)
            expected[row, column] = turned[0] @ k[column] / math.sqrt(dim)
    encoding = DualChunk(omega, chunk=sizes[0], train_length=sizes[1], layout=layout)
    assert_close(scores(q, k, positions, encoding), expected, atol=1e-9, rtol=0)


@given(sizes, st.integers(1, 60))
def test_no_distance_reaches_the_training_length(sizes, length):
    assert distances_seen(length, *sizes).tril().max() <= sizes[1] - 1 + 1e-5


@given(seeds, st.integers(1, 12), st.integers(0, 12))
def test_a_text_of_the_training_length_is_rope_if_chunks_are_half_of_it(seed, chunk, more):
    train_length = chunk + min(more, chunk)
    q, k = normal(seed, 2, train_length, 4)
    added = bias(q, k, torch.arange(train_length), frequencies(4), chunk=chunk, train_length=train_length)
    assert_close(added, torch.zeros_like(added), atol=1e-12, rtol=0)


@given(sizes)
def test_the_nearest_keys_are_exact_in_the_chunk_before_too(sizes):
    chunk, train_length = sizes
    found = distances_seen(3 * chunk, chunk, train_length)
    for near in range(min(train_length - chunk, chunk) + 1):
        exact = torch.full((3 * chunk - near,), float(near), dtype=F64)
        assert_close(found.diagonal(-near), exact, atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_the_difference(dtype):
    (q, k), positions = normal(1, 2, 12, 8).to(dtype), torch.arange(8180, 8192)
    added, exact = (
        bias(*pair, positions, frequencies(8), chunk=5, train_length=8) for pair in ((q, k), (q.double(), k.double()))
    )
    assert added.dtype == dtype
    assert_close(added.double(), exact, atol=1e-5, rtol=2.0**-8)


def test_length_and_every_parameter_change_the_scores():
    q = normal(1, 1, 2, 24, 4)

    def found(train_length=8, **params):
        return scores(q, q, torch.arange(24), ENCODINGS["dual_chunk"].build(Shape(8, 2, train_length, 32), params))

    for other in (found(base=100.0), found(layout="half"), found(chunk=0.5), found(train_length=12)):
        assert not torch.allclose(found(), other)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: bias(*normal(0, 2, 3, 4), torch.arange(3), frequencies(4), chunk=0, train_length=4),
            "chunk must be from 1 to the training length (4), got 0",
        ),
        (
            lambda: bias(*normal(0, 2, 3, 4), torch.arange(3), frequencies(4), chunk=5, train_length=4),
            "chunk must be from 1 to the training length (4), got 5",
        ),
        (
            lambda: ENCODINGS["dual_chunk"].build(Shape(8, 2, 4, 8), {"chunk": 2.0}),
            "chunk must be a number from 0.25 to 0.95, got 2.0",
        ),
        (lambda: ENCODINGS["dual_chunk"].build(Shape(6, 2, 4, 8)), "head_dim must be even and at least 2, got 3"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
