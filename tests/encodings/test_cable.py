import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.encodings.cable import Cable, steps
from tests.cases import each
from tests.strategies import initialised, lengths, normal, seeds, widths

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


@each("dtype", [torch.bfloat16, torch.float16])
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
    encoding = initialised(ENCODINGS["cable"].build(Shape(1024, 256, 4, 8), {"start": -3.0}))
    assert_close(encoding.offset.mean(), torch.tensor(-3.0), atol=0.01, rtol=0)
    for learned in (encoding.weight, encoding.offset):
        assert_close(learned.std(), torch.tensor(0.02), atol=0.004, rtol=0)
