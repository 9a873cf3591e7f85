r"""The time-step embedding of diffusion models: $\sin(s t \omega_i)$ in one half, $\cos(s t \omega_i)$ in the other.

$$\omega_i = P^{-i / (h - \mathrm{shift})}, \qquad i = 0 .. h - 1, \quad h = \lfloor D / 2 \rfloor$$

The time t is a real number, the scale s stretches it; an odd width ends with a zero. Two settings are in use:

- shift 1, sines first: the default of the function in diffusers. The slowest frequency is exactly 1 / P. With s = 1 it
  is the layout `tensor2tensor` of the sinusoidal encoding.
- shift 0, cosines first ("flip"): Stable Diffusion. At an even width it has the numbers of the layout `concatenated`,
  with the halves exchanged.

Weights of one are nonsense with the other. A single pair has the frequency 1; with shift 1 the published code divides 0
by 0 there. A diffusion model tells all of its input one time, and sends the embedding through a network first. Here
each position is a time of its own, and the embedding is added to that of the token.

Reference: Ho, Jain & Abbeel 2020, "Denoising Diffusion Probabilistic Models", arXiv:2006.11239, appendix B, and the
code of diffusers, `get_timestep_embedding`.
"""

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings import sinusoidal
from pe_core.encodings.adapters import Embedded
from pe_core.encodings.base import EncodingSpec
from pe_core.parameters import Paper, Parameter, require

Order = Literal["sines first", "cosines first"]
ORDERS: tuple[Order, ...] = get_args(Order)


def frequencies(dim: int, base: float = 10_000.0, *, shift: float = 1.0) -> Tensor:
    """Return radians per unit of time of each pair, float64, fastest first, shape (floor(dim / 2),).

    `base` is P. Raises `ValueError` for a width or a base below 1, and for a shift outside of 0 to 1.
    """
    require(dim >= 1, "dim", "be at least 1", dim)
    require(base >= 1, "base", "be at least 1", base)
    require(0 <= shift <= 1, "shift", "be from 0 to 1", shift)
    pair = torch.arange(dim // 2, dtype=torch.float64)
    return float(base) ** -(pair / (len(pair) - shift or 1))


def table(
    times: Tensor,
    dim: int,
    *,
    base: float = 10_000.0,
    scale: float = 1.0,
    shift: float = 1.0,
    order: Order = "sines first",
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return the embedding of each real time, shape (..., dim), from `times` (...)."""
    require(order in ORDERS, "order", f"be one of {', '.join(ORDERS)}", order)
    angle = scale * sinusoidal.angles(times, frequencies(dim, base, shift=shift))
    halves = (angle.sin(), angle.cos()) if order == "sines first" else (angle.cos(), angle.sin())
    return F.pad(torch.cat(halves, dim=-1), (0, dim % 2)).to(dtype)


SPEC = EncodingSpec(
    key="timestep",
    title="Time step (diffusion)",
    family="absolute",
    summary="Sines of a scaled time in one half of the channels, its cosines in the other.",
    paper=Paper("Denoising Diffusion Probabilistic Models", "Ho, Jain & Abbeel", 2020, "2006.11239"),
    make=lambda shape, params: Embedded(table, **params),
    parameters=(
        sinusoidal.BASE,
        Parameter("scale", "Scale", 1.0, "What each position is multiplied with.", 0.01, 100.0),
        Parameter("shift", "Shift", 1.0, "1: the slowest frequency is 1 / base; 0: it is faster.", 0.0, 1.0, 0.05),
        Parameter("order", "Order", "sines first", "Which half of the channels comes first.", choices=ORDERS),
    ),
)
