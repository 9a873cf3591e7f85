"""RoPE, the two ways to turn only a share of its pairs, and a turned part beside the content (MLA)."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import PositionalEncoding
from pe_core.encodings.decoupled_rope import DecoupledRotary, turned_width
from pe_core.encodings.partial_rope import n_turned, rotate_first, spread, truncated
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from pe_core.lab.experiment.model import Attention
from pe_core.rope_scaling.yarn import growth, softmax_scale
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs, scores, turned
from tests.strategies import bases, even_widths, initialised, normal, real_positions, seeds

F64 = torch.float64
LAYOUT = st.sampled_from(LAYOUTS)
SHARES = st.floats(0, 1)


@each(("layout", "expected"), [("interleaved", [-2.0, 1, 3, 4]), ("half", [-3.0, 2, 1, 4])])
def test_a_quarter_turn_takes_the_first_channel_to_the_second_of_its_pair(layout, expected):
    """Pairs of the layout (1, 2) and (3, 4), or (1, 3) and (2, 4): the first is turned, the second stays."""
    quarter_and_none = torch.tensor([math.pi / 2, 0], dtype=F64)
    found = rotate(torch.tensor([[1.0, 2, 3, 4]], dtype=F64), torch.tensor([1]), quarter_and_none, layout=layout)
    assert_close(found, torch.tensor([expected], dtype=F64))


def test_frequencies_at_width_8():
    """Of half of the channels partial RoPE spreads the ladder anew over two pairs, p-RoPE keeps the two fastest."""
    assert_close(frequencies(8), torch.tensor([1, 0.1, 0.01, 0.001], dtype=F64))
    assert_close(frequencies(4, 256.0), torch.tensor([1, 1 / 16], dtype=F64))
    assert_close(spread(8, 0.5), torch.tensor([1, 0.01], dtype=F64))
    assert_close(truncated(frequencies(8), 0.5), torch.tensor([1, 0.1, 0, 0], dtype=F64))


@each(
    ("n_pairs", "share", "expected"),
    [(32, 0.25, 8), (32, 0.75, 24), (2, 0.75, 1), (1, 0.99, 0), (1, 1, 1), (100, 0.29, 29), (10, 0.7, 7), (5, 0, 0)],
)
def test_the_number_of_pairs_is_rounded_down(n_pairs, share, expected):
    assert n_turned(n_pairs, share) == expected


@given(even_widths, bases, SHARES)
def test_frequencies_of_a_share_equal_the_definition(dim, base, share):
    n = n_turned(dim // 2, share)
    kept = [base ** (-2 * i / dim) if i < n else 0 for i in range(dim // 2)]
    assert_close(truncated(frequencies(dim, base), share), torch.tensor(kept, dtype=F64))
    own = [base ** (-2 * i / (2 * n)) for i in range(n)]
    assert_close(spread(dim, share, base), torch.tensor(own, dtype=F64))


@given(seeds, even_widths, bases, real_positions, LAYOUT)
def test_rotate_equals_the_definition(seed, dim, base, positions, layout):
    x, omega = normal(seed, len(positions), dim), frequencies(dim, base)
    expected = turned(x, lambda row, i: float(positions[row] * omega[i]), layout)
    assert_close(rotate(x, positions, omega, layout=layout), expected, atol=1e-10, rtol=1e-10)


@given(seeds, even_widths, SHARES, LAYOUT)
def test_the_first_channels_are_a_head_of_their_own_and_the_rest_stays(seed, dim, share, layout):
    x, positions, omega = normal(seed, 2, 3, dim), torch.tensor([7, 0, 400]), spread(dim, share)
    result, n_channels = rotate_first(x, positions, omega, layout=layout), 2 * len(omega)
    assert_close(result[..., :n_channels], rotate(x[..., :n_channels], positions, omega, layout=layout))
    assert torch.equal(result[..., n_channels:], x[..., n_channels:])


@each("layout", LAYOUTS)
@each(("dtype", "rounding"), [(torch.bfloat16, 2.0**-8), (torch.float16, 2.0**-10)])
def test_half_precision_at_position_8191_is_rounded_only_once(layout, dtype, rounding):
    x, positions, omega = normal(4, 92, 8).to(dtype), torch.arange(8100, 8192), frequencies(8)
    found = rotate(x, positions, omega, layout=layout)
    assert found.dtype == dtype
    exact = rotate(x.double(), positions, omega, layout=layout)
    assert_close(found.double(), exact, atol=1e-6, rtol=rounding)


def test_errors():
    x, zero = torch.ones(1, 6), torch.tensor([0])
    refuses(lambda: frequencies(7), "head_dim must be even and at least 2, got 7")
    refuses(lambda: frequencies(8, 0.5), "base must be at least 1, got 0.5")
    layout = "layout must be one of interleaved, half, got gptj"
    refuses(lambda: rotate(x, zero, frequencies(6), layout="gptj"), layout)
    refuses(lambda: rotate(x, zero, frequencies(4)), "x must have twice as many channels as frequencies (2), got 6")
    refuses(lambda: truncated(frequencies(8), 1.5), "share must be from 0 to 1, got 1.5")
    refuses(lambda: spread(8, -0.1), "share must be from 0 to 1, got -0.1")
    refuses(lambda: spread(7, 0.5), "head_dim must be even and at least 2, got 7")


D_MODEL, HEADS, CONTENT, TURNED, LENGTH = 6, 2, 3, 4, 5


def decoupled(layout="interleaved"):
    encoding = DecoupledRotary(frequencies(TURNED), d_model=D_MODEL, n_heads=HEADS, layout=layout)
    return initialised(encoding).double().requires_grad_(False)


def inputs(seed=0):
    """The input of a layer, and queries and keys, of a batch of 2."""
    return normal(seed, 2, LENGTH, D_MODEL), *normal(seed + 1, 2, 2, HEADS, LENGTH, CONTENT)


@each(
    ("mscale", "found", "squared", "scale"),
    [(1.0, 1.368888, 1.873854, 0.1352338), (0.707, 1.260804, 1.589626, 0.1147214), (0.0, 1, 1, 0.0721688)],
)
def test_the_temperatures_of_deepseek(mscale, found, squared, scale):
    """A factor of 40, 128 channels of content and 64 that are turned."""
    assert growth(40, mscale) == pytest.approx(found, abs=5e-7)
    assert softmax_scale(40, mscale) == pytest.approx(squared, abs=5e-7)
    assert softmax_scale(40, mscale) / math.sqrt(128 + 64) == pytest.approx(scale, abs=5e-8)


@each("layout", LAYOUTS)
def test_decoupled_rope_equals_the_definition(layout):
    """The product of the content, and beside it that of two vectors of the input, turned by the distance."""
    encoding, (x, q, k), positions = decoupled(layout), inputs(), [0, 1, 4, 30, 7]
    found = scores(encoding.reading(x), q, k, torch.tensor(positions))
    rows = encoding.to_q.unflatten(0, (HEADS, TURNED))

    def value(m, n, text, head):
        query, distance = (rows[head] @ x[text, m])[None], positions[m] - positions[n]
        beside = turned(query, lambda row, i: distance * 10_000 ** (-2 * i / TURNED), layout)[0]
        products = q[text, head, m] @ k[text, head, n] + beside @ (encoding.to_k @ x[text, n])
        return float(products) / math.sqrt(CONTENT + TURNED)

    for text in range(2):
        expected = of_pairs(torch.arange(LENGTH), value, [(text, head) for head in range(HEADS)])
        assert_close(found[text], expected, atol=1e-12, rtol=0)


def test_the_model_divides_by_the_root_of_both_widths():
    """The softmax of the mini-model, whatever kernel computes it, is that of the definition."""
    encoding, x, positions = decoupled(), normal(1, 2, LENGTH, D_MODEL), torch.arange(LENGTH)
    attention = Attention(D_MODEL, HEADS).double()
    heads = attention.heads(x, positions, None, encoding)
    assert (heads.q.shape[-1], heads.k.shape[-1], heads.v.shape[-1]) == (CONTENT + TURNED, CONTENT + TURNED, CONTENT)
    q, k, v = attention.qkv(x).view(2, LENGTH, 3, HEADS, CONTENT).permute(2, 0, 3, 1, 4)
    to_q, to_k = encoding.turned(x, positions)
    scores = (q @ k.mT + to_q @ to_k.mT) / math.sqrt(CONTENT + TURNED)
    weights = scores.masked_fill(torch.ones(LENGTH, LENGTH).bool().triu(1), -torch.inf).softmax(-1)
    assert_close(heads.probabilities(), weights, atol=1e-14, rtol=0)
    assert_close(heads.attended(), weights @ v, atol=1e-14, rtol=0)


def test_without_an_input_there_is_nothing_to_turn():
    encoding, (_, q, k) = decoupled(), inputs()
    assert encoding.rotate(q, k, torch.arange(LENGTH)) == (q, k)
    assert type(encoding).rotate is PositionalEncoding.rotate


@each(("head_dim", "share", "expected"), [(128, 0.5, 64), (16, 0.5, 8), (1, 0.25, 2), (5, 1.0, 4)])
def test_the_turned_part_is_even(head_dim, share, expected):
    assert turned_width(head_dim, share) == expected
    refuses(lambda: turned_width(head_dim, 0.0), "share must be above 0, got 0.0")
