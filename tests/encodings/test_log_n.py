import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.log_n import RotaryLogN, factor
from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from tests.strategies import checked, normal, real_positions, seeds

F64 = torch.float64


def test_the_factor_counts_doublings_of_the_training_length():
    positions = torch.tensor([0, 3, 63, 64, 4095])
    expected = [1, 1, 1, math.log(65) / math.log(64), 2]  # 4,096 keys are 64 squared
    assert_close(factor(positions, 64, dtype=F64), torch.tensor(expected, dtype=F64))


@checked
@given(real_positions, st.integers(2, 5000))
def test_the_factor_equals_the_definition(positions, train_length):
    expected = [
        max(1, math.log(place + 1) / math.log(train_length)) if place > 0 else 1 for place in positions.tolist()
    ]
    assert_close(factor(positions, train_length, dtype=F64), torch.tensor(expected, dtype=F64))


@checked
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

    grown = entropy(2048, factor(torch.tensor([2047]), 64, dtype=F64))
    assert entropy(64, 1) < grown < entropy(2048, 1)


def test_scores_are_no_function_of_the_distance_alone(q):
    encoding = RotaryLogN(frequencies(4), train_length=8, layout="interleaved")
    here, there = (encoding.rotate(q, q, torch.arange(5) + shift) for shift in (0, 60))
    ratio = (there[0] @ there[1].mT) / (here[0] @ here[1].mT)
    expected = factor(torch.arange(60, 65), 8, dtype=F64)[:, None].expand(2, 2, 5, 5)
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
    message = "train_length must be at least 2, for its logarithm divides, got 1"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        factor(torch.arange(2), 1)
