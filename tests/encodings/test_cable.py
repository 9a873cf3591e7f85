import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.encodings.cable import Cable, steps
from pe_core.encodings.forgetting import bias, log_gates
from tests.strategies import lengths, normal, seeds, widths

F64 = torch.float64
INF = math.inf


def encoding_of(weight, offset):
    encoding = Cable(*weight.shape, start=0.0).double()
    with torch.no_grad():
        encoding.weight.copy_(weight)
        encoding.offset.copy_(offset)
    return encoding


def test_three_tokens_by_hand():
    """Steps of ln 2, ln 4 and ln 8: that of the query counts, that of the key does not."""
    x = torch.tensor([[[0.0], [math.log(3)], [math.log(7)]]], dtype=F64)
    assert_close(steps(x, torch.ones(1, 1), torch.zeros(1)).exp(), torch.tensor([[[2.0, 4, 8]]], dtype=F64))
    encoding = encoding_of(torch.ones(1, 1), torch.zeros(1)).reading(x)
    kept = [[1, 0, 0], [1 / 4, 1, 0], [1 / 32, 1 / 8, 1]]
    q = torch.zeros(1, 1, 3, 2, dtype=F64)
    assert_close(encoding.bias(q, q, torch.arange(3))[0, 0].exp(), torch.tensor(kept, dtype=F64))


@given(seeds, lengths, widths, st.integers(1, 3))
def test_bias_equals_the_definition(seed, length, dim, heads):
    x, weight, offset = normal(seed, 2, length, dim), normal(seed + 1, heads, dim), normal(seed + 2, heads)
    q = torch.zeros(2, heads, length, 2, dtype=F64)
    added = encoding_of(weight, offset).reading(x).bias(q, q, torch.arange(length)).detach()
    for text in range(2):
        for head in range(heads):
            moved = [math.log1p(math.exp(float(weight[head] @ token + offset[head]))) for token in x[text]]
            expected = [[-sum(moved[n + 1 : m + 1]) if n <= m else -INF for n in range(length)] for m in range(length)]
            assert_close(added[text, head], torch.tensor(expected, dtype=F64), atol=1e-10, rtol=0)


@given(seeds, lengths, widths)
def test_a_forget_gate_of_the_other_sign_says_the_same(seed, length, dim):
    """Where the input of the layer is what the gates of `forgetting` read."""
    x, weight, offset = normal(seed, 1, length, dim), normal(seed + 1, 1, dim), normal(seed + 2, 1)
    gates = log_gates(x[:, None], -weight, -offset)
    q = torch.zeros(1, 1, length, 2, dtype=F64)
    added = encoding_of(weight, offset).reading(x).bias(q, q, torch.arange(length))
    assert_close(added, bias(gates, dtype=F64), atol=1e-10, rtol=0)


def test_nothing_learned_is_alibi_with_the_slope_ln_2():
    encoding, x, q = encoding_of(torch.zeros(2, 3), torch.zeros(2)), normal(1, 1, 6, 3), normal(2, 1, 2, 6, 4)
    distance = (torch.arange(6)[:, None] - torch.arange(6)).double()
    expected = (-math.log(2) * distance).masked_fill(distance < 0, -INF).expand(1, 2, 6, 6)
    assert_close(encoding.reading(x).bias(q, q, torch.arange(6)), expected)


def test_without_an_input_each_token_counts_as_zeros():
    encoding, q = encoding_of(normal(1, 2, 3), normal(2, 2)), normal(3, 1, 2, 6, 4)
    alone = encoding.bias(q, q, torch.arange(6))
    assert alone.shape == (2, 6, 6)
    assert torch.equal(alone, encoding.reading(torch.zeros(1, 6, 3, dtype=F64)).bias(q, q, torch.arange(6))[0])
    assert not torch.equal(alone, encoding.reading(normal(4, 1, 6, 3)).bias(q, q, torch.arange(6))[0])


def test_reading_shares_what_is_learned_and_works_in_a_chain():
    encoding, x, q = encoding_of(normal(1, 2, 3), normal(2, 2)), normal(3, 1, 6, 3), normal(4, 1, 2, 6, 4)
    added = Chain(PositionalEncoding(), encoding).reading(x).bias(q, q, torch.arange(6))
    assert torch.equal(added, encoding.reading(x).bias(q, q, torch.arange(6)))
    added.tril().sum().backward()
    assert (encoding.weight.grad != 0).all()
    assert (encoding.offset.grad != 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_near_keys_apart(dtype):
    """The sums themselves are near -2,048, where bfloat16 counts in steps of 16."""
    encoding = Cable(1, 1, start=0.0).to(dtype)
    with torch.no_grad():
        encoding.weight.fill_(0)
        encoding.offset.fill_(1.8545865)  # softplus is 2, nearly
    q = torch.zeros(1, 1, 1024, 1, dtype=dtype)
    near = encoding.reading(q[0]).bias(q, q, torch.arange(1024))[0, 0, 1023, 1020:].detach()
    assert near.dtype == dtype
    assert_close(near.double(), torch.tensor([-6, -4, -2, 0], dtype=F64), atol=3e-2, rtol=0)


def test_the_start_and_the_heads_differ():
    encoding = ENCODINGS["cable"].build(Shape(1024, 256, 4, 8), {"start": -3.0})
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    assert_close(encoding.offset.mean(), torch.tensor(-3.0), atol=0.01, rtol=0)
    for learned in (encoding.weight, encoding.offset):
        assert_close(learned.std(), torch.tensor(0.02), atol=0.004, rtol=0)


def test_input_start_and_heads_change_the_bias_and_positions_do_not(q):
    def added(sign=1, start=0.0, stride=1):
        encoding = ENCODINGS["cable"].build(Shape(8, 2, 4, 8), {"start": start}).double()
        encoding.reset_parameters(torch.Generator().manual_seed(0))
        return encoding.reading(sign * normal(1, 2, 5, 8)).bias(q, q, stride * torch.arange(5)).tril()

    assert added().shape == (2, 2, 5, 5)
    assert torch.equal(added(), added(stride=3))
    for other in (added(sign=-1), added(start=2.0), added()[:, [1, 0]]):
        assert not torch.allclose(added(), other)


def test_a_start_that_is_not_allowed_is_rejected():
    with pytest.raises(ValueError, match=r"^start must be a number from -8 to 2, got 3\.0$"):
        ENCODINGS["cable"].build(Shape(8, 2, 4, 8), {"start": 3.0})
