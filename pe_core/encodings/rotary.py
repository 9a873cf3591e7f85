r"""Rotary position embedding (RoPE): turn each pair of channels of q and k at position m by the angle $m\,\omega_i$.

A score then depends on the distance only: $(R_m q) \cdot (R_n k) = q \cdot R_{n-m} k$. Which channels form a pair is a
convention:

- `interleaved`: pair i is channels (2i, 2i + 1), as in the paper, Llama's own code and torchtune.
- `half`: pair i is channels (i, i + d/2), as in GPT-NeoX and Hugging Face.

The two differ by a fixed permutation of the channels of q and k; weights trained with one are nonsense with the other.
Reference: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", arXiv:2104.09864,
equations 14-16 and 34.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding, Shape
from pe_core.encodings.batch import beside, check_texts, count_queries, of_queries
from pe_core.parameters import Paper, Parameter, require

Layout = Literal["interleaved", "half"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)


def frequencies(head_dim: int, base: float = 10_000.0) -> Tensor:
    """Return the angle per position of each pair in radians, base^(-2i/d), float64, shape (head_dim / 2,)."""
    require(head_dim >= 2 and head_dim % 2 == 0, "head_dim", "be even and at least 2", head_dim)
    return sinusoidal.frequencies(head_dim, base)


def rotate(x: Tensor, positions: Tensor, frequencies: Tensor, *, layout: Layout = "interleaved") -> Tensor:
    """Return `x` (..., T, d) with each pair turned by position times frequency, same shape and dtype.

    `positions` (T,) in tokens, or (B, T) for `x` (B, ..., T, d), `frequencies` (d / 2,) in radians per token. The
    angles are computed in float64; half precision inputs are turned in float32 and cast back.
    """
    require(
        x.shape[-1] == 2 * len(frequencies),
        "x",
        f"have twice as many channels as frequencies ({len(frequencies)})",
        x.shape[-1],
    )
    check_texts(positions, x)
    n_positions = positions.shape[-1]
    require(x.shape[-2] == n_positions, "x", f"have as many rows as there are positions ({n_positions})", x.shape[-2])
    return turn(x, beside(sinusoidal.angles(positions, frequencies), x), layout=layout)


def turn(x: Tensor, angle: Tensor, *, layout: Layout = "interleaved") -> Tensor:
    """Return `x` (..., T, d) with each pair turned by its `angle` in radians, float64; same shape and dtype.

    `angle` is (T, d / 2), or (B, 1, T, d / 2) where texts differ. Half precision inputs are turned in float32 and cast
    back.
    """
    require(layout in LAYOUTS, "layout", f"be one of {', '.join(LAYOUTS)}", layout)
    n_pairs = angle.shape[-1]
    precise = x if x.dtype == torch.float64 else x.float()
    if layout == "interleaved":
        turns = torch.polar(torch.ones_like(angle), angle).to(precise.dtype.to_complex())
        pairs = torch.view_as_complex(precise.contiguous().unflatten(-1, (n_pairs, 2)))  # type: ignore[no-untyped-call]
        turned = torch.view_as_real(pairs * turns).flatten(-2)
    else:
        cosine, sine = angle.cos().to(precise.dtype), angle.sin().to(precise.dtype)
        partner = precise.roll(n_pairs, dims=-1)  # the other channel of the pair
        turned = torch.addcmul(precise * torch.cat([cosine, cosine], -1), partner, torch.cat([-sine, sine], -1))
    return turned.to(x.dtype)


def rotate_both(
    q: Tensor, k: Tensor, positions: Tensor, frequencies: Tensor, *, layout: Layout = "interleaved"
) -> tuple[Tensor, Tensor]:
    """Return queries (..., T_q, d), the last of the tokens, and keys (..., T, d), both turned as `rotate` does."""
    turned_q = rotate(q, of_queries(positions, count_queries(q, k, positions)), frequencies, layout=layout)
    return turned_q, rotate(k, positions, frequencies, layout=layout)


class Rotary(PositionalEncoding):
    """Turn queries and keys of every layer by the same angles; nothing is learned."""

    def __init__(self, frequencies: Tensor, *, layout: Layout) -> None:
        super().__init__()
        # Not a buffer: `model.to(torch.bfloat16)` would round the frequencies, and with them every angle.
        self.frequencies = frequencies
        self.layout = layout

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        return rotate_both(q, k, positions, self.frequencies, layout=self.layout)


def rope(shape: Shape, params: Mapping[str, Any], base: str = "base") -> Rotary:
    """Return RoPE for heads of this shape; `params` have the layout and, under the name `base`, the base."""
    return Rotary(frequencies(shape.head_dim, params[base]), layout=params["layout"])


LAYOUT = Parameter("layout", "Pairs", "interleaved", "Which channels are turned together.", choices=LAYOUTS)

SPEC = EncodingSpec(
    key="rope",
    title="RoPE",
    family="rotary",
    summary="Queries and keys are turned, pair by pair, so that their score depends on the distance.",
    paper=Paper("RoFormer: Enhanced Transformer with Rotary Position Embedding", "Su et al.", 2021, "2104.09864"),
    make=rope,
    parameters=(sinusoidal.BASE, LAYOUT),
)
