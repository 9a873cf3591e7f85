"""The memory of keys and values: a case by hand, a loop over all numbers that are kept, and what is refused."""

import torch

from pe_core.measures.memory import CACHED_MODELS, kv_cache_bytes

GIB = 2**30


def test_a_case_by_hand():
    """2 layers, 1 head of width 4, 3 tokens of 2 bytes each: 2 vectors x 2 x 1 x 4 x 3 = 48 numbers."""
    assert kv_cache_bytes(2, 1, 4, 3) == 96
    assert kv_cache_bytes(2, 1, 4, 3, bytes_per_number=4) == 192


def test_it_is_what_the_tensors_of_a_cache_take():
    layers, heads, width, length = 3, 2, 8, 5
    cache = [torch.zeros(heads, length, width, dtype=torch.bfloat16) for _ in range(layers) for _ in ("key", "value")]
    assert kv_cache_bytes(layers, heads, width, length) == sum(one.numel() * one.element_size() for one in cache)


def test_known_models_at_32_768_tokens():
    """LLaMA 7B keeps 2 x 32 x 32 x 128 x 2 bytes = 512 KiB a token, Llama 3 8B a quarter of that."""
    for key, expected in (("llama_7b", 16), ("llama_3_8b", 4), ("llama_3_70b", 10)):
        model = CACHED_MODELS[key]
        assert kv_cache_bytes(model.n_layers, model.n_kv_heads, model.head_dim, 32_768) == expected * GIB, key
