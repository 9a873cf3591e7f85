r"""Attention with linear biases (ALiBi): subtract $a_h\,|m - n|$ from each score before the softmax.

Nothing is learned. Head h of H has the slope $a_h = 2^{-8h/H}$, h = 1 .. H, where H is a power of two. Otherwise the
official rule takes the slopes of the largest power of two below H and fills up with every other slope of twice that
power, so the list is not sorted.
Reference: Press, Smith & Lewis 2022, "Train Short, Test Long", arXiv:2108.12409, section 3 and its published code.
"""

import torch
from torch import Tensor

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.parameters import Parameter, require
from pe_core.registry import Paper


def slopes(n_heads: int) -> Tensor:
    """Return one slope per head, float64, shape (H,)."""
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    power = 1 << (n_heads.bit_length() - 1)  # the largest power of two <= n_heads
    exponents = torch.arange(1, power + 1, dtype=torch.float64) / power
    extra = torch.arange(1, 2 * (n_heads - power) + 1, 2, dtype=torch.float64) / (2 * power)
    return 2.0 ** (-8.0 * torch.cat([exponents, extra]))


def bias(positions: Tensor, n_heads: int, *, causal: bool = True, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return what is added to the scores of each head, shape (H, T, T), row = query, column = key.

    Causal: -slope * (m - n) and -inf for keys after the query. Symmetric (`causal=False`): -slope * |m - n|.
    """
    precise = torch.promote_types(dtype, torch.float32)  # bfloat16 cannot tell 256 from 257
    distance = (positions[:, None] - positions[None, :]).to(precise)  # query minus key
    cost = distance.masked_fill(distance < 0, torch.inf) if causal else distance.abs()
    return (-slopes(n_heads).to(positions.device, precise)[:, None, None] * cost).to(dtype)


class Alibi(PositionalEncoding):
    """Add the bias of every head to its scores, in every layer."""

    def __init__(self, n_heads: int, *, causal: bool) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.causal = causal

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        return bias(positions, self.n_heads, causal=self.causal, dtype=q.dtype)


SPEC = EncodingSpec(
    key="alibi",
    title="ALiBi",
    family="bias",
    hooks=("bias",),
    summary="Each score is lowered in proportion to the distance, with a slope of its own for every head.",
    paper=Paper(
        "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
        "Press, Smith & Lewis",
        2022,
        "2108.12409",
    ),
    make=lambda shape, params: Alibi(shape.n_heads, causal=params["direction"] == "causal"),
    parameters=(
        Parameter("direction", "Direction", "causal", "Which keys a query sees.", choices=("causal", "symmetric")),
    ),
)
