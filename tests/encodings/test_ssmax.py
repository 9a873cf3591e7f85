import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Shape
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from pe_core.encodings.ssmax import RotaryScalable, factor, initial_strength
from pe_core.masks import MASKS, causal
from tests.cases import each, refuses
from tests.strategies import initialised, normal, seeds

F64 = torch.float64


def encoding_of(strength, *, layout="interleaved", dim=4):
    return RotaryScalable(frequencies(dim), nn.Parameter(strength), start=1.0, layout=layout)


def test_the_factor_by_hand():
    """The product s ln n: nothing for one key or none, s for e keys, and as much again for each e times as many."""
    n_keys = torch.tensor([0, 1.0, math.e, math.e**2], dtype=F64)
    expected = torch.tensor([[0, 0, 0.5, 1], [0, 0, 3, 6]], dtype=F64)
    assert_close(factor(n_keys, torch.tensor([0.5, 3.0], dtype=F64)), expected)


@each(("n", "softmax", "scalable"), [(10, 0.942826, 0.940101), (100, 0.599860, 0.995063), (1000, 0.129346, 0.999646)])
def test_one_key_that_stands_out_as_in_figure_1(n, softmax, scalable):
    """One score of 3 among -2s, s = 0.43: it keeps its weight, which an ordinary softmax spreads out."""
    scores = torch.full((n,), -2.0, dtype=F64)
    scores[-1] = 3
    assert scores.softmax(-1)[-1] == pytest.approx(softmax, abs=1e-6)
    strength = factor(torch.tensor([n]), torch.tensor([0.43], dtype=F64))
    assert float((strength[0, 0] * scores).softmax(-1)[-1]) == pytest.approx(scalable, abs=1e-6)


@given(seeds, st.sampled_from(list(MASKS)), st.sampled_from(LAYOUTS))
def test_weights_equal_the_definition(seed, mask, layout):
    """n^(s z) over its sum, one query of one head at a time, with n counted in the mask."""
    q, k = normal(seed, 2, 2, 12, 4)
    strength, positions, omega = normal(seed + 1, 2).abs(), torch.arange(12) + 30, frequencies(4)
    seen = MASKS[mask].build(12, 4)
    turned_q, turned_k = encoding_of(strength, layout=layout).seeing(seen).rotate(q[None], k[None], positions)
    plain_q, plain_k = (rotate(x, positions, omega, layout=layout) for x in (q, k))
    for head in range(2):
        for m in range(12):
            keys = [n for n in range(12) if seen[m, n]]
            powers = [
                len(keys) ** (float(strength[head] * (plain_q[head, m] @ plain_k[head, n])) / math.sqrt(4))
                for n in keys
            ]
            weights = (turned_q[0, head, m] @ turned_k[0, head, keys].T / math.sqrt(4)).softmax(-1)
            assert_close(weights, torch.tensor([power / sum(powers) for power in powers], dtype=F64))


def test_without_a_mask_a_query_sees_all_up_to_its_position():
    encoding, q = encoding_of(torch.ones(2, dtype=F64)), normal(1, 1, 2, 12, 4)
    plain, counted = (one.rotate(q, q, torch.arange(12))[0] for one in (encoding, encoding.seeing(causal(12))))
    assert torch.equal(plain, counted)
    assert torch.equal(Chain(encoding).seeing(causal(12)).rotate(q, q, torch.arange(12))[0], plain)


def test_counting_keys_shares_what_is_learned():
    encoding = encoding_of(torch.ones(2, dtype=F64))
    q = normal(1, 1, 2, 5, 4)
    encoding.seeing(causal(5)).rotate(q, q, torch.arange(5))[0].sum().backward()
    assert (encoding.strength.grad != 0).all()


def test_a_training_length_of_keys_begins_as_with_an_ordinary_softmax():
    encoding = initialised(ENCODINGS["rope_ssmax"].build(Shape(256, 64, 64, 512)))
    scale = factor(torch.tensor([64]), encoding.strength)
    assert_close(scale.mean(), torch.tensor(1.0), atol=0.01, rtol=0)
    assert 0.01 < scale.std() < 0.03
    assert initial_strength(64, 2.0) == pytest.approx(2 / math.log(64))


def test_the_start_follows_the_training_length():
    for train_length, expected in ((1, 2 / math.log(2)), (64, 2 / math.log(64))):
        encoding = ENCODINGS["rope_ssmax"].build(Shape(8, 2, train_length, 64), {"start": 2.0})
        assert encoding.start == pytest.approx(expected)


def test_errors():
    refuses(
        lambda: initial_strength(1, 1.0), "train_length must be at least 2: the rule divides by its logarithm, got 1"
    )
