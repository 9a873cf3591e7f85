import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import PositionalEncoding
from pe_core.encodings.decoupled_rope import DecoupledRotary, turned_width
from pe_core.encodings.rotary import LAYOUTS, frequencies
from pe_core.lab.experiment.model import Attention
from pe_core.rope_scaling.yarn import growth, softmax_scale
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs, scores, turned
from tests.strategies import initialised, normal

D_MODEL, HEADS, CONTENT, TURNED, LENGTH = 6, 2, 3, 4, 5


def build(layout="interleaved"):
    encoding = DecoupledRotary(frequencies(TURNED), d_model=D_MODEL, n_heads=HEADS, layout=layout)
    return initialised(encoding).double().requires_grad_(False)


def drawn(seed=0):
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
def test_scores_equal_the_definition(layout):
    """The product of the content, and beside it that of two vectors of the input, turned by the distance."""
    encoding, (x, q, k), positions = build(layout), drawn(), [0, 1, 4, 30, 7]
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


def test_without_an_input_there_is_nothing_to_turn():
    encoding, (_, q, k) = build(), drawn()
    assert encoding.rotate(q, k, torch.arange(LENGTH)) == (q, k)
    assert type(encoding).rotate is PositionalEncoding.rotate


@each(("head_dim", "share", "expected"), [(128, 0.5, 64), (16, 0.5, 8), (1, 0.25, 2), (5, 1.0, 4)])
def test_the_turned_part_is_even(head_dim, share, expected):
    assert turned_width(head_dim, share) == expected
    refuses(lambda: turned_width(head_dim, 0.0), "share must be above 0, got 0.0")
