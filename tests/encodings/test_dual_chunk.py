from functools import partial

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.dual_chunk import bias
from pe_core.encodings.rotary import LAYOUTS, Corrected, frequencies
from tests.cases import each, refuses
from tests.encodings.seen import F64, distances_seen, scores, scores_by_loops
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

sizes = st.integers(1, 12).flatmap(lambda chunk: st.tuples(st.just(chunk), st.integers(chunk, 20)))
neighbours = st.integers(1, 16).map(torch.arange)


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
    found = distances_seen(18, partial(bias, chunk=6, train_length=10))
    assert_close(found[m, : m + 1], torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


def distance(m, n, chunk, train_length):
    back = m // chunk - n // chunk
    if back <= 0:
        return m - n
    return min(m % chunk + chunk if back == 1 else train_length - 1, train_length - 1) - n % chunk


@given(seeds, even_widths, bases, st.one_of(neighbours, whole_positions), sizes, st.sampled_from(LAYOUTS))
def test_scores_equal_the_definition(seed, dim, base, positions, sizes, layout):
    (q, k), omega = normal(seed, 2, len(positions), dim), frequencies(dim, base)
    expected = scores_by_loops(q, k, positions, omega, layout, lambda m, n: distance(m, n, *sizes))
    encoding = Corrected(omega, layout=layout, correction=partial(bias, chunk=sizes[0], train_length=sizes[1]))
    assert_close(scores(q, k, positions, encoding), expected, atol=1e-9, rtol=0)


def test_sizes_follow_the_training_length():
    for params, chunk in (({}, 48), ({"chunk": 0.5}, 32)):
        encoding = ENCODINGS["dual_chunk"].build(Shape(8, 2, 64, 128), params)
        assert encoding.correction.keywords == {"chunk": chunk, "train_length": 64}


def test_errors():
    q, k = normal(0, 2, 3, 4)
    for chunk in (0, 5):
        refuses(
            lambda chunk=chunk: bias(q, k, torch.arange(3), frequencies(4), chunk=chunk, train_length=4),
            f"chunk must be from 1 to the training length (4), got {chunk}",
        )
