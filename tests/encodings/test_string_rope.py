from functools import partial

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.rotary import LAYOUTS, Corrected, frequencies
from pe_core.encodings.string_rope import bias
from tests.cases import refuses
from tests.encodings.seen import F64, distances_seen, scores, scores_by_loops
from tests.strategies import bases, even_widths, normal, seeds, whole_positions

sizes = st.integers(1, 12).flatmap(lambda shift: st.tuples(st.just(shift), st.integers(1, shift)))
neighbours = st.integers(1, 16).map(torch.arange)


def test_the_last_row_by_hand():
    """L = 12, S = 4, W = 2: four exact distances, then from W on again."""
    expected = torch.tensor([9, 8, 7, 6, 5, 4, 3, 2, 3, 2, 1, 0], dtype=F64)
    assert_close(distances_seen(12, partial(bias, shift=4, window=2))[-1], expected, atol=1e-6, rtol=0)


@given(seeds, even_widths, bases, st.one_of(neighbours, whole_positions), sizes, st.sampled_from(LAYOUTS))
def test_scores_equal_the_definition(seed, dim, base, positions, sizes, layout):
    (q, k), omega, (shift, window) = normal(seed, 2, len(positions), dim), frequencies(dim, base), sizes

    def seen(m, n):
        return m - n if m - n < shift else m - n - shift + window

    expected = scores_by_loops(q, k, positions, omega, layout, seen)
    encoding = Corrected(omega, layout=layout, correction=partial(bias, shift=shift, window=window))
    assert_close(scores(q, k, positions, encoding), expected, atol=1e-9, rtol=0)


def test_sizes_follow_the_training_length():
    for params, sizes in (({}, (22, 6)), ({"shift": 0.5, "window": 0.25}, (32, 16))):
        encoding = ENCODINGS["string"].build(Shape(8, 2, 64, 128), params)
        assert encoding.correction.keywords == dict(zip(("shift", "window"), sizes, strict=True))


def test_errors():
    q, k = normal(0, 2, 3, 4)
    for window in (0, 3):
        refuses(
            lambda window=window: bias(q, k, torch.arange(3), frequencies(4), shift=2, window=window),
            f"window must be from 1 to the shift (2), got {window}",
        )
