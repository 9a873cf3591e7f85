import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.partial_rope import PartialRotary, n_turned, rotate_first, spread, truncated
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies, rotate
from tests.cases import each
from tests.strategies import bases, even_widths, normal, seeds

F64 = torch.float64
LAYOUT = st.sampled_from(LAYOUTS)
SHARES = st.floats(0, 1)
SHAPE = Shape(16, 2, 4, 8)


def test_half_of_8_channels():
    """Partial RoPE spreads the ladder anew over two pairs, p-RoPE keeps the two fastest of the four."""
    assert_close(spread(8, 0.5), torch.tensor([1, 0.01], dtype=F64))
    assert_close(truncated(frequencies(8), 0.5), torch.tensor([1, 0.1, 0, 0], dtype=F64))


@each(
    ("n_pairs", "share", "turned"),
    [(32, 0.25, 8), (32, 0.75, 24), (2, 0.75, 1), (1, 0.99, 0), (1, 1, 1), (100, 0.29, 29), (10, 0.7, 7), (5, 0, 0)],
)
def test_the_number_of_pairs_is_rounded_down(n_pairs, share, turned):
    assert n_turned(n_pairs, share) == turned


@given(even_widths, bases, SHARES)
def test_frequencies_equal_the_definition(dim, base, share):
    turned = n_turned(dim // 2, share)
    kept = [base ** (-2 * i / dim) if i < turned else 0 for i in range(dim // 2)]
    assert_close(truncated(frequencies(dim, base), share), torch.tensor(kept, dtype=F64))
    own = [base ** (-2 * i / (2 * turned)) for i in range(turned)]
    assert_close(spread(dim, share, base), torch.tensor(own, dtype=F64))


@given(seeds, even_widths, SHARES, LAYOUT)
def test_the_first_channels_are_a_head_of_their_own_and_the_rest_stays(seed, dim, share, layout):
    x, positions, omega = normal(seed, 2, 3, dim), torch.tensor([7, 0, 400]), spread(dim, share)
    result, n_channels = rotate_first(x, positions, omega, layout=layout), 2 * len(omega)
    assert_close(result[..., :n_channels], rotate(x[..., :n_channels], positions, omega, layout=layout))
    assert torch.equal(result[..., n_channels:], x[..., n_channels:])


@given(seeds, even_widths, bases, LAYOUT)
def test_a_share_of_1_is_rope_and_of_0_nothing(seed, dim, base, layout):
    x, positions, omega = normal(seed, 3, dim), torch.tensor([7, 0, 400]), frequencies(dim, base)
    rope = rotate(x, positions, omega, layout=layout)
    for share, expected in ((1.0, rope), (0.0, x)):
        assert torch.equal(rotate(x, positions, truncated(omega, share), layout=layout), expected)
        assert torch.equal(rotate_first(x, positions, spread(dim, share, base), layout=layout), expected)


@given(seeds, even_widths, SHARES, st.integers(-500, 500), LAYOUT)
def test_scores_depend_on_the_distance_only_and_norms_are_kept(seed, dim, share, shift, layout):
    q, k = normal(seed, 2, 4, dim)
    positions = torch.tensor([3, 0, 17, 5])
    for encoding in (
        PartialRotary(spread(dim, share), layout=layout),
        Rotary(truncated(frequencies(dim), share), layout=layout),
    ):
        here, there = (encoding.rotate(q, k, places) for places in (positions, positions + shift))
        assert_close(here[0] @ here[1].mT, there[0] @ there[1].mT, atol=1e-10, rtol=0)
        assert_close(here[0].norm(dim=-1), q.norm(dim=-1), atol=1e-12, rtol=1e-12)


def test_cutting_frequencies_leaves_the_given_ones_alone():
    omega = frequencies(8)
    truncated(omega, 0.25)
    assert torch.equal(omega, frequencies(8))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_half_precision_at_position_8191(layout, dtype):
    x, positions, omega = normal(1, 2, 8).to(dtype), torch.tensor([0, 8191]), spread(8, 0.5)
    turned = rotate_first(x, positions, omega, layout=layout)
    assert turned.dtype == dtype
    exact = rotate_first(x.double(), positions, omega, layout=layout)
    assert_close(turned.double(), exact, atol=1e-6, rtol=2**-8)


@pytest.mark.parametrize("key", ["rope_partial", "rope_p"])
def test_every_parameter_changes_the_result(key):
    q, k = normal(1, 2, 1, 2, 5, 8)

    def turned(**params):
        return ENCODINGS[key].build(SHAPE, params).rotate(q, k, torch.arange(5))[0]

    for other in (turned(base=100.0), turned(layout="half"), turned(share=0.25), turned(share=1.0)):
        assert not torch.allclose(turned(), other)


def test_the_entries_are_two_different_encodings():
    q, k = normal(1, 2, 1, 2, 5, 8)
    one, other = (
        ENCODINGS[key].build(SHAPE, {"share": 0.5}).rotate(q, k, torch.arange(5))[0]
        for key in ("rope_partial", "rope_p")
    )
    assert_close(one[..., :2], other[..., :2])  # the fastest pair is the same
    assert_close(one[..., 4:], other[..., 4:])  # and the other half stays
    assert not torch.allclose(one[..., 2:4], other[..., 2:4])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: truncated(frequencies(8), 1.5), "share must be from 0 to 1, got 1.5"),
        (lambda: spread(8, -0.1), "share must be from 0 to 1, got -0.1"),
        (lambda: spread(7, 0.5), "head_dim must be even and at least 2, got 7"),
        (lambda: ENCODINGS["rope_p"].build(SHAPE, {"share": 2.0}), "share must be a number from 0 to 1, got 2.0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
