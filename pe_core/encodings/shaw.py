r"""Relative vectors in the keys: a score gains $q_m \cdot a_{c(n-m)} / \sqrt{d}$, $c(x) = \mathrm{clip}(x, -k, k)$.

One table $a$ of $2k + 1$ vectors serves all heads and layers. On each side, all keys at distance k or more share a
vector, $a_{-k}$ or $a_k$: distances past those of training look like ones that were trained, as long as k is smaller.

Left out is the second half of the paper, vectors added to the values: this contract has no place behind the softmax,
and in the paper's ablation (table 3) nothing is lost without them. The sign is key minus query, and
distances have to be whole, since each is the number of a row.
Reference: Shaw, Uszkoreit & Vaswani 2018, "Self-Attention with Relative Position Representations", arXiv:1803.02155,
equations 4 and 5, section 3.2.
"""

import math

from torch import Tensor

from pe_core.encodings.adapters import Tabled
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.batch import by_query, pairs, whole
from pe_core.parameters import Paper, Parameter, require, tokens


def clipped(relative_position: Tensor, max_distance: int) -> Tensor:
    """Return the row of the table for each `relative_position` (key minus query), int64, same shape.

    Rows count from 0, for all keys at least `max_distance` before the query, to 2 `max_distance`. Raises `ValueError`
    for a fractional relative position within the clip and for a `max_distance` below 1.
    """
    require(max_distance >= 1, "max_distance", "be at least 1", max_distance)
    near = relative_position.clamp(-max_distance, max_distance)
    return whole(near, "relative_position") + max_distance


def scores(q: Tensor, table: Tensor, positions: Tensor) -> Tensor:
    """Return what is added to the scaled scores, (B, H, T_q, T), from `q` (B, H, T_q, d) and `table` (2k + 1, d).

    `positions` (T,) or (B, T) are those of the keys; the queries are the last of them. Every query is multiplied with
    every row once, (B, H, T_q, 2k + 1), and the products are picked by distance: a vector for each pair of positions,
    (T, T, d), never exists.
    """
    require(len(table) % 2 == 1, "table", "have an odd number of rows", len(table))
    query, key = pairs(positions, q.shape[-2])
    rows = clipped(key - query, len(table) // 2)
    return by_query(q, table, rows) / math.sqrt(q.shape[-1])


CLIP = Parameter("clip", "Clip", 0.5, "Distance, in training lengths, from which on keys look alike.", 0.25, 2.0, 0.05)

SPEC = EncodingSpec(
    key="shaw",
    title="Shaw relative vectors",
    family="relative",
    summary="Each query is multiplied with a learned vector of the distance, and far distances share one.",
    paper=Paper(
        "Self-Attention with Relative Position Representations", "Shaw, Uszkoreit & Vaswani", 2018, "1803.02155"
    ),
    make=lambda shape, params: Tabled(
        2 * tokens(params["clip"], shape.train_length) + 1,
        shape.head_dim,
        lambda q, k, positions, table: scores(q, table, positions),
    ),
    parameters=(CLIP,),
)
