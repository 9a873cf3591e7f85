import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.cope import CoPE, bias, contextual_positions
from tests.cases import each, refuses
from tests.strategies import initialised, lengths, normal, seeds, widths

F64 = torch.float64
INF = math.inf
n_rows = st.integers(2, 12)


def test_half_open_gates_count_half_tokens():
    """Zero keys: every gate is 1/2, so the places are 0.5, 1, 1.5 going back; row p of the table is worth p squared."""
    q, k = torch.ones(1, 3, 1, dtype=F64), torch.zeros(1, 3, 1, dtype=F64)
    assert contextual_positions(q, k)[0].tolist() == [[0.5, 0, 0], [1, 0.5, 0], [1.5, 1, 0.5]]
    table = torch.tensor([[0.0], [1], [4]], dtype=F64)
    assert bias(q, k, table)[0].tolist() == [[0.5, -INF, -INF], [1, 0.5, -INF], [2.5, 1, 0.5]]


def test_counting_stops_at_the_last_row():
    q, k = torch.ones(1, 4, 1, dtype=F64), torch.full((1, 4, 1), 1e4, dtype=F64)  # every gate open
    assert contextual_positions(q, k)[0, 3].tolist() == [4, 3, 2, 1]
    assert bias(q, k, torch.tensor([[0.0], [1], [4]], dtype=F64))[0, 3].tolist() == [4, 4, 4, 1]


def bias_by_loops(q, k, table):
    """One score at a time, from the definition."""
    length, dim = q.shape
    result = torch.full((length, length), -INF, dtype=F64)
    for m in range(length):
        for n in range(m + 1):
            logits = [float(q[m] @ k[t]) / math.sqrt(dim) for t in range(n, m + 1)]
            place = min(sum(1 / (1 + math.exp(-logit)) for logit in logits), len(table) - 1)
            low, high = math.floor(place), math.ceil(place)
            row = (place - low) * table[high] + (1 - place + low) * table[low]
            result[m, n] = q[m] @ row
    return result


@given(seeds, lengths, widths, n_rows)
def test_bias_equals_the_definition(seed, length, dim, rows):
    q, k = normal(seed, 2, length, dim)
    table = normal(seed + 1, rows, dim)
    assert_close(bias(q, k, table), bias_by_loops(q, k, table), atol=1e-10, rtol=0)


def test_equal_rows_would_teach_the_gates_nothing(q, k):
    for table, learns in ((torch.zeros(6, 4, dtype=F64), False), (normal(1, 6, 4), True)):
        keys = k.clone().requires_grad_()
        bias(q, keys, table).tril().square().sum().backward()
        assert (keys.grad.abs().sum() > 0) == learns


@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_counts_beyond_256_tokens(dtype):
    q, k = torch.ones(1, 601, 1, dtype=dtype), torch.full((1, 601, 1), 100, dtype=dtype)
    table = torch.zeros(700, 1, dtype=dtype)
    table[601] = 1
    added = bias(q, k, table)
    assert added.dtype == dtype
    assert added[0, 600, 0] == 1  # all 601 tokens are counted; bfloat16 has 600 and 604


def test_rows_start_small():
    encoding = initialised(CoPE(64, 100))
    assert encoding.table.std().item() == pytest.approx(0.02, rel=0.05)


@each(("train_length", "largest", "rows"), [(64, 0.5, 33), (64, 2.0, 129), (4, 0.1, 2), (1, 0.5, 2), (4, 0.5, 3)])
def test_the_table_follows_the_training_length(train_length, largest, rows):
    encoding = ENCODINGS["cope"].build(Shape(8, 2, train_length, 256), {"largest": largest})
    assert encoding.table.shape == (rows, 4)


def test_a_table_of_one_row_is_rejected():
    rule = "table must have at least 2 rows, to tell near from far, got 1"
    refuses(lambda: bias(torch.ones(3, 4), torch.ones(3, 4), torch.ones(1, 4)), rule)
