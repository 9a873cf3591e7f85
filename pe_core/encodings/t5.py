r"""T5's relative bias: a learned number per head and bucket of distances, $B_{mn} = E[\mathrm{bucket}(n-m), h]$.

Of N buckets, half hold one distance each, 0 to N/2 - 1; the others widen geometrically up to `max_distance` D:
$N/2 + \lfloor \ln(2x/N) / \ln(2D/N) \cdot N/2 \rfloor$ for a distance x, and the last bucket holds all that is farther.
Bidirectional: keys after the query get the second half of the buckets, and both halves are divided so.

- One table serves all layers, as in T5 (in UMT5 each layer has its own).
- T5 itself does not divide its scores by $\sqrt{d}$. Here the model does: the bias goes to the scaled scores.
- With D well above the training length the far buckets are never trained: 128 goes with texts of 512.

Reference: Raffel et al. 2019, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
arXiv:1910.10683, section 2.1; the rule of the buckets stands in its published code only.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings.adapters import Tabled
from pe_core.encodings.base import EncodingSpec, Shape
from pe_core.encodings.batch import heads_first, hide_future, pairs
from pe_core.parameters import Paper, Parameter, require, tokens


def bucket(
    relative_position: Tensor, *, n_buckets: int = 32, max_distance: int = 128, bidirectional: bool = False
) -> Tensor:
    """Return the bucket, 0 to `n_buckets` - 1, of each `relative_position` (key minus query), int64, same shape.

    In the causal form all keys after the query fall into bucket 0. Distances from `max_distance` on share the last
    bucket, also where that is nearer than half of the buckets reach; a fractional distance counts as the whole one
    below it. Raises `ValueError` for fewer than 2 buckets, for an odd number or fewer than 4 when bidirectional, and
    for a `max_distance` below 1.
    """
    require(max_distance >= 1, "max_distance", "be at least 1", max_distance)
    if bidirectional:
        require(n_buckets >= 4 and n_buckets % 2 == 0, "n_buckets", "be even and at least 4", n_buckets)
        own, first = n_buckets // 2, (relative_position > 0) * (n_buckets // 2)
        away = relative_position.abs().to(torch.float64).floor()
    else:
        require(n_buckets >= 2, "n_buckets", "be at least 2", n_buckets)
        own, first = n_buckets, torch.zeros_like(relative_position, dtype=torch.int64)
        away = (-relative_position).clamp(min=0).to(torch.float64).floor()
    exact = own // 2  # buckets of one distance each
    growth = math.log(max(max_distance, exact + 1) / exact)
    wide = exact + (away.clamp(min=exact) / exact).log() / growth * (own - exact)
    found = torch.where(away < exact, away, wide).to(torch.int64)
    return first + found.clamp(max=own - 1).masked_fill(away >= max_distance, own - 1)


def bias(
    positions: Tensor,
    table: Tensor,
    *,
    max_distance: int = 128,
    bidirectional: bool = False,
    n_queries: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return what is added to the scores of each head, (H, T_q, T) or (B, H, T_q, T), from `table` (n_buckets, H).

    Causal: -inf for keys after the query. `positions` (T,) or (B, T) are those of the keys; the queries are the last
    `n_queries` of them, all for None.
    """
    query, key = pairs(positions, n_queries)
    rows = bucket(key - query, n_buckets=len(table), max_distance=max_distance, bidirectional=bidirectional)
    looked_up = heads_first(F.embedding(rows, table)).to(dtype)
    return looked_up if bidirectional else hide_future(looked_up, positions)


def _make(shape: Shape, params: Mapping[str, Any]) -> Tabled:
    max_distance = tokens(params["reach"], shape.train_length)
    sizes = {"max_distance": max_distance, "bidirectional": params["direction"] == "bidirectional"}

    def added(q: Tensor, k: Tensor, positions: Tensor, table: Tensor) -> Tensor:
        return bias(positions, table, **sizes, n_queries=q.shape[-2], dtype=q.dtype)

    return Tabled(params["n_buckets"], shape.n_heads, added, std=shape.d_model**-0.5)  # as T5 starts


SPEC = EncodingSpec(
    key="t5",
    title="T5 bias",
    family="bias",
    summary="Each score gets a learned number for the bucket its distance falls into; far buckets are wide.",
    paper=Paper(
        "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
        "Raffel et al.",
        2019,
        "1910.10683",
    ),
    make=_make,
    parameters=(
        Parameter("n_buckets", "Buckets", 16, "Into how many classes distances fall.", 4, 64, 4),
        Parameter(
            "reach",
            "Reach",
            0.5,
            "Distance, in training lengths, from which on keys of one side share a bucket.",
            0.25,
            4.0,
            0.05,
        ),
        Parameter("direction", "Direction", "causal", "Which keys a query sees.", choices=("causal", "bidirectional")),
    ),
)
