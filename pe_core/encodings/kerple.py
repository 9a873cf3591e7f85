r"""KERPLE: a bias from a kernel of the distance, with two learned positive numbers per head.

- Logarithmic: $B_{mn} = -r_1 \ln(1 + r_2 |m - n|)$.
- Power: $B_{mn} = -r_1 |m - n|^{r_2}$ with $0 < r_2 \le 2$; $r_2 = 1$ is ALiBi with learned slopes.

The published code keeps the numbers positive by clamping them in place in every pass, a step that the optimizer
does not know of. Here they are softplus of what is learned, and the exponent is twice a sigmoid. $|m - n|^{r_2}$ with
$r_2 < 1$ has an infinite slope at distance 0, which must not reach positions that are themselves computed. In float16 a
power near 2 overflows to $-\infty$ after some hundred tokens, which takes a weight away that would be 0 anyway.
The name also stands for kernelised attention of other authors (Luo et al. 2021), which is something else.
Reference: Chi et al. 2022, "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
arXiv:2205.09921, and its published code.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import DIRECTION, between, count_queries, hide_future
from pe_core.parameters import Paper


def log_bias(distance: Tensor, r1: Tensor, r2: Tensor) -> Tensor:
    """Return -r1 ln(1 + r2 |distance|), (H, T_q, T), from `distance` (T_q, T) in tokens, `r1` and `r2` (H,) above 0."""
    return -r1[:, None, None] * torch.log1p(r2[:, None, None] * distance.abs())


def power_bias(distance: Tensor, r1: Tensor, r2: Tensor) -> Tensor:
    """Return -r1 |distance|^r2, (H, T_q, T), from `distance` (T_q, T), `r1` and `r2` (H,) above 0, r2 <= 2."""
    away = distance.abs()
    same = away == 0
    powers = away.masked_fill(same, 1) ** r2[:, None, None]  # 0 ** r2 would have an infinite gradient for r2 < 1
    return -r1[:, None, None] * powers.masked_fill(same, 0)


@dataclass(frozen=True)
class Kernel:
    """A kernel, the way from a learned number to its r2 and back, and the ranges that r1 and r2 are drawn from."""

    bias: Callable[[Tensor, Tensor, Tensor], Tensor]
    to_r2: Callable[[Tensor], Tensor]
    from_r2: Callable[[Tensor], Tensor]
    r1: tuple[float, float]
    r2: tuple[float, float]


def _inverse_softplus(value: Tensor) -> Tensor:
    return torch.log(torch.expm1(value))


# The ranges of the published code, less their ends, where the learned number would be infinite.
LOG = Kernel(log_bias, F.softplus, _inverse_softplus, r1=(0.01, 2.0), r2=(0.01, 1.0))
POWER = Kernel(
    power_bias,
    to_r2=lambda learned: 2 * torch.sigmoid(learned),
    from_r2=lambda r2: torch.logit(r2 / 2),
    r1=(0.01, 1.0),
    r2=(0.01, 1.99),
)


class Kerple(PositionalEncoding):
    """Add the kernel of the distance in every layer; r1 and r2 of each head start uniformly distributed."""

    def __init__(self, n_heads: int, *, kernel: Kernel, causal: bool) -> None:
        super().__init__()
        self.kernel = kernel
        self.causal = causal
        self.learned_r1 = nn.Parameter(torch.empty(n_heads))
        self.learned_r2 = nn.Parameter(torch.empty(n_heads))

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator) -> None:
        self.learned_r1.copy_(_inverse_softplus(self.learned_r1.uniform_(*self.kernel.r1, generator=generator)))
        self.learned_r2.copy_(self.kernel.from_r2(self.learned_r2.uniform_(*self.kernel.r2, generator=generator)))

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        distance = between(positions, q.dtype, n_queries=count_queries(q, k, positions))
        r1 = F.softplus(self.learned_r1.to(distance.dtype))
        r2 = self.kernel.to_r2(self.learned_r2.to(distance.dtype))
        added = self.kernel.bias(distance, r1, r2).to(q.dtype)
        return hide_future(added, positions) if self.causal else added


PAPER = Paper(
    "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation", "Chi et al.", 2022, "2205.09921"
)

LOGARITHMIC = EncodingSpec(
    key="kerple_log",
    title="KERPLE, logarithmic",
    family="bias",
    summary="Each score is lowered by the logarithm of the distance, with learned strength and scale per head.",
    paper=PAPER,
    make=lambda shape, params: Kerple(shape.n_heads, kernel=LOG, causal=params["direction"] == "causal"),
    parameters=(DIRECTION,),
)

POWER_LAW = EncodingSpec(
    key="kerple_power",
    title="KERPLE, power",
    family="bias",
    summary="Each score is lowered by a power of the distance, with learned strength and exponent per head.",
    paper=PAPER,
    make=lambda shape, params: Kerple(shape.n_heads, kernel=POWER, causal=params["direction"] == "causal"),
    parameters=(DIRECTION,),
)
