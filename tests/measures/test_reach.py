"""Which tokens can have influenced which position through layers: against walks along single edges, and by hand."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.masks import MASKS, causal, dilated, prefix, sinks, sliding_window
from pe_core.measures.reach import blocks, rule, through_layers
from tests.strategies import checked

lengths = st.integers(1, 14)
depths = st.integers(1, 5)
windows = st.integers(1, 16)


def walked(masks, position):
    """The tokens that a walk from the position can end at, one allowed step for each mask, the highest layer first."""
    here = {position}
    for mask in reversed(masks):
        here = {key for query in here for key in range(len(mask)) if mask[query, key]}
    return here


@checked
@given(st.data(), lengths, depths)
def test_influence_is_what_a_walk_through_the_layers_can_reach(data, n, n_layers):
    keys = data.draw(st.lists(st.sampled_from(sorted(MASKS)), min_size=n_layers, max_size=n_layers))
    masks = [MASKS[key].build(n, 6) for key in keys]
    found = through_layers(masks)
    assert (found.dtype, found.shape) == (torch.bool, (n_layers + 1, n, n))
    for layer in range(n_layers + 1):
        for position in range(n):
            assert set(found[layer, position].nonzero()[:, 0].tolist()) == walked(masks[:layer], position)


@checked
@given(lengths, windows, depths)
def test_a_window_stays_a_window_that_grows_by_the_rule(n, window, n_layers):
    found = through_layers([sliding_window(n, window)] * n_layers)[-1]
    assert torch.equal(found, sliding_window(n, rule(window, n_layers)))


@checked
@given(lengths, windows, depths)
def test_a_window_that_does_not_count_the_query_goes_one_further_with_each_layer(n, window, n_layers):
    found = through_layers([sliding_window(n, window, convention="without self")] * n_layers)[-1]
    assert torch.equal(found, sliding_window(n, n_layers * window + 1))


@checked
@given(lengths, windows, depths)
def test_nothing_leaves_a_block(n, size, n_layers):
    mask = blocks(n, size)
    assert torch.equal(through_layers([mask] * n_layers)[-1], mask)
    for query in range(n):
        for key in range(n):
            assert mask[query, key] == (key <= query and query // size == key // size)


@checked
@given(lengths, windows, st.integers(0, 4), depths)
def test_sinks_add_only_themselves(n, window, n_sinks, n_layers):
    with_sinks = through_layers([sinks(n, window, n_sinks)] * n_layers)[-1]
    alone = through_layers([sliding_window(n, window)] * n_layers)[-1]
    first = torch.arange(n) < n_sinks
    assert torch.equal(with_sinks, alone | causal(n) & first)


def test_gaps_stay_gaps():
    found = through_layers([dilated(12, 3, 2)] * 8)[-1]
    assert found[11].nonzero()[:, 0].tolist() == [1, 3, 5, 7, 9, 11]


def test_two_layers_of_the_causal_mask_or_of_a_prefix_are_one():
    for mask in (causal(9), prefix(9, 4)):
        assert torch.equal(through_layers([mask] * 3)[-1], mask)


def test_the_order_of_layers_matters():
    block, window = blocks(4, 2), sliding_window(4, 2)
    assert not torch.equal(through_layers([block, window])[-1], through_layers([window, block])[-1])


def test_the_window_of_mistral():
    assert rule(4_096, 32) == 131_041
    assert rule(1, 7) == rule(9, 0) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: blocks(0, 2), "n must be at least 1, got 0"),
        (lambda: blocks(2, 0), "size must be at least 1 (1 sees only itself), got 0"),
        (lambda: through_layers([]), "masks must hold at least one layer, got 0"),
        (lambda: rule(0, 1), "window must be at least 1 (1 sees only itself), got 0"),
        (lambda: rule(1, -1), "n_layers must be at least 0, got -1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
