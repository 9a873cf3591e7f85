import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Shape
from pe_core.encodings.log_n import RotaryLogN, factor
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from pe_core.masks import MASKS, causal, sliding_window
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


def test_a_window_of_the_training_length_needs_no_factor():
    """Counting positions, the last query of 512 got a factor of 1.5 though it sees as many keys as in training."""
    assert float(factor(torch.tensor([512]), 64, dtype=F64)) == pytest.approx(1.5)
    still = torch.zeros(2, dtype=F64)
    encoding = RotaryLogN(still, train_length=64, layout="interleaved").seeing(sliding_window(512, 64))
    q = normal(0, 1, 1, 512, 4)
    assert torch.equal(encoding.rotate(q, q, torch.arange(512))[0], q)


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


def test_the_entropy_of_a_flat_softmax_grows_more_slowly_than_without():
    """Scores of random vectors: what the factor is for."""

    def entropy(length, scale):
        q, k = normal(1, 64, 16), normal(2, length, 16)
        log_weights = (scale * q @ k.mT / 4).log_softmax(-1)
        return -(log_weights.exp() * log_weights).sum(-1).mean()

    grown = entropy(2048, factor(torch.tensor([2048]), 64, dtype=F64))
    assert entropy(64, 1) < grown < entropy(2048, 1)


def test_scores_are_no_function_of_the_distance_alone(q):
    encoding = RotaryLogN(frequencies(4), train_length=8, layout="interleaved")
    here, there = (encoding.rotate(q, q, torch.arange(5) + shift) for shift in (0, 60))
    ratio = (there[0] @ there[1].mT) / (here[0] @ here[1].mT)
    expected = factor(torch.arange(61, 66), 8, dtype=F64)[:, None].expand(2, 2, 5, 5)
    assert_close(ratio, expected)


@pytest.mark.parametrize(("dtype", "rounding"), [(torch.bfloat16, 2.0**-8), (torch.float16, 2.0**-11)])
def test_half_precision_at_position_8191_is_rounded_only_once(dtype, rounding):
    q, positions = normal(1, 92, 8).to(dtype), torch.arange(8100, 8192)
    encoding = RotaryLogN(frequencies(8), train_length=64, layout="interleaved")
    turned, exact = encoding.rotate(q, q, positions)[0], encoding.rotate(q.double(), q.double(), positions)[0]
    assert turned.dtype == dtype
    assert_close(turned.double(), exact, atol=1e-6, rtol=1.001 * rounding)


def test_length_base_and_layout_change_the_result():
    q = normal(1, 1, 2, 12, 4)

    def turned(train_length=4, **params):
        return ENCODINGS["rope_log_n"].build(Shape(8, 2, train_length, 16), params).rotate(q, q, torch.arange(12))[0]

    for other in (turned(base=100.0), turned(layout="half"), turned(train_length=8)):
        assert not torch.allclose(turned(), other)


def test_a_training_length_of_1_counts_as_2():
    q = normal(1, 1, 2, 12, 4)
    one, two = (ENCODINGS["rope_log_n"].build(Shape(8, 2, length, 16)) for length in (1, 2))
    assert torch.equal(one.rotate(q, q, torch.arange(12))[0], two.rotate(q, q, torch.arange(12))[0])


def test_dtype_is_the_type_of_the_factor():
    assert factor(torch.arange(2), 4).dtype == torch.float32
    assert factor(torch.arange(2), 4, dtype=torch.bfloat16).dtype == torch.bfloat16


def test_a_length_without_a_logarithm_is_rejected():
    message = "train_length must be at least 2: the rule divides by its logarithm, got 1"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        factor(torch.arange(2), 1)
