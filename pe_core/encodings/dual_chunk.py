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

import math
from functools import partial

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.batch import count_queries, of_queries
from pe_core.encodings.distance import between
from pe_core.encodings.rotary import Corrected, Layout
from pe_core.parameters import Parameter, require, tokens
from pe_core.registry import Paper


def bias(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    frequencies: Tensor,
    *,
    chunk: int,
    train_length: int,
    layout: Layout = "interleaved",
) -> Tensor:
    """Return what is added to the scores of RoPE, (..., T_q, T), from turned `q` (..., T_q, d) and `k` (..., T, d).

    `positions` (T,) or (B, T) in tokens, `frequencies` (d / 2,) in radians per token, chunks of `chunk` tokens. The
    dtype is that of `q`.
    """
    require(1 <= chunk <= train_length, "chunk", f"be from 1 to the training length ({train_length})", chunk)
    dtype = torch.promote_types(q.dtype, torch.float32)  # a difference of two scores: half precision is not enough
    query, key = q.to(dtype), k.to(dtype)
    n_queries = count_queries(q, k, positions)
    places = positions.to(torch.float64)
    chunks = (places / chunk).floor()
    inside, last = places - chunks * chunk, torch.full_like(places, train_length - 1)

    def scores(of_query: Tensor, of_key: Tensor) -> Tensor:
        moved = rotary.rotate(query, of_queries(of_query - places, n_queries), frequencies, layout=layout)
        return moved @ rotary.rotate(key, of_key - places, frequencies, layout=layout).mT

    plain, back = query @ key.mT, between(chunks, torch.float64, n_queries=n_queries)
    next_chunk, far = scores((inside + chunk).minimum(last), inside), scores(last, inside)
    for changed, where in ((next_chunk, back == 1), (far, back >= 2)):  # in place: these are large
        changed -= plain
        changed *= where.to(dtype)
    far += next_chunk
    far /= math.sqrt(q.shape[-1])
    return far.to(q.dtype)


SPEC = EncodingSpec(
    key="dual_chunk",
    title="Dual chunk attention",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE in chunks: distances are exact within a chunk and to the near end of the one before, and bounded.",
    paper=Paper("Training-Free Long-Context Scaling of Large Language Models", "An et al.", 2024, "2402.17463"),
    make=lambda shape, params: Corrected(
        rotary.frequencies(shape.head_dim, params["base"]),
        layout=params["layout"],
        correction=partial(bias, chunk=tokens(params["chunk"], shape.train_length), train_length=shape.train_length),
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("chunk", "Chunk", 0.75, "Tokens of a chunk, in training lengths.", 0.25, 0.95, 0.05),
    ),
)
