import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.masks import causal, sliding_window
from tests.strategies import checked, lengths, normal

windows = st.integers(1, 30)


def test_masks_of_3_positions():
    assert causal(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert sliding_window(3, 2).tolist() == [[True, False, False], [True, True, False], [False, True, True]]


@checked
@given(lengths, windows)
def test_masks_equal_their_definition(n, window):
    assert causal(n).tolist() == [[key <= query for key in range(n)] for query in range(n)]
    expected = [[query - window < key <= query for key in range(n)] for query in range(n)]
    assert sliding_window(n, window).tolist() == expected


@checked
@given(lengths, windows)
def test_a_query_sees_as_many_keys_as_the_window_counts(n, window):
    seen = sliding_window(n, window).sum(1).tolist()
    assert seen == [min(query + 1, window) for query in range(n)]


@checked
@given(lengths, st.integers(0, 10))
def test_a_window_as_long_as_the_text_is_the_causal_mask(n, more):
    assert torch.equal(sliding_window(n, n + more), causal(n))
    assert n == 1 or not torch.equal(sliding_window(n, n - 1 or 1), causal(n))


@checked
@given(lengths, lengths, windows)
def test_the_mask_of_a_longer_text_starts_with_that_of_the_shorter_one(n, more, window):
    assert torch.equal(causal(n + more)[:n, :n], causal(n))
    assert torch.equal(sliding_window(n + more, window)[:n, :n], sliding_window(n, window))


@checked
@given(lengths, windows)
def test_no_query_is_left_without_a_key(n, window):
    weights = normal(0, n, n).masked_fill(~sliding_window(n, window), -torch.inf).softmax(-1)
    assert weights.isfinite().all()


def test_a_window_of_1_sees_only_itself():
    assert torch.equal(sliding_window(4, 1), torch.eye(4, dtype=torch.bool))


def test_the_window_changes_the_mask():
    assert not torch.equal(sliding_window(4, 2), sliding_window(4, 3))


def test_masks_are_boolean():
    assert causal(2).dtype == sliding_window(2, 1).dtype == torch.bool


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: causal(0), "n must be at least 1, got 0"),
        (lambda: sliding_window(0, 3), "n must be at least 1, got 0"),
        (lambda: sliding_window(4, 0), "window must be at least 1 (1 sees only itself), got 0"),
        (lambda: sliding_window(4, -2), "window must be at least 1 (1 sees only itself), got -2"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
