import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Shape
from pe_core.encodings.log_n import RotaryLogN, factor
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from pe_core.masks import MASKS, causal
from tests.cases import refuses
from tests.strategies import normal, real_positions, seeds

F64 = torch.float64


def test_the_factor_counts_doublings_of_the_training_length():
    n_keys = torch.tensor([1, 4, 64, 65, 4096])
    expected = [1, 1, 1, math.log(65) / math.log(64), 2]  # 4,096 keys are 64 squared
    assert_close(factor(n_keys, 64, dtype=F64), torch.tensor(expected, dtype=F64))


@given(real_positions, st.integers(2, 5000))
def test_the_factor_equals_the_definition(positions, train_length):
    expected = [
        max(1, math.log(place + 1) / math.log(train_length)) if place > 0 else 1 for place in positions.tolist()
    ]
    assert_close(factor(positions + 1, train_length, dtype=F64), torch.tensor(expected, dtype=F64))


@given(seeds, st.sampled_from(list(MASKS)), st.integers(2, 8), st.sampled_from(["told", "grouped", "shifted"]))
def test_the_keys_that_are_seen_are_counted_and_not_the_position_that_is_told(seed, mask, train_length, told):
    (q, k), omega = normal(seed, 2, 24, 4), frequencies(4)
    positions = {"told": torch.arange(24), "grouped": torch.arange(24) // 3, "shifted": torch.arange(24) + 500}[told]
    seen = MASKS[mask].build(24, train_length)
    encoding = RotaryLogN(omega, train_length=train_length, layout="interleaved")
    turned_q, turned_k = encoding.seeing(seen).rotate(q, k, positions)
    assert torch.equal(turned_k, rotate(k, positions, omega))
    for m in range(24):
        n_keys = sum(bool(seen[m, n]) for n in range(24))
        expected = max(1, math.log(n_keys) / math.log(train_length)) * rotate(q, positions, omega)[m]
        assert_close(turned_q[m], expected, rtol=1e-12, atol=1e-12)


def test_under_the_causal_mask_it_is_as_without_a_mask():
    encoding, q = ENCODINGS["rope_log_n"].build(Shape(8, 2, 4, 16)), normal(1, 1, 2, 12, 4)
    plain, counted = (one.rotate(q, q, torch.arange(12))[0] for one in (encoding, encoding.seeing(causal(12))))
    assert torch.equal(plain, counted)
    assert torch.equal(Chain(encoding).seeing(causal(12)).rotate(q, q, torch.arange(12))[0], plain)


@given(seeds, st.integers(2, 8), st.sampled_from(LAYOUTS))
def test_it_is_rope_with_a_factor_on_the_queries(seed, train_length, layout):
    (q, k), positions, omega = normal(seed, 2, 12, 4), torch.arange(12), frequencies(4)
    turned_q, turned_k = RotaryLogN(omega, train_length=train_length, layout=layout).rotate(q, k, positions)
    plain_q, plain_k = (rotate(x, positions, omega, layout=layout) for x in (q, k))
    assert torch.equal(turned_k, plain_k)
    assert torch.equal(turned_q[:train_length], plain_q[:train_length])  # as in training: plain RoPE
    for m in range(train_length, 12):
        assert_close(turned_q[m], plain_q[m] * math.log(m + 1) / math.log(train_length))


def test_a_training_length_of_1_counts_as_2():
    for train_length, counted in ((1, 2), (64, 64)):
        assert ENCODINGS["rope_log_n"].build(Shape(8, 2, train_length, 64)).log_n.train_length == counted


def test_a_length_without_a_logarithm_is_rejected():
    rule = "train_length must be at least 2: the rule divides by its logarithm, got 1"
    refuses(lambda: factor(torch.arange(2), 1), rule)
