"""A row of attention under a bias: by hand, against loops, and the two slips."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import alibi
from pe_core.measures.bias_rows import (
    attention,
    effective_keys,
    mask_added_after,
    right_row,
    row_added_after,
    share_within,
    slipped_row,
)
from tests.strategies import checked, lengths, normal, seeds

slopes = st.floats(0, 4)


def test_the_row_of_six_of_which_the_slip_turns_the_ends():
    right, slipped = right_row(6, 1.0).tolist(), slipped_row(6, 1.0).tolist()
    assert [round(right[0], 3), round(right[-1], 3)] == [0.004, 0.634]
    assert [round(slipped[0], 3), round(slipped[-1], 3)] == [0.634, 0.004]


def test_by_hand_for_two_keys():
    share = 1 / (1 + math.exp(-0.5))
    assert right_row(2, 0.5).tolist() == pytest.approx([1 - share, share], abs=1e-15)
    assert row_added_after(2, 0.5).tolist() == [0, 0.5]
    found = attention(torch.tensor([[0.0, 9.0], [-0.5, 0.0]]))
    assert found.flatten().tolist() == pytest.approx([1, 0, 1 - share, share], abs=1e-15)


@checked
@given(n_keys=st.integers(1, 40), slope=slopes)
def test_rows_against_a_loop(n_keys, slope):
    scores = [-slope * (n_keys - 1 - key) for key in range(n_keys)]
    total = sum(map(math.exp, scores))
    assert right_row(n_keys, slope).tolist() == pytest.approx([math.exp(s) / total for s in scores], abs=1e-14)
    assert slipped_row(n_keys, slope).tolist() == pytest.approx(right_row(n_keys, slope).tolist()[::-1], abs=1e-14)
    after = [1 / n_keys + score for score in scores]
    assert row_added_after(n_keys, slope).tolist() == pytest.approx(after, abs=1e-12)


@checked
@given(length=lengths, seed=seeds)
def test_attention_against_a_loop(length, seed):
    bias = normal(seed, length, length)
    found = attention(bias)
    for query in range(length):
        total = sum(math.exp(bias[query, key]) for key in range(query + 1))
        expected = [math.exp(bias[query, key]) / total if key <= query else 0 for key in range(length)]
        assert found[query].tolist() == pytest.approx(expected, abs=1e-14)


def test_a_bias_that_hides_the_future_itself_gives_the_same_attention():
    causal, symmetric = (alibi.bias(torch.arange(9), 1, causal=causal)[0] for causal in (True, False))
    assert torch.equal(attention(causal), attention(symmetric))


@given(count=st.integers(1, 50))
def test_equal_weights_count_as_many_keys_as_they_are(count):
    weights = torch.zeros(60, dtype=torch.float64)
    weights[:count] = 1 / count
    assert float(effective_keys(weights)) == pytest.approx(count, rel=1e-12)


def test_effective_keys_by_hand():
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    found = effective_keys(torch.tensor([[0.75, 0.25], [1.0, 0.0]]))
    assert found.tolist() == pytest.approx([math.exp(entropy), 1], rel=1e-12)


@pytest.mark.parametrize(("window", "share"), [(1, 0.4), (2, 0.7), (4, 1.0), (99, 1.0)])
def test_the_share_of_the_nearest_keys(window, share):
    weights = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    assert share_within(weights, window) == pytest.approx(share, rel=1e-12)


def test_a_mask_after_the_softmax_hides_nothing():
    assert mask_added_after(4).tolist() == [0.25, -math.inf, -math.inf, -math.inf]
    assert mask_added_after(1).tolist() == [1]


def test_errors():
    with pytest.raises(ValueError, match=r"^window must be at least 1, got 0$"):
        share_within(torch.ones(2), 0)
    for row in (right_row, slipped_row, row_added_after):
        with pytest.raises(ValueError, match=r"^n_keys must be at least 1, got 0$"):
            row(0, 1.0)
