"""RoPE that tells far keys as nearer ones: ReRoPE, Self-Extend, dual chunk attention and STRING.

Each is RoPE whose scores are corrected, so each is held against a loop that turns a query by the distance that is told.
"""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import dual_chunk, rerope, self_extend, string_rope
from pe_core.encodings.rerope import Corrected
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies, rotate
from tests.cases import each, refuses
from tests.encodings.loops import scores
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

F64 = torch.float64
SLOW = torch.tensor([0.01], dtype=F64)  # a pair that turns so slowly that its angle says the distance


def distances_told(length, told):
    """The distance behind every score of a text of so many tokens, (T, T)."""
    ones = torch.tensor([[1.0, 0.0]], dtype=F64).expand(length, 2)
    encoding = Corrected(Rotary(SLOW, layout="interleaved"), told)
    return (scores(encoding, ones, ones, torch.arange(length)) * math.sqrt(2)).clamp(-1, 1).acos() / SLOW


SELF_EXTEND, DUAL = partial(self_extend.told, group=2), partial(dual_chunk.told, chunk=6, train_length=10)


@each(
    ("told", "expected"),
    [
        (partial(rerope.told, window=2), [2, 2, 2, 2, 2, 1, 0]),
        (partial(rerope.told, window=2, factor=2.0), [4, 3.5, 3, 2.5, 2, 1, 0]),
        (partial(SELF_EXTEND, window=4), [6, 6, 5, 5, 4, 4, 3, 2, 1, 0]),  # the figure of the paper in small
        (partial(SELF_EXTEND, window=5), [6, 6, 4, 3, 2, 1, 0]),  # 5 tokens are 2 or 3 groups plus 3, and 6 here
        (DUAL, [7, 6, 5, 4, 3, 2, 1, 0]),  # rows 7, 11, 12 and 17 of figure 2: no distance is above 9
        (DUAL, [9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0]),
        (DUAL, [9, 8, 7, 6, 5, 4, 6, 5, 4, 3, 2, 1, 0]),
        (DUAL, [9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0]),
        (partial(string_rope.told, shift=4, window=2), [9, 8, 7, 6, 5, 4, 3, 2, 3, 2, 1, 0]),
    ],
)
def test_the_distances_that_the_last_query_is_told(told, expected):
    found = distances_told(len(expected), told)[-1]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


@each(("train_length", "window", "group"), [(64, 32, 4), (16, 4, 2), (8, 2, 2)])
def test_the_reach_of_self_extend_is_as_published(train_length, window, group):
    told, reach = partial(self_extend.told, window=window, group=group), (train_length - window) * group + window
    assert distances_told(reach, told).tril().max() < train_length - 1 + 1e-6
    assert distances_told(reach + group, told).tril().max() > train_length - 1 + 1e-6


def rerope_told(m, n, window, factor):
    return m - n if m - n < window else window + (m - n - window) / factor


def self_extend_told(m, n, window, group):
    return m - n if m - n < window else m // group - n // group + window - window // group


def dual_chunk_told(m, n, chunk, train_length):
    back = m // chunk - n // chunk
    if back <= 0:
        return m - n
    return min(m % chunk + chunk if back == 1 else train_length - 1, train_length - 1) - n % chunk


def string_told(m, n, shift, window):
    return m - n if m - n < shift else m - n - shift + window


windows = st.one_of(st.integers(1, 12), st.integers(1, 200))
factors = st.one_of(st.just(math.inf), st.floats(1, 64))
chunks = st.integers(1, 12).flatmap(
    lambda chunk: st.builds(dict, chunk=st.just(chunk), train_length=st.integers(chunk, 20))
)
shifts = st.integers(1, 12).flatmap(lambda shift: st.builds(dict, shift=st.just(shift), window=st.integers(1, shift)))
RULES = {  # what is told, the distance by a loop, and the sizes to try
    "rerope": (rerope.told, rerope_told, st.builds(dict, window=windows, factor=factors)),
    "self_extend": (self_extend.told, self_extend_told, st.builds(dict, window=windows, group=st.integers(1, 16))),
    "dual_chunk": (dual_chunk.told, dual_chunk_told, chunks),
    "string": (string_rope.told, string_told, shifts),
}
neighbours = st.integers(1, 16).map(torch.arange)


@pytest.mark.parametrize("key", RULES)
@given(st.data(), seeds, even_widths, bases, st.one_of(neighbours, whole_positions), st.sampled_from(LAYOUTS))
def test_scores_equal_the_definition(key, data, seed, dim, base, positions, layout):
    (q, k), omega, (told, distance_of, sizes) = normal(seed, 2, len(positions), dim), frequencies(dim, base), RULES[key]
    drawn = data.draw(sizes)
    expected = torch.zeros(len(q), len(k), dtype=F64)
    for row, m in enumerate(positions.tolist()):
        for column, n in enumerate(positions.tolist()):
            distance = torch.tensor([distance_of(m, n, **drawn)], dtype=F64)
            turned = rotate(q[row : row + 1], distance, omega, layout=layout)
            expected[row, column] = turned[0] @ k[column] / math.sqrt(dim)
    encoding = Corrected(Rotary(omega, layout=layout), partial(told, **drawn))
    assert_close(scores(encoding, q, k, positions), expected, atol=1e-9, rtol=0)


@each(
    ("told", "sizes", "message"),
    [
        (rerope.told, {"window": 0}, "window must be above 0, got 0"),
        (rerope.told, {"window": 1, "factor": 0.5}, "factor must be at least 1, got 0.5"),
        (self_extend.told, {"window": 0, "group": 2}, "window must be above 0, got 0"),
        (self_extend.told, {"window": 1, "group": 0}, "group must be at least 1, got 0"),
        (dual_chunk.told, {"chunk": 0, "train_length": 4}, "chunk must be from 1 to the training length (4), got 0"),
        (dual_chunk.told, {"chunk": 5, "train_length": 4}, "chunk must be from 1 to the training length (4), got 5"),
        (string_rope.told, {"shift": 2, "window": 0}, "window must be from 1 to the shift (2), got 0"),
        (string_rope.told, {"shift": 2, "window": 3}, "window must be from 1 to the shift (2), got 3"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(told, sizes, message):
    refuses(lambda: told(torch.arange(3), **sizes), message)
