"""Masks through layers, subtracted matrices, sinks and caches: against walks, formulas, loops and cases by hand."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.masks import MASKS, chunked, sliding_window
from pe_core.measures.masked import (
    cached,
    family,
    kept,
    rule,
    sink_rows,
    through_layers,
)
from pe_core.measures.memory import CACHED_MODELS, kv_cache_bytes
from tests.strategies import normal, seeds

lengths = st.integers(1, 14)
depths = st.integers(1, 5)
windows = st.integers(1, 16)


def walked(masks, position):
    """The tokens that a walk from the position can end at, one allowed step for each mask, the highest layer first."""
    here = {position}
    for mask in reversed(masks):
        here = {key for query in here for key in range(len(mask)) if mask[query, key]}
    return here


@given(st.data(), lengths, depths)
def test_influence_is_what_a_walk_through_the_layers_can_reach(data, n, n_layers):
    keys = data.draw(st.lists(st.sampled_from(sorted(MASKS)), min_size=n_layers, max_size=n_layers))
    masks = [MASKS[key].build(n, 6) for key in keys]
    found = through_layers(masks)
    assert (found.dtype, found.shape) == (torch.bool, (n_layers + 1, n, n))
    for layer in range(n_layers + 1):
        for position in range(n):
            assert set(found[layer, position].nonzero()[:, 0].tolist()) == walked(masks[:layer], position)


@given(lengths, windows, depths)
def test_a_window_stays_a_window_that_grows_by_the_rule(n, window, n_layers):
    found = through_layers([sliding_window(n, window)] * n_layers)[-1]
    assert torch.equal(found, sliding_window(n, rule(window, n_layers)))
    # One that does not count the query goes one further with each layer.
    found = through_layers([sliding_window(n, window, convention="without self")] * n_layers)[-1]
    assert torch.equal(found, sliding_window(n, n_layers * window + 1))
    assert torch.equal(
        through_layers([chunked(n, window)] * n_layers)[-1], chunked(n, window)
    )  # nothing leaves a block


def test_the_window_of_mistral():
    assert rule(4_096, 32) == 131_041
    assert rule(1, 7) == rule(9, 0) == 1


@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 8), st.floats(0.05, 2), st.floats(0.05, 2))
def test_every_number_follows_its_formula(n, window, head, r1, r2):
    frequencies = [10_000 ** (-2 * i / 128) for i in range(1, 65)]
    formulas = {
        "Window": lambda distance: 0 if distance < window else math.inf,
        "ALiBi": lambda distance: distance / 2**head,
        "KERPLE power": lambda distance: r1 * distance**r2,
        "KERPLE log": lambda distance: r1 * math.log(1 + r2 * distance),
        "Sandwich": lambda distance: 8 / (8 * head) * sum(1 - math.cos(distance * omega) for omega in frequencies),
    }
    found = family(n, window, head, r1, r2)
    assert found.keys() == formulas.keys()
    for name, matrix in found.items():
        for query, key in product(range(n), repeat=2):
            expected = formulas[name](query - key) if key <= query else math.inf
            assert float(matrix[query, key]) == pytest.approx(expected, abs=1e-9), name


@given(seeds)
def test_what_a_key_keeps_is_its_share_before_the_weights_sum_to_one_again(seed):
    scores = normal(seed, 6, 6)
    matrix = family(6, 3, 2, 1.0, 0.5)["ALiBi"]
    unscaled = scores.exp() * kept(matrix)
    assert_close((scores - matrix).softmax(-1), unscaled / unscaled.sum(-1, keepdim=True), atol=1e-12, rtol=0)


def test_one_sink_and_equal_keys_by_hand():
    seen, gone = sink_rows(math.log(6), torch.zeros(2))
    assert seen.tolist() == pytest.approx([0.75, 0.125, 0.125], abs=1e-15)
    assert gone.tolist() == [0, 0.5, 0.5]


@given(seeds, st.integers(1, 20), st.floats(-10, 10))
def test_every_other_weight_grows_by_one_over_what_the_sink_leaves(seed, n, sink):
    seen, gone = sink_rows(sink, normal(seed, n))
    assert_close(gone[1:], seen[1:] / (1 - seen[0]), rtol=1e-9, atol=0)
    assert gone[0] == 0
    for weights in (seen, gone):
        assert float(weights.sum()) == pytest.approx(1, abs=1e-12)


@given(step=st.integers(0, 60), window=st.integers(1, 12), n_sinks=st.integers(0, 6))
def test_a_cache_filled_step_by_step(step, window, n_sinks):
    held = []
    for place in range(step + 1):
        held.append(place)
        if len(held) > window + n_sinks:
            del held[n_sinks]
    assert cached(step, window, n_sinks).tolist() == held


def test_the_memory_of_a_cache_by_hand():
    """2 layers, 1 head of width 4, 3 tokens of 2 bytes each: 2 vectors x 2 x 1 x 4 x 3 = 48 numbers."""
    assert kv_cache_bytes(2, 1, 4, 3) == 96


def test_the_memory_is_what_the_tensors_of_a_cache_take():
    layers, heads, width, length = 3, 2, 8, 5
    cache = [torch.zeros(heads, length, width, dtype=torch.bfloat16) for _ in range(layers) for _ in ("key", "value")]
    assert kv_cache_bytes(layers, heads, width, length) == sum(one.numel() * one.element_size() for one in cache)


def test_known_models_at_32_768_tokens():
    """LLaMA 7B keeps 2 x 32 x 32 x 128 x 2 bytes = 512 KiB a token, Llama 3 8B a quarter of that."""
    for key, expected in (("llama_7b", 16), ("llama_3_8b", 4), ("llama_3_70b", 10)):
        model = CACHED_MODELS[key]
        assert kv_cache_bytes(model.n_layers, model.n_kv_heads, model.head_dim, 32_768) == expected * 2**30, key
