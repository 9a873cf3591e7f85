import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from pe_core.masks import MASKS, causal, chunked, dilated, prefix, sinks, sliding_window, subtractive
from tests.cases import each, refuses
from tests.strategies import extremes, lengths, normal, seeds, settings

windows = st.integers(1, 30)
counts = st.integers(0, 30)
gaps = st.integers(1, 6)
every_mask = each("key", MASKS)


def drawn(mask):
    """A mask as lines of text, one per query."""
    return ["".join("x" if seen else "." for seen in row) for row in mask.tolist()]


def by_definition(n, allowed):
    """The mask of a rule on query and key."""
    return [[allowed(query, key) for key in range(n)] for query in range(n)]


def test_masks_of_6_positions():
    assert drawn(sliding_window(6, 2, convention="without self")) == drawn(sliding_window(6, 3))
    assert drawn(sinks(6, 2, 1)) == ["x.....", "xx....", "xxx...", "x.xx..", "x..xx.", "x...xx"]
    assert drawn(dilated(6, 2, 3)) == ["x.....", ".x....", "..x...", "x..x..", ".x..x.", "..x..x"]
    assert drawn(chunked(6, 3)) == ["x.....", "xx....", "xxx...", "...x..", "...xx.", "...xxx"]
    assert drawn(prefix(6, 3)) == ["xxx...", "xxx...", "xxx...", "xxxx..", "xxxxx.", "xxxxxx"]


@given(lengths, windows, counts, gaps)
def test_masks_equal_their_definition(n, window, count, gap):
    assert causal(n).tolist() == by_definition(n, lambda m, j: j <= m)
    assert sliding_window(n, window).tolist() == by_definition(n, lambda m, j: m - window < j <= m)
    without = sliding_window(n, count, convention="without self")
    assert without.tolist() == by_definition(n, lambda m, j: m - count <= j <= m)
    expected = by_definition(n, lambda m, j: j <= m and (j < count or m - j < window))
    assert sinks(n, window, count).tolist() == expected
    steps = [gap * step for step in range(window)]
    assert dilated(n, window, gap).tolist() == by_definition(n, lambda m, j: m - j in steps)
    assert chunked(n, window).tolist() == by_definition(n, lambda m, j: j <= m and m // window == j // window)
    assert prefix(n, count).tolist() == by_definition(n, lambda m, j: j <= m or (m < count and j < count))


def test_the_sizes_of_lm_infinite():
    assert torch.equal(MASKS["lambda"].build(4_110, 4_096), sinks(4_110, 4_096, 10))


@every_mask
@given(n=lengths, more=lengths, train_length=lengths)
def test_the_mask_of_a_longer_text_starts_with_that_of_the_shorter_one(key, n, more, train_length):
    for params in settings(MASKS[key]):
        longer = MASKS[key].build(n + more, train_length, params)
        assert torch.equal(longer[:n, :n], MASKS[key].build(n, train_length, params))


@every_mask
@given(n=lengths, train_length=lengths)
def test_every_query_sees_itself_and_only_what_the_entry_says_sees_ahead(key, n, train_length):
    for params in settings(MASKS[key]):
        mask = MASKS[key].build(n, train_length, params)
        assert (mask.dtype, mask.shape) == (torch.bool, (n, n))
        assert mask.diagonal().all()
        assert MASKS[key].sees_ahead or not mask.triu(1).any()


@every_mask
def test_an_entry_that_sees_ahead_does(key):
    assert bool(MASKS[key].build(64, 64).triu(1).any()) == MASKS[key].sees_ahead


@every_mask
@given(seed=seeds, n=lengths, train_length=lengths)
def test_scores_minus_the_matrix_give_the_attention_under_the_mask(key, seed, n, train_length):
    mask = MASKS[key].build(n, train_length)
    q, k, v = normal(seed, 3, 1, n, 4)
    subtracted = subtractive(mask, dtype=torch.float64)
    weights = (q @ k.mT / math.sqrt(4) - subtracted).softmax(-1)
    assert_close(weights @ v, scaled_dot_product_attention(q, k, v, mask), atol=1e-12, rtol=0)
    assert (weights[0][~mask] == 0).all()
    assert weights.isfinite().all()


@every_mask
def test_every_parameter_changes_the_mask(key):
    default = MASKS[key].build(128, 64)
    for parameter in MASKS[key].parameters:
        for value in extremes(parameter):
            same = torch.equal(MASKS[key].build(128, 64, {parameter.name: value}), default)
            assert same == (value == parameter.default)


@each(
    ("key", "params", "n_seen"),  # by the first and the last of 256 queries, trained at 64
    [
        ("causal", {}, (1, 256)),
        ("window", {}, (1, 32)),
        ("window", {"convention": "without self"}, (1, 33)),
        ("window", {"window": 2.0}, (1, 128)),
        ("sinks", {}, (1, 36)),
        ("sinks", {"n_sinks": 0}, (1, 32)),
        ("lambda", {}, (1, 65)),
        ("lambda", {"first": 0.1}, (1, 71)),
        ("lambda", {"first": 0.0}, (1, 64)),
        ("dilated", {}, (1, 16)),
        ("prefix", {}, (16, 256)),
        ("prefix", {"prefix": 0.0}, (1, 256)),
        ("prefix", {"prefix": 1.0}, (64, 256)),
    ],
)
def test_sizes_follow_the_training_length(key, params, n_seen):
    mask = MASKS[key].build(256, 64, params)
    assert (mask[0].sum(), mask[-1].sum()) == n_seen


def test_errors():
    itself = "window must be at least 1 (1 keeps only the query itself), got"
    for call in (
        lambda: causal(0),
        lambda: sliding_window(0, 3),
        lambda: prefix(0, 1),
        lambda: MASKS["causal"].build(0, 4),
    ):
        refuses(call, "n must be at least 1, got 0")
    refuses(lambda: sliding_window(4, 0), f"{itself} 0")
    refuses(lambda: sliding_window(4, -2), f"{itself} -2")
    rule = "window must be at least 0 (0 keeps only the query itself), got -1"
    refuses(lambda: sliding_window(4, -1, convention="without self"), rule)
    rule = "convention must be one of with self, without self, got inclusive"
    refuses(lambda: sliding_window(4, 2, convention="inclusive"), rule)
    refuses(lambda: sinks(4, 0, 1), f"{itself} 0")
    refuses(lambda: sinks(4, 2, -1), "n_sinks must be at least 0, got -1")
    refuses(lambda: dilated(4, 0, 3), f"{itself} 0")
    refuses(lambda: dilated(4, 2, 0), "dilation must be at least 1 (1 leaves no gaps), got 0")
    refuses(lambda: chunked(4, 0), "chunk must be at least 1 (1 keeps only the query itself), got 0")
    refuses(lambda: prefix(4, -1), "n_prefix must be at least 0, got -1")
    refuses(lambda: MASKS["causal"].build(4, 0), "train_length must be at least 1, got 0")
    rule = "parameter of sinks must be one of window, n_sinks, got bogus"
    refuses(lambda: MASKS["sinks"].build(4, 4, {"bogus": 1}), rule)
    refuses(lambda: MASKS["sinks"].build(4, 4, {"n_sinks": 65}), "n_sinks must be a whole number from 0 to 64, got 65")
