"""Queries multiplied by a factor of their position, or of how many keys they see: log-n, SSMax, Llama 4."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from pe_core.encodings import Chain, log_n, ssmax
from pe_core.encodings.log_n import LogN
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies, rotate
from pe_core.encodings.ssmax import Scalable
from pe_core.encodings.temperature import Temperature, in_steps
from pe_core.masks import MASKS, causal
from tests.cases import each, refuses
from tests.strategies import normal, real_positions, seeds

F64 = torch.float64
OMEGA = frequencies(4)
LAYOUT = st.sampled_from(LAYOUTS)
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
    logarithm = "train_length must be at least 2: the rule divides by its logarithm, got 1"
    refuses(lambda: log_n.factor(torch.arange(2), 1), logarithm)
    refuses(lambda: ssmax.initial_strength(1, 1.0), logarithm)
    negative = "strength must be at least 0 (0 changes nothing), got -0.1"
    refuses(lambda: in_steps(torch.arange(3), strength=-0.1), negative)
    refuses(lambda: in_steps(torch.arange(3), floor=0), "floor must be at least 1, got 0")
