"""What a long text costs in memory: the keys and values of its tokens, which a model keeps while it writes."""

from dataclasses import dataclass

from pe_core.parameters import require

BYTES = 2  # of a number in bfloat16 or float16, in which models are run


@dataclass(frozen=True)
class CachedModel:
    """What decides the KV cache of a model: its layers, the heads that keys and values have, and the head width.

    `source` is where the numbers stand.
    """

    title: str
    n_layers: int
    n_kv_heads: int
    head_dim: int
    source: str


# In LLaMA every query head has keys and values of its own; in Llama 3 four or eight of them have them in common.
CACHED_MODELS = {
    "llama_7b": CachedModel("LLaMA 7B", 32, 32, 128, "Touvron et al. 2023, arXiv:2302.13971, table 2"),
    "llama_3_8b": CachedModel("Llama 3 8B", 32, 8, 128, "Llama Team 2024, arXiv:2407.21783, table 3"),
    "llama_3_70b": CachedModel("Llama 3 70B", 80, 8, 128, "Llama Team 2024, arXiv:2407.21783, table 3"),
}


def kv_cache_bytes(n_layers: int, n_kv_heads: int, head_dim: int, length: int) -> int:
    """Return the bytes of the keys and values of a text of `length` tokens: two vectors per layer, head and token.

    `head_dim` is the width of a head. `ValueError` for a number below 1.
    """
    sizes = {"n_layers": n_layers, "n_kv_heads": n_kv_heads, "head_dim": head_dim, "length": length}
    for name, size in sizes.items():
        require(size >= 1, name, "be at least 1", size)
    return 2 * n_layers * n_kv_heads * head_dim * length * BYTES
