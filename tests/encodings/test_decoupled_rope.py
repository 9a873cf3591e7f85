import math
import re

import pytest
import torch
from hypothesis import given
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.encodings.decoupled_rope import (
    DecoupledRotary,
    turned_width,
)
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from pe_core.encodings.temperature import Temperature
from pe_core.lab.experiment.model import Attention
from pe_core.rope_scaling.yarn import attention_factor, growth, softmax_scale
from tests.strategies import normal, offsets, seeds

F64 = torch.float64
D_MODEL, HEADS, CONTENT, TURNED, LENGTH = 6, 2, 3, 4, 5


def build(layout="interleaved", seed=0):
    encoding = DecoupledRotary(frequencies(TURNED), d_model=D_MODEL, n_heads=HEADS, layout=layout)
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding.double().requires_grad_(False)


def drawn(seed=0):
    """The input of a layer, and queries and keys, of a batch of 2."""
    return normal(seed, 2, LENGTH, D_MODEL), *normal(seed + 1, 2, 2, HEADS, LENGTH, CONTENT)


@pytest.mark.parametrize(
    ("mscale", "found", "squared", "scale"),
    [(1.0, 1.368888, 1.873854, 0.1352338), (0.707, 1.260804, 1.589626, 0.1147214), (0.0, 1, 1, 0.0721688)],
)
def test_the_temperatures_of_deepseek(mscale, found, squared, scale):
    """A factor of 40, 128 channels of content and 64 that are turned."""
    assert growth(40, mscale) == pytest.approx(found, abs=5e-7)
    assert softmax_scale(40, mscale) == pytest.approx(squared, abs=5e-7)
    assert softmax_scale(40, mscale) / math.sqrt(128 + 64) == pytest.approx(scale, abs=5e-8)


def test_the_factor_of_sines_and_cosines():
    assert attention_factor(40, mscale=1.0, mscale_all_dim=0.707) == pytest.approx(1.0857264, abs=5e-8)
    assert attention_factor(40, mscale=0.707, mscale_all_dim=0.707) == growth(1.0, 3.0) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_equal_the_definition(layout):
    encoding, (x, q, k) = build(layout), drawn()
    positions = [0, 1, 4, 30, 7]
    turned_q, turned_k = encoding.reading(x).rotate(q, k, torch.tensor(positions))
    found = turned_q @ turned_k.mT / math.sqrt(turned_q.shape[-1])
    pairs = [(0, 1), (2, 3)] if layout == "interleaved" else [(0, 2), (1, 3)]
    for text in range(2):
        for head in range(HEADS):
            for m in range(LENGTH):
                for n in range(LENGTH):
                    rows = encoding.to_q[head * TURNED : (head + 1) * TURNED]
                    query = [sum(float(w) * float(c) for w, c in zip(row, x[text, m], strict=True)) for row in rows]
                    key = [
                        sum(float(w) * float(c) for w, c in zip(row, x[text, n], strict=True)) for row in encoding.to_k
                    ]
                    score = sum(float(q[text, head, m, i]) * float(k[text, head, n, i]) for i in range(CONTENT))
                    for i, (one, other) in enumerate(pairs):
                        angle = (positions[m] - positions[n]) * 10_000 ** (-2 * i / TURNED)
                        both = complex(query[one], query[other]) * complex(key[one], -key[other])
                        score += both.real * math.cos(angle) - both.imag * math.sin(angle)
                    expected = score / math.sqrt(CONTENT + TURNED)
                    assert float(found[text, head, m, n]) == pytest.approx(expected, abs=1e-12)


@given(seeds, offsets)
def test_scores_depend_on_the_distance_and_content_stays_as_it_is(seed, shift):
    encoding, (x, q, k) = build(), drawn(seed)
    positions = torch.arange(LENGTH)
    here, there = (encoding.reading(x).rotate(q, k, some) for some in (positions, positions + shift))
    assert_close(here[0] @ here[1].mT, there[0] @ there[1].mT, atol=1e-9, rtol=1e-9)
    for turned, content in zip(here, (q, k), strict=True):
        assert torch.equal(turned[..., :CONTENT], content)
    assert torch.equal(here[1][:, 0, :, CONTENT:], here[1][:, 1, :, CONTENT:])  # one key for all heads
    assert not torch.allclose(here[0][:, 0, :, CONTENT:], here[0][:, 1, :, CONTENT:])


def test_the_model_divides_by_the_root_of_both_widths():
    """The softmax of the mini-model, whatever kernel computes it, is that of the definition."""
    encoding, x, positions = build(), normal(1, 2, LENGTH, D_MODEL), torch.arange(LENGTH)
    attention = Attention(D_MODEL, HEADS).double()
    heads = attention.heads(x, positions, None, encoding)
    assert (heads.q.shape[-1], heads.k.shape[-1], heads.v.shape[-1]) == (CONTENT + TURNED, CONTENT + TURNED, CONTENT)
    q, k, v = attention.qkv(x).view(2, LENGTH, 3, HEADS, CONTENT).permute(2, 0, 3, 1, 4)
    to_q, to_k = encoding.turned(x, positions)
    scores = (q @ k.mT + to_q @ to_k.mT) / math.sqrt(CONTENT + TURNED)
    weights = scores.masked_fill(torch.ones(LENGTH, LENGTH).bool().triu(1), -torch.inf).softmax(-1)
    assert_close(heads.probabilities(), weights, atol=1e-14, rtol=0)
    assert_close(heads.attended(), weights @ v, atol=1e-14, rtol=0)


def test_both_parts_are_hotter_by_the_softmax_scale():
    encoding, (x, q, k) = build(), drawn()
    hotter = Chain(encoding, Temperature(lambda positions: torch.full((len(positions),), softmax_scale(40, 1.0))))
    positions = torch.arange(LENGTH)
    plain, scaled = (one.reading(x).rotate(q, k, positions) for one in (encoding, hotter))
    assert_close(scaled[0] @ scaled[1].mT, plain[0] @ plain[1].mT * (1 + 0.1 * math.log(40)) ** 2)


def test_without_an_input_there_is_nothing_to_turn():
    encoding, (_, q, k) = build(), drawn()
    assert encoding.rotate(q, k, torch.arange(LENGTH)) == (q, k)
    assert type(encoding).rotate is PositionalEncoding.rotate


def test_half_precision_turns_far_away_as_exactly_as_near():
    encoding, x = build(), normal(0, 1, 2, D_MODEL).bfloat16()
    far = torch.tensor([8190, 8191])
    found = encoding.bfloat16().turned(x, far)[0]
    rounded = torch.nn.functional.linear(x, encoding.to_q).unflatten(-1, (HEADS, -1)).transpose(1, 2)
    assert torch.equal(found, rotate(rounded.float(), far, frequencies(TURNED)).bfloat16())


@pytest.mark.parametrize(("head_dim", "share", "expected"), [(128, 0.5, 64), (16, 0.5, 8), (1, 0.25, 2), (5, 1.0, 4)])
def test_the_turned_part_is_even(head_dim, share, expected):
    assert turned_width(head_dim, share) == expected
    shape = Shape(head_dim, 1, 4, 8)
    assert ENCODINGS["rope_decoupled"].build(shape, {"share": share}).to_k.shape == (expected, head_dim)


@pytest.mark.parametrize("params", [{"base": 100.0}, {"layout": "half"}, {"share": 1.0}])
def test_every_parameter_changes_the_scores(params):
    x, q, k = normal(0, 1, LENGTH, 8), *normal(1, 2, 1, 1, LENGTH, 8)
    found = []
    for some in ({}, params):
        encoding = ENCODINGS["rope_decoupled"].build(Shape(8, 1, 4, 8), some)  # 4 channels: one pair has no base
        encoding.reset_parameters(torch.Generator().manual_seed(0))
        turned_q, turned_k = encoding.double().reading(x).rotate(q, k, torch.arange(LENGTH))
        found.append(turned_q @ turned_k.mT)
    assert not torch.allclose(*found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: turned_width(8, 0.0), "share must be above 0, got 0.0"),
        (
            lambda: ENCODINGS["rope_decoupled"].build(Shape(8, 2, 4, 8), {"share": 0.0}),
            "share must be a number from 0.25 to 2, got 0.0",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
