"""`rotary.rotate` beside transformers and rotary-embedding-torch: queries and keys of one layer, angles included.

Ratios are theirs over ours in seconds: above 1 we are faster.
"""

from collections.abc import Callable

import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from benchmarks.timing import seconds_per_call, table
from pe_core.encodings import rotary

SHAPES = ((32, 4, 64, 16), (8, 8, 512, 64), (1, 32, 2048, 128))  # (B, H, T, d): the lab's, a small and a large model's


def candidates(shape: tuple[int, int, int, int]) -> dict[str, Callable[[], object]]:
    """Return the functions to compare, each turning q and k of this shape (B, H, T, d)."""
    _, heads, length, head_dim = shape
    q, k = torch.randn(shape), torch.randn(shape)
    positions = torch.arange(length)
    frequencies = rotary.frequencies(head_dim)
    llama = LlamaRotaryEmbedding(
        LlamaConfig(hidden_size=heads * head_dim, num_attention_heads=heads, head_dim=head_dim)
    )
    lucid = RotaryEmbedding(head_dim, cache_if_possible=False)

    def ours(layout: rotary.Layout) -> Callable[[], object]:
        return lambda: [rotary.rotate(x, positions, frequencies, layout=layout) for x in (q, k)]

    return {
        "ours, interleaved": ours("interleaved"),
        "ours, half": ours("half"),
        "transformers (half)": lambda: apply_rotary_pos_emb(q, k, *llama(q, positions[None])),
        "rotary-embedding-torch (interleaved)": lambda: [lucid.rotate_queries_or_keys(x) for x in (q, k)],
    }


def main() -> None:
    """Print for each shape the microseconds per call of every candidate, and their ratio to ours."""
    for shape in SHAPES:
        with torch.inference_mode():
            seconds = seconds_per_call(candidates(shape))
        rows = {name: (taken * 1e6, taken / seconds["ours, interleaved"]) for name, taken in seconds.items()}
        print(table(f"rotate, (B, H, T, d) = {shape}", rows, "us"))


if __name__ == "__main__":
    main()
