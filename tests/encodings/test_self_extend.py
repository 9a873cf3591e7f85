from functools import partial

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.rotary import LAYOUTS, Corrected, frequencies
from pe_core.encodings.self_extend import bias
from tests.cases import each, refuses
from tests.encodings.seen import F64, distances_seen, scores, scores_by_loops
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

LAYOUT = st.sampled_from(LAYOUTS)
GROUPS = st.integers(1, 16)
windows = st.one_of(st.integers(1, 12), st.integers(1, 200))
neighbours = st.integers(1, 12).map(torch.arange)


def test_the_figure_of_the_paper_in_small():
    """Window 4, groups of 2: the last of ten queries sees 4 keys exactly and the others in pairs."""
    expected = [6, 6, 5, 5, 4, 4, 3, 2, 1, 0]
    assert_close(
        distances_seen(10, partial(bias, window=4, group=2))[9], torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0
    )


def test_the_window_itself_is_the_first_distance_between_groups():
    """Window 5, groups of 2: a distance of 5 is one of 2 or 3 groups plus 3, and 6 tokens here."""
    assert_close(
        distances_seen(7, partial(bias, window=5, group=2))[6],
        torch.tensor([6, 6, 4, 3, 2, 1, 0], dtype=F64),
        atol=1e-6,
        rtol=0,
    )


@each(("train_length", "window", "group"), [(64, 32, 4), (16, 4, 2), (8, 2, 2)])
def test_the_reach_is_as_published(train_length, window, group):
    correction, reach = partial(bias, window=window, group=group), (train_length - window) * group + window
    assert distances_seen(reach, correction).tril().max() < train_length - 1 + 1e-6
    assert distances_seen(reach + group, correction).tril().max() > train_length - 1 + 1e-6


@given(seeds, even_widths, bases, st.one_of(neighbours, whole_positions), windows, GROUPS, LAYOUT)
def test_scores_equal_the_definition(seed, dim, base, positions, window, group, layout):
    (q, k), omega = normal(seed, 2, len(positions), dim), frequencies(dim, base)

    def seen(m, n):
        return m - n if m - n < window else m // group - n // group + window - window // group

    expected = scores_by_loops(q, k, positions, omega, layout, seen)
    encoding = Corrected(omega, layout=layout, correction=partial(bias, window=window, group=group))
    assert_close(scores(q, k, positions, encoding), expected, atol=1e-9, rtol=0)


def test_sizes_are_those_that_are_asked_for():
    encoding = ENCODINGS["self_extend"].build(Shape(8, 2, 64, 128), {"window": 0.5, "group": 4})
    assert encoding.correction.keywords == {"window": 32, "group": 4}


Q = torch.ones(2, 4)


def test_errors():
    refuses(lambda: bias(Q, Q, torch.arange(2), frequencies(4), window=0, group=2), "window must be above 0, got 0")
    refuses(lambda: bias(Q, Q, torch.arange(2), frequencies(4), window=1, group=0), "group must be at least 1, got 0")
