import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from pe_core.encodings.string_rope import String, bias
from tests.cases import refuses
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

F64 = torch.float64
SLOW = torch.tensor([0.01], dtype=F64)
sizes = st.integers(1, 12).flatmap(lambda shift: st.tuples(st.just(shift), st.integers(1, shift)))
neighbours = st.integers(1, 16).map(torch.arange)


def scores(q, k, positions, encoding):
    """The scaled scores as a model sees them, (T, T)."""
    turned_q, turned_k = encoding.rotate(q, k, positions)
    return turned_q @ turned_k.mT / math.sqrt(q.shape[-1]) + encoding.bias(turned_q, turned_k, positions)


def distances_seen(length, shift, window):
    """The distance behind every score, read off a pair that turns so slowly that its angle is unique."""
    ones = torch.tensor([[1.0, 0.0]], dtype=F64).expand(length, 2)
    encoding = String(SLOW, shift=shift, window=window, layout="interleaved")
    return (scores(ones, ones, torch.arange(length), encoding) * math.sqrt(2)).clamp(-1, 1).acos() / SLOW


def test_the_last_row_by_hand():
    """L = 12, S = 4, W = 2: four exact distances, then from W on again."""
    expected = torch.tensor([9, 8, 7, 6, 5, 4, 3, 2, 3, 2, 1, 0], dtype=F64)
    assert_close(distances_seen(12, 4, 2)[-1], expected, atol=1e-6, rtol=0)


@given(seeds, even_widths, bases, st.one_of(neighbours, whole_positions), sizes, st.sampled_from(LAYOUTS))
def test_scores_equal_the_definition(seed, dim, base, positions, sizes, layout):
    (q, k), omega, (shift, window) = normal(seed, 2, len(positions), dim), frequencies(dim, base), sizes
    expected = torch.zeros(len(q), len(k), dtype=F64)
    for row, m in enumerate(positions.tolist()):
        for column, n in enumerate(positions.tolist()):
            distance = m - n if m - n < shift else m - n - shift + window
            turned = rotate(q[row : row + 1], torch.tensor([distance]), omega, layout=layout)
            expected[row, column] = turned[0] @ k[column] / math.sqrt(dim)
    encoding = String(omega, shift=shift, window=window, layout=layout)
    assert_close(scores(q, k, positions, encoding), expected, atol=1e-9, rtol=0)


@given(seeds, st.integers(1, 12), st.integers(1, 20))
def test_without_a_shift_or_in_a_short_text_it_is_rope(seed, shift, length):
    q, k = normal(seed, 2, length, 4)
    for window, n in ((shift, length), (1, min(shift, length))):
        added = bias(q[:n], k[:n], torch.arange(n), frequencies(4), shift=shift, window=window)
        assert_close(added, torch.zeros_like(added), atol=1e-12, rtol=0)


def test_sizes_follow_the_training_length():
    for params, sizes in (({}, (22, 6)), ({"shift": 0.5, "window": 0.25}, (32, 16))):
        encoding = ENCODINGS["string"].build(Shape(8, 2, 64, 128), params)
        assert (encoding.shift, encoding.window) == sizes


def test_errors():
    q, k = normal(0, 2, 3, 4)
    for window in (0, 3):
        refuses(
            lambda window=window: bias(q, k, torch.arange(3), frequencies(4), shift=2, window=window),
            f"window must be from 1 to the shift (2), got {window}",
        )
