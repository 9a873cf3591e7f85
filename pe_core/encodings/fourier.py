r"""Fourier features of NeRF: sines and cosines in octaves, $\sin(2^k \pi x), \cos(2^k \pi x)$ for $k = 0 .. K - 1$.

x is a real place, scaled to a range of about 1; here $x = m / (s L)$, a position in units of s training lengths. Each
octave is twice as fast as the one before, so a network that is blind to fine detail gets it. NeRF has K = 10 for places
and 4 for directions.

All octaves make whole turns in a range of 2, so x and x + 2 have the same features: past 2 s training lengths a text
meets codes that it has had. And the sine of an octave that makes half turns, or whole ones, per token is 0 at every
whole position.

The features go to the first 2 K channels, the rest of the width is padded with zeros, and octaves that it has no room
for are left out. Here they are added to the embedding of the token; NeRF feeds its network with nothing else.

Reference: Mildenhall et al. 2020, "NeRF: Representing Scenes as Neural Radiance Fields for View Synthesis",
arXiv:2003.08934, section 5.1; why it helps: Tancik et al. 2020, arXiv:2006.10739. Some published code has no factor of
pi, and puts x itself in front.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings import sinusoidal
from pe_core.encodings.adapters import Embedded
from pe_core.encodings.base import EncodingSpec
from pe_core.parameters import Paper, Parameter, require


def frequencies(n_octaves: int) -> Tensor:
    """Return 2^k pi in radians per unit of x, float64, slowest first, shape (n_octaves,)."""
    require(n_octaves >= 0, "n_octaves", "be at least 0", n_octaves)
    return math.pi * 2.0 ** torch.arange(n_octaves, dtype=torch.float64)


def features(x: Tensor, n_octaves: int, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return sine and cosine of each octave in turn, shape (..., 2 n_octaves), from real places `x` (...)."""
    angle = sinusoidal.angles(x, frequencies(n_octaves))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2).to(dtype)


def table(positions: Tensor, dim: int, *, n_octaves: int, span: float, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the features of position / `span`, as many octaves as fit, then zeros, (T, dim) or (B, T, dim)."""
    found = features(positions.to(torch.float64) / span, min(n_octaves, dim // 2), dtype=dtype)
    return F.pad(found, (0, dim - found.shape[-1]))


SPEC = EncodingSpec(
    key="fourier",
    title="Fourier features (NeRF)",
    family="absolute",
    summary="Sines and cosines of the position, each octave twice as fast as the one before.",
    paper=Paper(
        "NeRF: Representing Scenes as Neural Radiance Fields for View Synthesis",
        "Mildenhall et al.",
        2020,
        "2003.08934",
    ),
    make=lambda shape, params: Embedded(table, n_octaves=params["octaves"], span=params["span"] * shape.train_length),
    parameters=(
        Parameter("octaves", "Octaves", 6, "Pairs of channels; each is twice as fast as the one before.", 1, 10),
        Parameter(
            "span", "Span", 1.0, "Training lengths in which the slowest pair makes half a turn.", 0.25, 8.0, 0.05
        ),
    ),
)
