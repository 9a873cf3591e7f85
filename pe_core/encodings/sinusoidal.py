r"""Sinusoidal encoding: $PE(m, 2i) = \sin(m\,\omega_i)$, $PE(m, 2i+1) = \cos(m\,\omega_i)$, $\omega_i = b^{-2i/D}$.

Three variants are in use:

- `paper`: the formula above, sine and cosine interleaved. An odd width ends with a sine.
- `concatenated`: the same numbers, all sines first, then all cosines (Hugging Face, Transformer-XL).
- `tensor2tensor`: also concatenated, but $\omega_i = b^{-i/(n-1)}$ for $n = \lfloor D/2 \rfloor$ pairs, so that the
  slowest is exactly $1/b$; an odd width ends with a zero.

Every pair is the hand of a clock, so a shift by k positions turns each pair by $k\,\omega_i$ wherever it stands.
Reference: Vaswani et al. 2017, "Attention Is All You Need", arXiv:1706.03762, section 3.5.
"""

import math
from typing import Literal, get_args

import torch
from torch import Tensor

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import add
from pe_core.parameters import Paper, Parameter, require

Variant = Literal["paper", "concatenated", "tensor2tensor"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def frequencies(dim: int, base: float = 10_000.0, *, variant: Variant = "paper") -> Tensor:
    """Return the angle per position of each pair in radians, float64, fastest first, shape (ceil(dim / 2),).

    In the variant `tensor2tensor` the shape is (floor(dim / 2),), since its odd channel is a zero.
    """
    require(dim >= 1, "dim", "be at least 1", dim)
    require(base >= 1, "base", "be at least 1", base)
    require(variant in VARIANTS, "variant", f"be one of {', '.join(VARIANTS)}", variant)
    if variant == "tensor2tensor":
        n_pairs = dim // 2
        exponent = torch.arange(n_pairs, dtype=torch.float64) / max(n_pairs - 1, 1)
    else:
        exponent = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    return float(base) ** -exponent


def wavelengths(frequencies: Tensor) -> Tensor:
    """Return how many positions each pair needs for a full turn, 2 pi / frequency, shape as given."""
    return 2 * torch.pi / frequencies


def angles(positions: Tensor, frequencies: Tensor) -> Tensor:
    """Return position times frequency in radians, float64, (T, pairs) of `positions` (T,), (B, T, pairs) of (B, T)."""
    return positions.to(torch.float64)[..., None] * frequencies.to(positions.device, torch.float64)


def table(
    positions: Tensor,
    dim: int,
    *,
    base: float = 10_000.0,
    variant: Variant = "paper",
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return the encoding of each position, shape (T, dim), or (B, T, dim) of `positions` (B, T)."""
    angle = angles(positions, frequencies(dim, base, variant=variant))
    sines, cosines = angle.sin(), angle.cos()
    encoding = sines.new_zeros(*positions.shape, dim)
    if variant == "paper":
        encoding[..., 0::2], encoding[..., 1::2] = sines, cosines[..., : dim // 2]
    else:
        n_sines = sines.shape[-1]
        encoding[..., :n_sines], encoding[..., n_sines : n_sines + dim // 2] = sines, cosines[..., : dim // 2]
    return encoding.to(dtype)


def shift_matrix(offset: float, dim: int, *, base: float = 10_000.0) -> Tensor:
    r"""Return the block-diagonal rotation M with $PE(p + k) = M\,PE(p)$ for every p, float64, shape (dim, dim).

    For the layout of the paper and an even width (an odd one has a sine without its cosine). Source: section 3.5 of the
    paper states that the matrix exists; it follows from the addition theorems of sine and cosine.
    """
    require(dim % 2 == 0, "dim", "be even, so that every sine has its cosine", dim)
    angle = offset * frequencies(dim, base)
    cosine, sine = angle.cos(), angle.sin()
    blocks = torch.stack([torch.stack([cosine, sine], -1), torch.stack([-sine, cosine], -1)], -2)  # (pairs, 2, 2)
    matrix: Tensor = torch.block_diag(*blocks)  # type: ignore[no-untyped-call]
    return matrix


class Sinusoidal(PositionalEncoding):
    """Add the table of sines and cosines (T, D) to sqrt(D) times the token embeddings; nothing is learned.

    The factor stands in section 3.4 of the paper: small initial embeddings would drown in sines of amplitude 1.
    """

    def __init__(self, *, base: float, variant: Variant) -> None:
        super().__init__()
        self.base = base
        self.variant = variant

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        width = x.shape[-1]
        encoding = table(positions, width, base=self.base, variant=self.variant, dtype=x.dtype)
        return add(math.sqrt(width) * x, encoding)


BASE = Parameter("base", "Base", 10_000.0, "Ratio of the slowest to the fastest wavelength, nearly.", 1, 1e9)

SPEC = EncodingSpec(
    key="sinusoidal",
    title="Sinusoidal",
    family="absolute",
    summary="Sines and cosines of falling frequency, added once at the input.",
    paper=Paper("Attention Is All You Need", "Vaswani et al.", 2017, "1706.03762"),
    make=lambda shape, params: Sinusoidal(base=params["base"], variant=params["variant"]),
    parameters=(
        BASE,
        Parameter("variant", "Layout", "paper", "Order of the channels and ladder of frequencies.", choices=VARIANTS),
    ),
)
