r"""Sinusoids of the distance in the scores, which become four terms, all divided by $\sqrt{d}$.

$$q_m \cdot k_n + q_m \cdot W r_{m-n} + u \cdot k_n + v \cdot W r_{m-n}$$

$r_{\Delta}$ is the sinusoid of the signed distance, all sines first, then all cosines; W, u and v are learned. The
absolute query position is gone from the paper's four terms: u stands for "this content matters wherever I am", v for
"this distance matters whatever I hold". u and v belong to a head each; here they and W (the paper's $W_{k,R}$) are
shared over the layers, where the paper has a W for every layer.

Implementations compute $W r$ for all distances and move the rows into place ("relative shift"), which leaves garbage
above the diagonal and supposes positions 0, 1, 2 ... Here the sine and cosine of a difference are taken apart by their
addition theorems, $\sin((m-n)\omega) = \sin m\omega \cos n\omega - \cos m\omega \sin n\omega$, so that the term is a
product of one vector per query with one per key: exact for any positions, also unsorted and fractional ones, with no
tensor larger than (B, H, T, D) or (B, H, T, T).
Reference: Dai et al. 2019, "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context",
arXiv:1901.02860, section 3.3.
"""

import math

import torch
from torch import Tensor, nn

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import beside, count_queries, of_queries
from pe_core.parameters import Paper, require


def scores(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    *,
    weight: Tensor,
    content_bias: Tensor,
    distance_bias: Tensor,
    frequencies: Tensor,
) -> Tensor:
    """Return the three terms that hold a distance or a bias, scaled by 1 / sqrt(d), (B, H, T_q, T).

    `q` is (B, H, T_q, d), `k` (B, H, T, d), `weight` W is (H, d, 2 x pairs), `content_bias` u and `distance_bias` v are
    (H, d), `frequencies` (pairs,) in radians per token. Half precision inputs are computed in float32 and cast back.
    Raises `ValueError` where weight and frequencies do not fit.
    """
    pairs = len(frequencies)
    require(weight.shape[-1] == 2 * pairs, "weight", f"have two columns per frequency ({pairs})", weight.shape[-1])
    precise = torch.promote_types(q.dtype, torch.float32)
    asked = q.to(precise) + distance_bias.to(precise)[:, None]
    wanted = asked @ weight.to(precise)  # coefficients of r, (B, H, T, D)
    of_sines, of_cosines = wanted[..., :pairs], wanted[..., pairs:]
    of_q = of_queries(positions, count_queries(q, k, positions))
    by_query = rotary.rotate(torch.cat([of_cosines, -of_sines], -1), of_q, frequencies, layout="half")
    angle = sinusoidal.angles(positions, frequencies)
    by_key = beside(torch.cat([angle.cos(), angle.sin()], -1), k).to(precise)  # (T, D) or (B, 1, T, D)
    content = k.to(precise) @ content_bias.to(precise)[:, :, None]  # (B, H, T, 1)
    return ((by_query @ by_key.mT + content.mT) / math.sqrt(q.shape[-1])).to(q.dtype)


class TransformerXL(PositionalEncoding):
    """Add the terms of the distance in every layer; W starts as N(0, 1/D), u and v as N(0, 0.02^2).

    An odd width has one sine and cosine more than a sinusoid of that width would have room for.
    """

    def __init__(self, d_model: int, n_heads: int, *, base: float) -> None:
        super().__init__()
        # Not a buffer: `model.to(torch.bfloat16)` would round the frequencies, and with them every angle.
        self.frequencies = sinusoidal.frequencies(d_model, base)
        head_dim = d_model // n_heads
        self.weight = nn.Parameter(torch.empty(n_heads, head_dim, 2 * len(self.frequencies)))
        self.content_bias = nn.Parameter(torch.empty(n_heads, head_dim))
        self.distance_bias = nn.Parameter(torch.empty(n_heads, head_dim))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.weight, std=self.weight.shape[-1] ** -0.5, generator=generator)
        nn.init.normal_(self.content_bias, std=0.02, generator=generator)
        nn.init.normal_(self.distance_bias, std=0.02, generator=generator)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        return scores(
            q,
            k,
            positions,
            weight=self.weight,
            content_bias=self.content_bias,
            distance_bias=self.distance_bias,
            frequencies=self.frequencies,
        )


SPEC = EncodingSpec(
    key="transformer_xl",
    title="Transformer-XL",
    family="relative",
    summary="Each query is multiplied with a learned projection of the sinusoid of its distance to the key.",
    paper=Paper(
        "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context", "Dai et al.", 2019, "1901.02860"
    ),
    make=lambda shape, params: TransformerXL(shape.d_model, shape.n_heads, base=params["base"]),
    parameters=(sinusoidal.BASE,),
)
