r"""ReRoPE: RoPE that never sees a distance above w, or, in the leaky form, lets it grow more slowly from there on.

The distance $\Delta = m - n$ in the score becomes $\min(\Delta, w)$, leaky: $w + (\Delta - w) / c$ from w on. Two score
matrices are needed, one for each side of w. Here the near one is ordinary RoPE (`rotate`), and `bias` adds, where
$\Delta \ge w$, the difference to the far one, found by turning the turned vectors on: from m to $w + (m - w) / c$ and
from n to $n / c$, with $c = \infty$ for ReRoPE. Keys after the query keep the score of RoPE: the idea is causal.

- w must lie well within the training length, a quarter to a half of it. At w = L the capped distance is one
  more than the largest that was trained, and the result breaks where all far keys are seen there.
- The idea is meant for a model trained with RoPE, without any training of its own; w at least T is plain RoPE.
- With w = L and a mask of the first and the last keys this is the "lambda" attention of LM-Infinite (Han et al. 2023,
  arXiv:2308.16137): distances capped at L, and only the sinks and the window are seen.

Reference: Su 2023, kexue.fm/archives/9708 (in Chinese), and github.com/bojone/rerope.
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


def far_bias(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    frequencies: Tensor,
    *,
    far_query: Tensor,
    far_key: Tensor,
    window: float,
    layout: Layout = "interleaved",
) -> Tensor:
    """Return how the scaled scores of RoPE change where the distance is at least `window`, (..., T_q, T), else 0.

    `q` (..., T_q, d) and `k` (..., T, d) are turned by `positions` (T,) or (B, T) already; at such distances tokens
    count as standing at `far_query` and `far_key`, shaped as `positions`, in tokens. `frequencies` (d / 2,) in radians
    per token. The dtype is that of `q`.
    """
    require(window > 0, "window", "be above 0", window)
    dtype = torch.promote_types(q.dtype, torch.float32)  # a difference of two scores: half precision is not enough
    query, key = q.to(dtype), k.to(dtype)
    n_queries = count_queries(q, k, positions)
    moved_query = rotary.rotate(query, of_queries(far_query - positions, n_queries), frequencies, layout=layout)
    moved_key = rotary.rotate(key, far_key - positions, frequencies, layout=layout)
    far = between(positions, torch.float64, n_queries=n_queries) >= window
    change = moved_query @ moved_key.mT
    change -= query @ key.mT  # in place, as all that follows: these are the largest tensors of a model
    change /= math.sqrt(q.shape[-1])
    change *= far.to(dtype)
    return change.to(q.dtype)


def bias(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    frequencies: Tensor,
    *,
    window: float,
    factor: float = math.inf,
    layout: Layout = "interleaved",
) -> Tensor:
    """Return what is added to the scores of RoPE, (..., T_q, T), from turned `q` (..., T_q, d), `k` (..., T, d).

    Distances from `window` tokens on grow `factor` times more slowly, or not at all.
    """
    require(factor >= 1, "factor", "be at least 1", factor)
    places = positions.to(torch.float64)
    far_query, far_key = window + (places - window) / factor, places / factor
    return far_bias(q, k, places, frequencies, far_query=far_query, far_key=far_key, window=window, layout=layout)


WINDOW = Parameter("window", "Window", 0.5, "Distance that is kept exact, in training lengths.", 0.1, 1.0, 0.05)
_PAPER = Paper("ReRoPE for extrapolation without limit (in Chinese)", "Su", 2023, None)


SPEC = EncodingSpec(
    key="rerope",
    title="ReRoPE",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE in which every key beyond a window seems to stand at its edge.",
    paper=_PAPER,
    make=lambda shape, params: Corrected(
        rotary.frequencies(shape.head_dim, params["base"]),
        layout=params["layout"],
        correction=partial(bias, window=tokens(params["window"], shape.train_length)),
    ),
    parameters=(sinusoidal.BASE, rotary.LAYOUT, WINDOW),
)

LEAKY = EncodingSpec(
    key="rerope_leaky",
    title="Leaky ReRoPE",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE in which distances beyond a window grow more slowly.",
    paper=_PAPER,
    make=lambda shape, params: Corrected(
        rotary.frequencies(shape.head_dim, params["base"]),
        layout=params["layout"],
        correction=partial(bias, window=tokens(params["window"], shape.train_length), factor=params["factor"]),
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        WINDOW,
        Parameter("factor", "Slowdown", 16.0, "How many tokens beyond the window count as one.", 1.0, 64.0, 0.5),
    ),
)
