import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import alibi
from pe_core.encodings.forgetting import Forgetting, bias, log_gates
from tests.cases import each
from tests.strategies import initialised, lengths, normal, seeds, widths

F64 = torch.float64
INF = math.inf


def test_three_tokens_by_hand():
    """The gate of the query counts, that of the key does not."""
    added = bias(torch.tensor([0.5, 0.25, 0.125], dtype=F64).log(), dtype=F64)
    kept = [[1, 0, 0], [1 / 4, 1, 0], [1 / 32, 1 / 8, 1]]
    assert_close(added.exp(), torch.tensor(kept, dtype=F64))


def test_a_gate_by_hand():
    """Scores of 0 and ln 3 keep a half and three quarters."""
    k = torch.tensor([[[[0.0, 0], [1, 1]]]], dtype=F64)
    gates = log_gates(k, torch.tensor([[1.0, math.log(3) - 1]], dtype=F64), torch.zeros(1, dtype=F64))
    assert_close(gates.exp(), torch.tensor([[[0.5, 0.75]]], dtype=F64))


def bias_by_loops(k, weight, offset):
    """One score of one head at a time, from the definition."""
    length = len(k)
    result = torch.full((length, length), -INF, dtype=F64)
    for m in range(length):
        for n in range(m + 1):
            gates = [1 / (1 + math.exp(-float(weight @ k[t] + offset))) for t in range(n + 1, m + 1)]
            result[m, n] = sum(math.log(gate) for gate in gates)
    return result


@given(seeds, lengths, widths, st.integers(1, 3), st.floats(-3, 10))
def test_bias_equals_the_definition(seed, length, dim, heads, start):
    k, weight, offset = normal(seed, 2, heads, length, dim), normal(seed + 1, heads, dim), normal(seed + 2, heads)
    added = bias(log_gates(k, weight, start + offset), dtype=F64)
    for text in range(2):
        for head in range(heads):
            expected = bias_by_loops(k[text, head], weight[head], start + offset[head])
            assert_close(added[text, head], expected, atol=1e-10, rtol=0)


@given(lengths, st.integers(1, 9))
def test_gates_that_never_change_are_alibi(length, heads):
    slopes = alibi.slopes(heads)
    added = bias(-slopes[:, None].expand(heads, length), dtype=F64)
    assert_close(added, alibi.bias(torch.arange(length), heads, dtype=F64), atol=1e-12, rtol=0)


@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_near_keys_apart_at_token_2047(dtype):
    near = bias(torch.full((2048,), -1.25, dtype=dtype), dtype=dtype)[2047, 2044:]
    assert near.dtype == dtype
    assert near.tolist() == [-3.75, -2.5, -1.25, 0]  # the sums themselves are near -2560


def test_the_start_forgets_little():
    encoding = initialised(Forgetting(2, 4, start=5.0))
    assert_close(encoding.offset, torch.full((2,), 5.0), atol=0.1, rtol=0)
    assert_close(-1 / bias(torch.tensor([5.0, 5.0]).sigmoid().log())[1, 0], torch.tensor(149.0), atol=0.5, rtol=0)


def test_untrained_weights_tell_keys_apart_whatever_their_width():
    for width in (64, 4096):
        encoding = initialised(Forgetting(8, width, start=5.0))
        assert_close(encoding.weight.norm(dim=-1), torch.ones(8), atol=0.25, rtol=0)
