"""RoPE, two ways to turn a share of its pairs, a turned part beside the content (MLA), and queries with a factor."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from pe_core.encodings import Chain, PositionalEncoding, log_n, ssmax
from pe_core.encodings.decoupled_rope import DecoupledRotary, turned_width
from pe_core.encodings.log_n import LogN
from pe_core.encodings.partial_rope import n_turned, rotate_first, spread, truncated
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies, rotate
from pe_core.encodings.ssmax import Scalable
from pe_core.encodings.temperature import Temperature, in_steps
from pe_core.lab.experiment.model import Attention
from pe_core.masks import MASKS, causal
from pe_core.rope_scaling.yarn import growth, softmax_scale
from tests.cases import each, refuses
from tests.encodings.loops import of_texts, scores, turned
from tests.strategies import F64, bases, even_widths, initialised, normal, real_positions, seeds

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

    assert_close(found, of_texts(2, HEADS, LENGTH, value), atol=1e-12, rtol=0)


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


OMEGA = frequencies(4)
drawn_masks = st.sampled_from(list(MASKS))


def with_rope(factor, layout="half"):
    return Chain(Rotary(OMEGA, layout=layout), factor)


def scalable(strength):
    return Scalable(nn.Parameter(strength), start=1.0)


def test_factors_by_hand():
    """Log-n counts doublings of the training length; SSMax is s ln n: as much again for e times as many keys."""
    expected = [1, 1, 1, math.log(65) / math.log(64), 2]  # 4,096 keys are 64 squared
    found = log_n.factor(torch.tensor([1, 4, 64, 65, 4096]), 64, dtype=F64)
    assert_close(found, torch.tensor(expected, dtype=F64))
    found = ssmax.factor(torch.tensor([0, 1.0, math.e, math.e**2], dtype=F64), torch.tensor([0.5, 3.0], dtype=F64))
    assert_close(found, torch.tensor([[0, 0, 0.5, 1], [0, 0, 3, 6]], dtype=F64))


def test_the_steps_of_llama_4():
    positions = torch.tensor([0, 8190, 8191, 16_383, 131_071])
    expected = torch.tensor([1, 1, 1.069315, 1.109861, 1.283321], dtype=F64)
    assert_close(in_steps(positions), expected, atol=5e-7, rtol=0)
    assert_close(in_steps(positions, ahead=0)[1:], in_steps(positions[1:] - 1), atol=0, rtol=0)


@each(("n", "softmax", "scalable"), [(10, 0.942826, 0.940101), (100, 0.599860, 0.995063), (1000, 0.129346, 0.999646)])
def test_one_key_that_stands_out_as_in_figure_1(n, softmax, scalable):
    """One score of 3 among -2s, s = 0.43: it keeps its weight, which an ordinary softmax spreads out."""
    scores = torch.full((n,), -2.0, dtype=F64)
    scores[-1] = 3
    assert scores.softmax(-1)[-1] == pytest.approx(softmax, abs=1e-6)
    strength = ssmax.factor(torch.tensor([n]), torch.tensor([0.43], dtype=F64))
    assert float((strength[0, 0] * scores).softmax(-1)[-1]) == pytest.approx(scalable, abs=1e-6)


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=10), st.floats(0, 1), st.integers(1, 600))
def test_the_steps_equal_the_definition(positions, strength, floor):
    expected = [1 + strength * math.log(1 + (position + 1) // floor) for position in positions]
    found = in_steps(torch.tensor(positions), strength=strength, floor=floor)
    assert_close(found, torch.tensor(expected, dtype=F64), rtol=1e-14, atol=0)


@given(real_positions, st.integers(2, 5000))
def test_the_factor_of_log_n_equals_the_definition(positions, train_length):
    expected = [
        max(1, math.log(place + 1) / math.log(train_length)) if place > 0 else 1 for place in positions.tolist()
    ]
    assert_close(log_n.factor(positions + 1, train_length, dtype=F64), torch.tensor(expected, dtype=F64))


@given(seeds, drawn_masks, st.integers(2, 8), st.sampled_from(["told", "grouped", "shifted"]), LAYOUT)
def test_log_n_is_rope_with_a_factor_of_the_keys_that_are_seen(seed, mask, train_length, told, layout):
    """The keys of the mask are counted, and not the position that is told."""
    (q, k), seen = normal(seed, 2, 24, 4), MASKS[mask].build(24, train_length)
    positions = {"told": torch.arange(24), "grouped": torch.arange(24) // 3, "shifted": torch.arange(24) + 500}[told]
    encoding = with_rope(LogN(train_length), layout)
    turned_q, turned_k = encoding.seeing(seen).rotate(q, k, positions)
    plain_q, plain_k = (rotate(x, positions, OMEGA, layout=layout) for x in (q, k))
    assert torch.equal(turned_k, plain_k)
    for m in range(24):
        n_keys = sum(bool(seen[m, n]) for n in range(24))
        expected = max(1, math.log(n_keys) / math.log(train_length)) * plain_q[m]
        assert_close(turned_q[m], expected, rtol=1e-12, atol=1e-12)
        assert n_keys > train_length or torch.equal(turned_q[m], plain_q[m])  # as in training: plain RoPE


@given(seeds, drawn_masks, LAYOUT)
def test_the_weights_of_ssmax_equal_the_definition(seed, mask, layout):
    """n^(s z) over its sum, one query of one head at a time, with n counted in the mask."""
    q, k = normal(seed, 2, 2, 12, 4)
    strength, positions = normal(seed + 1, 2).abs(), torch.arange(12) + 30
    seen = MASKS[mask].build(12, 4)
    turned_q, turned_k = with_rope(scalable(strength), layout).seeing(seen).rotate(q[None], k[None], positions)
    plain_q, plain_k = (rotate(x, positions, OMEGA, layout=layout) for x in (q, k))
    for head in range(2):
        for m in range(12):
            keys = [n for n in range(12) if seen[m, n]]
            scores = [float(plain_q[head, m] @ plain_k[head, n]) / math.sqrt(4) for n in keys]
            powers = [len(keys) ** (float(strength[head]) * score) for score in scores]
            weights = (turned_q[0, head, m] @ turned_k[0, head, keys].T / math.sqrt(4)).softmax(-1)
            assert_close(weights, torch.tensor([power / sum(powers) for power in powers], dtype=F64))


@given(seeds)
def test_a_temperature_multiplies_the_scores_whatever_stands_beside_it(seed):
    q, k = normal(seed, 2, 1, 2, 6, 4)
    positions, factor = torch.tensor([0, 1, 7, 8, 30, 2]), partial(in_steps, strength=0.5, floor=4)
    rope, scaled = Rotary(OMEGA, layout="half"), Temperature(factor)
    plain_q, plain_k = rope.rotate(q, k, positions)
    for both in (Chain(rope, scaled), Chain(scaled, rope)):
        turned_q, turned_k = both.rotate(q, k, positions)
        assert_close(turned_q @ turned_k.mT, plain_q @ plain_k.mT * factor(positions)[:, None], atol=1e-13, rtol=1e-13)
    assert torch.equal(scaled.rotate(q, k, positions)[1], k)


def test_before_the_text_nothing_is_scaled():
    """A repair that counts positions anew asks for how far a query has been moved back."""
    assert torch.equal(in_steps(torch.tensor([-1, -8, -500]), floor=4), torch.ones(3, dtype=F64))


@each("encoding", [LogN(4), scalable(torch.ones(2, dtype=F64))])
def test_without_a_mask_a_query_sees_all_up_to_its_position(encoding):
    q, positions = normal(1, 1, 2, 12, 4), torch.arange(12)
    plain, counted = (one.rotate(q, q, positions)[0] for one in (encoding, encoding.seeing(causal(12))))
    assert torch.equal(plain, counted)
    assert torch.equal(Chain(encoding).seeing(causal(12)).rotate(q, q, positions)[0], plain)


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
    logarithm = "train_length must be at least 2: the rule divides by its logarithm, got 1"
    refuses(lambda: log_n.factor(torch.arange(2), 1), logarithm)
    refuses(lambda: ssmax.initial_strength(1, 1.0), logarithm)
    negative = "strength must be at least 0 (0 changes nothing), got -0.1"
    refuses(lambda: in_steps(torch.arange(3), strength=-0.1), negative)
    refuses(lambda: in_steps(torch.arange(3), floor=0), "floor must be at least 1, got 0")
