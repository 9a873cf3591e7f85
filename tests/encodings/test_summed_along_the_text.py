"""Biases that sum something over the tokens between query and key: CoPE, the forgetting transformer and CABLE."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import cope, forgetting
from pe_core.encodings.cable import Cable, steps
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs
from tests.strategies import lengths, normal, seeds, widths

F64 = torch.float64
INF = math.inf
half_precision = each("dtype", [torch.bfloat16, torch.float16])


def cable_of(weight, offset):
    encoding = Cable(*weight.shape, start=0.0).double()
    with torch.no_grad():
        encoding.weight.copy_(weight)
        encoding.offset.copy_(offset)
    return encoding


def test_half_open_gates_of_cope_count_half_tokens():
    """Zero keys: every gate is 1/2, so the places are 0.5, 1, 1.5 going back; row p of the table is worth p squared."""
    q, k = torch.ones(1, 3, 1, dtype=F64), torch.zeros(1, 3, 1, dtype=F64)
    assert cope.contextual_positions(q, k)[0].tolist() == [[0.5, 0, 0], [1, 0.5, 0], [1.5, 1, 0.5]]
    table = torch.tensor([[0.0], [1], [4]], dtype=F64)
    assert cope.bias(q, k, table)[0].tolist() == [[0.5, -INF, -INF], [1, 0.5, -INF], [2.5, 1, 0.5]]


def test_three_tokens_by_hand():
    """Gates of 1/2, 1/4 and 1/8, or steps of ln 2, ln 4 and ln 8: the query's own counts, the key's does not."""
    kept = torch.tensor([[1, 0, 0], [1 / 4, 1, 0], [1 / 32, 1 / 8, 1]], dtype=F64)
    added = forgetting.bias(torch.tensor([0.5, 0.25, 0.125], dtype=F64).log(), dtype=F64)
    assert_close(added.exp(), kept)
    x = torch.tensor([[[0.0], [math.log(3)], [math.log(7)]]], dtype=F64)
    assert_close(steps(x, torch.ones(1, 1), torch.zeros(1)).exp(), torch.tensor([[[2.0, 4, 8]]], dtype=F64))
    encoding, q = cable_of(torch.ones(1, 1), torch.zeros(1)).reading(x), torch.zeros(1, 1, 3, 2, dtype=F64)
    assert_close(encoding.bias(q, q, torch.arange(3))[0, 0].exp(), kept)


@given(seeds, lengths, widths, st.integers(2, 12))
def test_cope_equals_the_definition(seed, length, dim, rows):
    (q, k), table = normal(seed, 2, length, dim), normal(seed + 1, rows, dim)

    def value(m, n):
        logits = [float(q[m] @ k[t]) / math.sqrt(dim) for t in range(n, m + 1)]
        place = min(sum(1 / (1 + math.exp(-logit)) for logit in logits), rows - 1)
        low, high = math.floor(place), math.ceil(place)
        return float(q[m] @ ((place - low) * table[high] + (1 - place + low) * table[low]))

    expected = of_pairs(torch.arange(length), hiding_the_future(value))[0]
    assert_close(cope.bias(q, k, table), expected, atol=1e-10, rtol=0)


@given(seeds, lengths, widths, st.integers(1, 3), st.floats(-3, 10))
def test_forgetting_and_cable_equal_the_definition(seed, length, dim, heads, start):
    """Sums over the tokens after the key up to the query: of logarithms of gates of the keys, of steps of the input."""
    x, k = normal(seed, 2, length, dim), normal(seed, 2, heads, length, dim)
    weight, offset, q = (
        normal(seed + 1, heads, dim),
        normal(seed + 2, heads),
        torch.zeros(2, heads, length, 2, dtype=F64),
    )
    forgotten = forgetting.bias(forgetting.log_gates(k, weight, start + offset), dtype=F64)
    stepped = cable_of(weight, offset).reading(x).bias(q, q, torch.arange(length)).detach()

    def gates(m, n, text, head):
        scores = [float(weight[head] @ k[text, head, t] + start + offset[head]) for t in range(n + 1, m + 1)]
        return sum(math.log(1 / (1 + math.exp(-score))) for score in scores)

    def in_steps(m, n, text, head):
        scores = [float(weight[head] @ x[text, t] + offset[head]) for t in range(n + 1, m + 1)]
        return -sum(math.log1p(math.exp(score)) for score in scores)

    for text in range(2):
        for found, value in ((forgotten, gates), (stepped, in_steps)):
            expected = of_pairs(torch.arange(length), hiding_the_future(value), [(text, head) for head in range(heads)])
            assert_close(found[text], expected, atol=1e-10, rtol=0)


def test_equal_rows_would_teach_the_gates_of_cope_nothing(q, k):
    for table, learns in ((torch.zeros(6, 4, dtype=F64), False), (normal(1, 6, 4), True)):
        keys = k.clone().requires_grad_()
        cope.bias(q, keys, table).tril().square().sum().backward()
        assert (keys.grad.abs().sum() > 0) == learns


def test_cable_without_an_input_counts_each_token_as_zeros():
    encoding, q = cable_of(normal(1, 2, 3), normal(2, 2)), normal(3, 1, 2, 6, 4)
    alone = encoding.bias(q, q, torch.arange(6))
    assert alone.shape == (2, 6, 6)
    assert torch.equal(alone, encoding.reading(torch.zeros(1, 6, 3, dtype=F64)).bias(q, q, torch.arange(6))[0])
    assert not torch.equal(alone, encoding.reading(normal(4, 1, 6, 3)).bias(q, q, torch.arange(6))[0])


@half_precision
def test_half_precision_counts_beyond_256_tokens_in_cope(dtype):
    q, k = torch.ones(1, 601, 1, dtype=dtype), torch.full((1, 601, 1), 100, dtype=dtype)
    table = torch.zeros(700, 1, dtype=dtype)
    table[601] = 1
    added = cope.bias(q, k, table)
    assert added.dtype == dtype
    assert added[0, 600, 0] == 1  # all 601 tokens are counted; bfloat16 has 600 and 604


@half_precision
def test_half_precision_keeps_near_keys_apart(dtype):
    """The sums themselves are near -2,560 and -2,048, where bfloat16 counts in steps of 16."""
    near = forgetting.bias(torch.full((2048,), -1.25, dtype=dtype), dtype=dtype)[2047, 2044:]
    assert near.dtype == dtype
    assert near.tolist() == [-3.75, -2.5, -1.25, 0]
    encoding, q = (
        cable_of(torch.zeros(1, 1), torch.full((1,), 1.8545865)).to(dtype),
        torch.zeros(1, 1, 1024, 1).to(dtype),
    )
    near = encoding.reading(q[0]).bias(q, q, torch.arange(1024))[0, 0, 1023, 1020:].detach()  # softplus is 2, nearly
    assert near.dtype == dtype
    assert_close(near.double(), torch.tensor([-6, -4, -2, 0], dtype=F64), atol=3e-2, rtol=0)


def test_a_table_of_one_row_is_rejected():
    rule = "table must have at least 2 rows, to tell near from far, got 1"
    refuses(lambda: cope.bias(torch.ones(3, 4), torch.ones(3, 4), torch.ones(1, 4)), rule)
