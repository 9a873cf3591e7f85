r"""Dual chunk attention: RoPE within chunks of s tokens, and distances below the training length from chunk to chunk.

The text is cut into chunks of s tokens. A key stands at its place in its chunk, $n \bmod s$. Where a query stands
depends on the chunk of the key, with c the training length:

- the same chunk: $m \bmod s$, so the distance is exact;
- the chunk before: $\min(m \bmod s + s,\; c - 1)$, exact for all keys at a distance up to c - s;
- any chunk before that: $c - 1$, the last place in a text of training.

No distance is above c - 1, whatever the length of the text. With s at least half of c, a text of the training length is
read exactly as with RoPE. Keys after the query keep the score of RoPE: the idea is causal.

Here `rotate` is RoPE, and `bias` adds the differences to the scores of the other two kinds, as ReRoPE does. The idea is
meant for a model trained with RoPE, without any training of its own. The paper takes s = 3/4 c. Its published code ends
distances at the chunk and a local window, s + w, where the paper has c - 1, and has a temperature besides; this is the
paper's form.
Reference: An et al. 2024, "Training-Free Long-Context Scaling of Large Language Models", arXiv:2402.17463, section 3.
"""

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.rerope import Corrected, Told
from pe_core.encodings.rotary import rope
from pe_core.parameters import Paper, Parameter, require, tokens


def told(positions: Tensor, *, chunk: int, train_length: int) -> tuple[Told, Told]:
    """Return where queries stand for keys of the chunk before, and of earlier ones; a chunk has `chunk` tokens."""
    require(1 <= chunk <= train_length, "chunk", f"be from 1 to the training length ({train_length})", chunk)
    chunks = (positions / chunk).floor()
    inside, last = positions - chunks * chunk, torch.full_like(positions, train_length - 1)
    return Told((inside + chunk).minimum(last), inside, chunks, 1, 1), Told(last, inside, chunks, 2)


SPEC = EncodingSpec(
    key="dual_chunk",
    title="Dual chunk attention",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE in chunks: distances are exact within a chunk and to the near end of the one before, and bounded.",
    paper=Paper("Training-Free Long-Context Scaling of Large Language Models", "An et al.", 2024, "2402.17463"),
    make=lambda shape, params: Corrected(
        rope(shape, params), told, chunk=tokens(params["chunk"], shape.train_length), train_length=shape.train_length
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("chunk", "Chunk", 0.75, "Tokens of a chunk, in training lengths.", 0.25, 0.95, 0.05),
    ),
)
