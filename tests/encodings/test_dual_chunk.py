import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.dual_chunk import DualChunk, bias
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from tests.cases import each, refuses
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


@each(
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


@given(seeds, st.integers(1, 12), st.integers(0, 12))
def test_a_text_of_the_training_length_is_rope_if_chunks_are_half_of_it(seed, chunk, more):
    train_length = chunk + min(more, chunk)
    q, k = normal(seed, 2, train_length, 4)
    added = bias(q, k, torch.arange(train_length), frequencies(4), chunk=chunk, train_length=train_length)
    assert_close(added, torch.zeros_like(added), atol=1e-12, rtol=0)


def test_sizes_follow_the_training_length():
    for params, chunk in (({}, 48), ({"chunk": 0.5}, 32)):
        encoding = ENCODINGS["dual_chunk"].build(Shape(8, 2, 64, 128), params)
        assert (encoding.chunk, encoding.train_length) == (chunk, 64)


def test_errors():
    q, k = normal(0, 2, 3, 4)
    for chunk in (0, 5):
        refuses(
            lambda chunk=chunk: bias(q, k, torch.arange(3), frequencies(4), chunk=chunk, train_length=4),
            f"chunk must be from 1 to the training length (4), got {chunk}",
        )
