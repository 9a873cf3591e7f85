"""A sink and what it leaves, the ids in a cache and its memory: by hand and against loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.measures.memory import CACHED_MODELS, kv_cache_bytes
from pe_core.measures.sinks import cached, rows
from tests.strategies import normal, seeds


def test_one_sink_and_equal_keys_by_hand():
    seen, gone = rows(math.log(6), torch.zeros(2))
    assert seen.tolist() == pytest.approx([0.75, 0.125, 0.125], abs=1e-15)
    assert gone.tolist() == [0, 0.5, 0.5]


@given(seeds, st.integers(1, 20), st.floats(-10, 10))
def test_every_other_weight_grows_by_one_over_what_the_sink_leaves(seed, n, sink):
    seen, gone = rows(sink, normal(seed, n))
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
