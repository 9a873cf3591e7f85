r"""Attention with linear biases (ALiBi): subtract $a_h\,|m - n|$ from each score before the softmax.

Nothing is learned. Head h of H has the slope $a_h = 2^{-8h/H}$, $h = 1, \dots, H$, where H is a power of two.
Otherwise the official rule takes the slopes of the largest power of two below H and fills up with every other slope of
twice that power, so the list is not sorted.

The paper has texts that are read in one direction. For those read in both, the authors offer two forms: symmetric, the
distance costs the same to either side; nonsymmetric, half of the heads look back and half ahead, with the same slopes.
Reference: Press, Smith & Lewis 2021, "Train Short, Test Long", arXiv:2108.12409, section 3 and its published code;
for both directions issue 5 of that code.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from pe_core.encodings.adapters import Biased
from pe_core.encodings.base import EncodingSpec, Shape
from pe_core.encodings.batch import between
from pe_core.parameters import Paper, Parameter, require


def slopes(n_heads: int) -> Tensor:
    """Return one slope per head, float64, shape (H,)."""
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    power = 1 << (n_heads.bit_length() - 1)  # the largest power of two <= n_heads
    exponents = torch.arange(1, power + 1, dtype=torch.float64) / power
    extra = torch.arange(1, 2 * (n_heads - power) + 1, 2, dtype=torch.float64) / (2 * power)
    return 2.0 ** (-8.0 * torch.cat([exponents, extra]))


def bias(
    positions: Tensor,
    n_heads: int,
    *,
    causal: bool = True,
    n_queries: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return what is added to the scores of each head, (H, T_q, T) or (B, H, T_q, T), row = query, column = key.

    Causal: -slope * (m - n) and -inf for keys after the query. Symmetric (`causal=False`): -slope * |m - n|.
    `positions` (T,) or (B, T) are those of the keys; the queries are the last `n_queries` of them, all for None.
    """
    distance = between(positions, dtype, n_queries=n_queries)
    cost = distance.masked_fill(distance < 0, torch.inf) if causal else distance.abs()
    return (-slopes(n_heads).to(distance.device, distance.dtype)[:, None, None] * cost).to(dtype)


def nonsymmetric_bias(
    positions: Tensor, n_heads: int, *, n_queries: int | None = None, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return the bias of heads that look back, then of as many that look ahead, shaped and called as `bias` is.

    Both halves have the slopes of H / 2 heads and -inf for the keys they do not look at; the query itself is seen by
    all. Raises `ValueError` for an odd number of heads.
    """
    _check_halves(n_heads)
    directions = (positions, -positions)
    return torch.cat([bias(along, n_heads // 2, n_queries=n_queries, dtype=dtype) for along in directions], dim=-3)


def _check_halves(n_heads: int) -> None:
    require(n_heads >= 2 and n_heads % 2 == 0, "n_heads", "be even, half to look back and half ahead", n_heads)


def _make(shape: Shape, params: Mapping[str, Any]) -> Biased:
    if params["direction"] == "nonsymmetric":
        _check_halves(shape.n_heads)
        return Biased(nonsymmetric_bias, n_heads=shape.n_heads)
    return Biased(bias, n_heads=shape.n_heads, causal=params["direction"] == "causal")


SPEC = EncodingSpec(
    key="alibi",
    title="ALiBi",
    family="bias",
    summary="Each score is lowered in proportion to the distance, with a fixed slope for each head.",
    paper=Paper(
        "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
        "Press, Smith & Lewis",
        2021,
        "2108.12409",
    ),
    make=_make,
    parameters=(
        Parameter(
            "direction",
            "Direction",
            "causal",
            "Which keys a query sees; nonsymmetric heads look to one side each.",
            choices=("causal", "symmetric", "nonsymmetric"),
        ),
    ),
)
