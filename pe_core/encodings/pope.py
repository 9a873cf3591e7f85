r"""Polar position embedding (PoPE): a channel says how strongly, the position at which angle.

Channel c of query and key becomes a magnitude $\mu = \mathrm{softplus}(\cdot) \ge 0$ whose angle is that of the
position alone, so that content cannot turn it:

$$ S_{mn} = \frac{1}{\sqrt d} \sum_{c=0}^{d-1} \mu(q_{mc})\,\mu(k_{nc}) \cos\bigl((m - n)\,\omega_c - \delta_c\bigr),
\qquad \omega_c = b^{-c/d}. $$

In RoPE two channels share an angle, and their content adds an angle of its own to that of the distance. Here each of
the d channels has its own frequency, twice as many as in RoPE.

- $\delta_c$ is learned for each head and channel, held between $-2\pi$ and 0: where the score of that channel has its
  crest. Without it a score would be the same for $m - n$ and $n - m$. It starts near 0, from which texts longer than
  those of training are read better. All layers share it here.
- A magnitude with an angle is two numbers, so queries and keys come out 2d wide: all first coordinates, then all second
  ones. A model that scales by their width would divide by $\sqrt{2d}$; queries are multiplied by $\sqrt 2$, so that
  scores keep the scale of d channels. x-transformers leaves that factor out.

Reference: Gopalakrishnan et al. 2025, "Decoupling the 'What' and 'Where' With Polar Coordinate Positional Embeddings",
arXiv:2509.10534; start and bounds of the learned angles as in x-transformers.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries, of_queries
from pe_core.parameters import Paper

INITIAL_SPREAD = 0.02  # radians


def frequencies(head_dim: int, base: float = 10_000.0) -> Tensor:
    """Return the angle per position of each channel in radians, base^(-c/d), float64, shape (head_dim,)."""
    return rotary.frequencies(2 * head_dim, base)


def polar(x: Tensor, positions: Tensor, frequencies: Tensor, phases: Tensor | None = None) -> Tensor:
    """Return softplus of `x` (..., H, T, d) at the angle of its position, both coordinates, shape (..., H, T, 2d).

    `positions` (T,) or (B, T) in tokens, `frequencies` (d,) in radians per token, `phases` (H, d) radians that are
    added. The dtype is that of `x`; half precision is rounded once, at the end.
    """
    magnitude = softplus(x.to(torch.promote_types(x.dtype, torch.float32)))
    if phases is None:
        pairs = torch.cat([magnitude, torch.zeros_like(magnitude)], dim=-1)
    else:
        angle = phases.to(magnitude.dtype)[:, None]
        pairs = torch.cat([magnitude * angle.cos(), magnitude * angle.sin()], dim=-1)
    return rotary.rotate(pairs, positions, frequencies, layout="half").to(x.dtype)


class Polar(PositionalEncoding):
    """Give softplus of each channel the angle of its position; the phases (H, d) of the keys are learned.

    Phases are drawn evenly from -0.02 to 0 and used between -2 pi and 0. Queries and keys come out twice as wide.
    """

    def __init__(self, n_heads: int, frequencies: Tensor) -> None:
        super().__init__()
        self.frequencies = frequencies  # not a buffer: a cast of the model would round it
        self.phases = nn.Parameter(torch.empty(n_heads, len(frequencies)))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.uniform_(self.phases, -INITIAL_SPREAD, 0, generator=generator)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        bounded = self.phases.clamp(-2 * math.pi, 0)
        of_q = of_queries(positions, count_queries(q, k, positions))
        turned_q = math.sqrt(2) * polar(q, of_q, self.frequencies)
        return turned_q, polar(k, positions, self.frequencies, bounded)


SPEC = EncodingSpec(
    key="pope",
    title="PoPE",
    family="rotary",
    summary="Content sets how strong each channel is; position and a learned phase, not content, set its angle.",
    paper=Paper(
        "Decoupling the 'What' and 'Where' With Polar Coordinate Positional Embeddings",
        "Gopalakrishnan et al.",
        2025,
        "2509.10534",
    ),
    make=lambda shape, params: Polar(shape.n_heads, frequencies(shape.head_dim, params["base"])),
    parameters=(sinusoidal.BASE,),
)
