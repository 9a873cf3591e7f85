import math
from functools import partial

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.rerope import bias, tokens
from pe_core.encodings.rotary import LAYOUTS, Corrected, frequencies
from tests.cases import each, refuses
from tests.encodings.seen import scores, scores_by_loops
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

F64 = torch.float64
LAYOUT = st.sampled_from(LAYOUTS)
FACTORS = st.one_of(st.just(math.inf), st.floats(1, 64))
windows = st.one_of(st.integers(1, 12), st.integers(1, 200))
neighbours = st.integers(1, 12).map(torch.arange)


def test_a_quarter_turn_per_token_by_hand():
    """Unit vectors in one plane: the score is the cosine of the distance as it is seen, over root 2."""
    ones, quarter = torch.tensor([[1.0, 0.0]], dtype=F64).expand(7, 2), torch.tensor([math.pi / 2], dtype=F64)
    positions = torch.arange(7)

    def last_row(factor):
        encoding = Corrected(quarter, layout="interleaved", correction=partial(bias, window=2, factor=factor))
        return scores(ones, ones, positions, encoding)[6] * math.sqrt(2)

    capped = [-1.0, -1, -1, -1, -1, 0, 1]  # distances 2, 2, 2, 2, 2, 1, 0
    leaky = [1.0, math.sqrt(0.5), 0, -math.sqrt(0.5), -1, 0, 1]  # distances 4, 3.5, 3, 2.5, 2, 1, 0
    assert_close(last_row(math.inf), torch.tensor(capped, dtype=F64))
    assert_close(last_row(2.0), torch.tensor(leaky, dtype=F64))


@given(seeds, even_widths, bases, st.one_of(neighbours, whole_positions), windows, FACTORS, LAYOUT)
def test_scores_equal_the_definition(seed, dim, base, positions, window, factor, layout):
    (q, k), omega = normal(seed, 2, len(positions), dim), frequencies(dim, base)
    encoding = Corrected(omega, layout=layout, correction=partial(bias, window=window, factor=factor))

    def seen(m, n):
        return m - n if m - n < window else window + (m - n - window) / factor

    expected = scores_by_loops(q, k, positions, omega, layout, seen)
    assert_close(scores(q, k, positions, encoding), expected, atol=1e-9, rtol=0)


@each(("share", "train_length", "expected"), [(0.5, 64, 32), (0.1, 4, 1), (0.5, 7, 4), (1.0, 1, 1)])
def test_the_window_follows_the_training_length(share, train_length, expected):
    assert tokens(share, train_length) == expected
    encoding = ENCODINGS["rerope"].build(Shape(8, 2, train_length, 128), {"window": share})
    assert encoding.correction.keywords == {"window": expected}


Q = torch.ones(2, 4)


def test_errors():
    refuses(lambda: bias(Q, Q, torch.arange(2), frequencies(4), window=0), "window must be above 0, got 0")
    refuses(
        lambda: bias(Q, Q, torch.arange(2), frequencies(4), window=1, factor=0.5), "factor must be at least 1, got 0.5"
    )
