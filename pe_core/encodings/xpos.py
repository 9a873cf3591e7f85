r"""xPos: RoPE whose scores also decay with the distance, at a rate of its own for every pair.

Pair i of the turned query is multiplied by $\zeta_i^{m/\gamma}$ and of the turned key by $\zeta_i^{-n/\gamma}$, with
$\zeta_i = (2i + 0.4\,d) / (1.4\,d)$ below 1; its part of the score gains $\zeta_i^{(m-n)/\gamma}$.

- Causal only: for a key after the query the exponent is negative, and the "decay" grows without bound.
- Neither factor is bounded, only their product is. Any centre c in $m - c$ and $n - c$ cancels in the product, as long
  as q and k share it; the mean of the positions keeps both factors small. Keys can therefore not be cached as this
  module returns them: the centre of a longer text is another one.
- A factor is held between $1/M$ and M, M the fourth root of the largest number of the dtype, so that two factors
  leave room for the vectors. In float32 and bfloat16 and with $\gamma = 512$ this begins 9,065 positions from the
  centre, in float16 (M = 16) 1,133, the fastest pair first; from there on its near keys lose nothing, as in RoPE.

Reference: Sun et al. 2022, "A Length-Extrapolatable Transformer", arXiv:2212.10554, where gamma is 512.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.adapters import TurnedTogether
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.batch import beside, count_queries, rows_of_queries
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Paper, Parameter, require


def decays(head_dim: int) -> Tensor:
    """Return what is left of each pair's score after gamma positions, float64, shape (d / 2,), rising from 2/7."""
    require(head_dim >= 2 and head_dim % 2 == 0, "head_dim", "be even and at least 2", head_dim)
    return (torch.arange(0, head_dim, 2, dtype=torch.float64) + 0.4 * head_dim) / (1.4 * head_dim)


def scales(positions: Tensor, head_dim: int, *, gamma: float = 512.0, limit: float = math.inf) -> Tensor:
    """Return the factor of each pair of the queries, float64, (T, d / 2) or (B, T, d / 2); keys get the reciprocal.

    `positions` and `gamma` in tokens, counted from the mean of the positions of a text; held between 1 / limit and
    limit.
    """
    require(gamma > 0, "gamma", "be above 0", gamma)
    places = positions.to(torch.float64)
    powers = (places - places.mean(dim=-1, keepdim=True))[..., None] / gamma
    return (decays(head_dim).to(positions.device) ** powers).clamp(1 / limit, limit)


def rotate(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    frequencies: Tensor,
    *,
    gamma: float = 512.0,
    layout: Layout = "interleaved",
) -> tuple[Tensor, Tensor]:
    """Return `q` (..., T_q, d) and `k` (..., T, d) turned and scaled, same dtypes; for use under a causal mask.

    `positions` (T,) or (B, T) in tokens, `frequencies` (d / 2,) in radians per token, `gamma` in tokens.
    """
    per_pair = scales(positions, 2 * len(frequencies), gamma=gamma, limit=torch.finfo(q.dtype).max ** 0.25)
    per_channel = per_pair.repeat_interleave(2, dim=-1) if layout == "interleaved" else torch.cat([per_pair] * 2, -1)
    scale = beside(per_channel, k).to(torch.promote_types(q.dtype, torch.float32))  # rounded once, with the product
    of_queries = rows_of_queries(scale, count_queries(q, k, positions))
    turned_q, turned_k = rotary.rotate_both(q.to(scale.dtype), k.to(scale.dtype), positions, frequencies, layout=layout)
    return (turned_q * of_queries).to(q.dtype), (turned_k / scale).to(k.dtype)


SPEC = EncodingSpec(
    key="xpos",
    title="xPos",
    family="rotary",
    summary="RoPE with scores that also decay with the distance, the fast pairs first.",
    paper=Paper("A Length-Extrapolatable Transformer", "Sun et al.", 2022, "2212.10554"),
    make=lambda shape, params: TurnedTogether(
        rotate,
        frequencies=rotary.frequencies(shape.head_dim, params["base"]),  # no buffer, as in `Rotary`
        gamma=params["gamma"] * shape.train_length,
        layout=params["layout"],
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("gamma", "Decay length", 8.0, "How slowly scores decay, in training lengths.", 0.5, 64.0, 0.5),
    ),
)
