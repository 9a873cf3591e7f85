r"""RoPE of two dimensions: pair i at row y and column x is turned by the angle $y\,\omega^y_i + x\,\omega^x_i$.

A score then depends on the difference of rows and the difference of columns only. Two ways to choose the frequencies of
a head of d channels, both from the ladder $\omega_j = b^{-4j/d}$, $j = 0 .. d/4 - 1$:

- Axial: half of the pairs is turned by the row, the other half by the column. No pair sees both, so what depends on a
  diagonal direction has to be put together from several pairs. Published code differs in which comes first: rows in
  EVA-02, Qwen2-VL and SAM 2, columns in that of Heo et al. The weights of one are nonsense with the other.
- Mixed: both frequencies of every pair are learned, for every head. They start as the axial ones turned by an angle
  $\varphi_h$ that is drawn for each head: the two halves then look along perpendicular directions, $\varphi_h = 0$ is
  axial, rows first. In the paper every layer has frequencies of its own; here all layers share those of one table. Its
  code has rows and columns the other way round, which is the same family: $\pi/2 - \varphi_h$ in place of $\varphi_h$,
  with half of the pairs turned backwards.

Pairs are interleaved. On an image of 14 x 14 the paper takes b = 100 for axial and b = 10 for mixed, since a coordinate
is much smaller than a position in a text; with b = 10,000 half of the pairs would hardly turn. Vision models differ in
what they do with coordinates: counts of patches (here), or places from -1 to 1 times frequencies of pixels.
Reference: Heo et al. 2024, "Rotary Position Embedding for Vision Transformer", arXiv:2403.13298, section 3 and its
published code; axial: Su 2021, kexue.fm/archives/8397; Fang et al. 2023 (EVA-02), arXiv:2303.11331.
"""

from dataclasses import replace
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.adapters import Turned
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries, of_queries
from pe_core.encodings.grid import GRID_WIDTH, coordinates
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Paper, Parameter, require

Order = Literal["rows first", "columns first"]
ORDERS: tuple[Order, ...] = get_args(Order)


def ladder(head_dim: int, base: float) -> Tensor:
    """Return the d / 4 frequencies of one axis in radians per row or column, base^(-4j/d), float64, fastest first."""
    require(head_dim >= 4 and head_dim % 4 == 0, "head_dim", "be divisible by 4, pairs for two axes", head_dim)
    return rotary.frequencies(head_dim // 2, base)


def axial_frequencies(head_dim: int, base: float = 100.0, *, order: Order = "rows first") -> Tensor:
    """Return radians per row, then per column, of each pair, float64, shape (2, d / 2): one of the two is 0.

    `order` says which axis turns the first half of the pairs.
    """
    require(order in ORDERS, "order", f"be one of {', '.join(ORDERS)}", order)
    steps = ladder(head_dim, base)
    found: Tensor = torch.block_diag(steps[None], steps[None])  # type: ignore[no-untyped-call]
    return found if order == "rows first" else found.flip(0)


def mixed_frequencies(directions: Tensor, head_dim: int, base: float = 10.0) -> Tensor:
    """Return the axial frequencies turned by each of `directions` (H,) in radians, float64, shape (2, H, d / 2)."""
    steps, cosine, sine = ladder(head_dim, base), directions.double().cos()[:, None], directions.double().sin()[:, None]
    per_row = torch.cat([steps * cosine, -steps * sine], dim=-1)
    per_column = torch.cat([steps * sine, steps * cosine], dim=-1)
    return torch.stack([per_row, per_column])


def rotate(x: Tensor, coordinates: Tensor, frequencies: Tensor, *, layout: Layout = "interleaved") -> Tensor:
    """Return `x` (..., T, d) with each pair turned by the sum over axes of coordinate times frequency, same dtype.

    `coordinates` (T, A), or (B, T, A), of any number of axes, `frequencies` (A, d / 2) in radians per step along each.
    `ValueError` where they do not have the same axes.
    """
    n_axes = len(frequencies)
    require(
        coordinates.shape[-1] == n_axes,
        "coordinates",
        f"have as many axes as frequencies ({n_axes})",
        coordinates.shape[-1],
    )
    turned = x if x.dtype == torch.float64 else x.float()  # half precision is rounded once, not after every axis
    for along, steps in zip(coordinates.unbind(-1), frequencies, strict=True):
        turned = rotary.rotate(turned, along, steps, layout=layout)
    return turned.to(x.dtype)


def rotate_heads(x: Tensor, coordinates: Tensor, frequencies: Tensor) -> Tensor:
    """Return `x` (..., H, T, d) with each head turned by its own `frequencies` (A, H, d / 2), pairs interleaved."""
    side_by_side = x.transpose(-3, -2).flatten(-2)  # (..., T, H * d): interleaved pairs stay neighbours
    turned = rotate(side_by_side, coordinates, frequencies.flatten(-2))
    return turned.reshape(x.transpose(-3, -2).shape).transpose(-3, -2)


def _turned_in_grid(x: Tensor, positions: Tensor, *, frequencies: Tensor, grid_width: int) -> Tensor:
    return rotate(x, coordinates(positions, grid_width), frequencies)


class MixedRotary(PositionalEncoding):
    """Turn every pair by row and column, with frequencies (2, H, d / 2) that are learned for every head."""

    def __init__(self, n_heads: int, head_dim: int, *, grid_width: int, base: float) -> None:
        super().__init__()
        self.head_dim = head_dim
        self.grid_width = grid_width
        self.base = base
        self.frequencies = nn.Parameter(torch.empty(2, n_heads, 2 * len(ladder(head_dim, base))))

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator) -> None:
        directions = 2 * torch.pi * torch.rand(self.frequencies.shape[1], generator=generator)
        self.frequencies.copy_(mixed_frequencies(directions, self.head_dim, self.base))

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        of_q = coordinates(of_queries(positions, count_queries(q, k, positions)), self.grid_width)
        of_k = coordinates(positions, self.grid_width)
        return rotate_heads(q, of_q, self.frequencies), rotate_heads(k, of_k, self.frequencies)


PAPER = Paper("Rotary Position Embedding for Vision Transformer", "Heo et al.", 2024, "2403.13298")

ORDER = Parameter(
    "order",
    "Order of axes",
    "rows first",
    "Which axis turns the first half of the pairs: rows in EVA-02 and Qwen2-VL, columns in Heo et al.",
    choices=ORDERS,
)

AXIAL = EncodingSpec(
    key="rope_axial",
    title="Axial RoPE",
    family="rotary",
    summary="The text is read as an image; half of the pairs is turned by the row, half by the column.",
    paper=PAPER,
    make=lambda shape, params: Turned(
        _turned_in_grid,
        frequencies=axial_frequencies(shape.head_dim, params["base"], order=params["order"]),
        grid_width=params["grid_width"],
    ),
    parameters=(replace(sinusoidal.BASE, default=100.0), GRID_WIDTH, ORDER),
)

MIXED = EncodingSpec(
    key="rope_mixed",
    title="Mixed RoPE",
    family="rotary",
    summary="Every pair is turned by row and column at once, along directions that each head learns.",
    paper=PAPER,
    make=lambda shape, params: MixedRotary(
        shape.n_heads, shape.head_dim, grid_width=params["grid_width"], base=params["base"]
    ),
    parameters=(replace(sinusoidal.BASE, default=10.0), GRID_WIDTH),
)
