import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.partial_rope import n_turned, rotate_first, spread, truncated
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from tests.cases import each, refuses
from tests.strategies import bases, even_widths, normal, seeds

F64 = torch.float64
LAYOUT = st.sampled_from(LAYOUTS)
SHARES = st.floats(0, 1)


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


def test_errors():
    refuses(lambda: truncated(frequencies(8), 1.5), "share must be from 0 to 1, got 1.5")
    refuses(lambda: spread(8, -0.1), "share must be from 0 to 1, got -0.1")
    refuses(lambda: spread(7, 0.5), "head_dim must be even and at least 2, got 7")
