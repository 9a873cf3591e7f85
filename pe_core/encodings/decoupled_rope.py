r"""Decoupled RoPE, of DeepSeek's multi-head latent attention (MLA): content and position in channels of their own.

Beside content $q^C_m, k^C_n$ of width $D_C$, which is not turned, each layer's input $x$ is projected to
$q^R_m = W^{QR} x_m$, one per head, and $k^R_n = W^{KR} x_n$, one for all heads, both of width $D_R$. These are turned:
$$ S_{mn} = \sigma \, (q^C_m \cdot k^C_n + (R_m q^R_m) \cdot (R_n k^R_n)), \qquad \sigma = (D_C + D_R)^{-1/2}. $$
As q and k are put together from both parts, the scale $1 / \sqrt{\text{width of q}}$ of the model is $\sigma$.

Why: MLA keeps a short vector per token in its cache and computes keys from it. A turn between the two would have to be
undone for every query, so position gets a small key beside it, and as heads share it the cache grows by $D_R$ numbers.
Published: $D_C = 128$, $D_R = 64$, base $10^4$, interleaved pairs.

With YaRN of factor s there are two corrections, with $M(s, a) = 0.1\,a \ln s + 1$ (`rope_scaling.yarn`):

- sines and cosines are multiplied by $M(s, \text{mscale}) / M(s, \text{mscale\_all\_dim})$, which is in the turned part
  twice (`attention_factor`); 1 in DeepSeek-V2 and V3, where both are equal;
- $\sigma$ is multiplied by $M(s, \text{mscale\_all\_dim})^2$, for both parts (`softmax_scale`): a `Temperature`.

Not modelled: the low rank of q, k and v, and with it the cache; content comes from the model's own projections. One
pair of projections serves all layers here, in the original each has its own. Until `reading` has given an encoding the
input of a layer there is no turned part.
Reference: DeepSeek-AI 2024, "DeepSeek-V2", arXiv:2405.04434, section 2.1.3; the code of `transformers` 5.23.0,
`models/deepseek_v3`, which takes an mscale_all_dim of 0 for absent.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.adapters import TurnedTogether
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries, rows_of_queries
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Paper, Parameter, require


def turned_width(head_dim: int, share: float) -> int:
    """Return the channels of the turned part, even and at least 2, nearest to a share of the width of a head."""
    require(share > 0, "share", "be above 0", share)
    return 2 * max(1, round(share * head_dim / 2))


class DecoupledRotary(PositionalEncoding):
    """Put a turned part beside queries and keys, which stay as they are; its two projections are learned.

    They start like the model's own, from N(0, 1 / D). Until `reading` nothing is put beside.
    """

    def __init__(self, frequencies: Tensor, *, d_model: int, n_heads: int, layout: Layout) -> None:
        super().__init__()
        self.frequencies = frequencies  # not a buffer: a cast of the model would round it
        self.n_heads = n_heads
        self.layout = layout
        self.to_q = nn.Parameter(torch.empty(n_heads * 2 * len(frequencies), d_model))
        self.to_k = nn.Parameter(torch.empty(2 * len(frequencies), d_model))

    def reset_parameters(self, generator: torch.Generator) -> None:
        for weight in (self.to_q, self.to_k):
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5, generator=generator)

    def reading(self, x: Tensor) -> TurnedTogether:
        def put_beside(q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
            n_queries = count_queries(q, k, positions)
            turned_q, turned_k = self.turned(x, positions)
            turned_q, turned_k = rows_of_queries(turned_q, n_queries), turned_k.expand(-1, q.shape[1], -1, -1)
            return torch.cat([q, turned_q], -1), torch.cat([k, turned_k], -1)

        return TurnedTogether(put_beside)

    def turned(self, x: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return the turned part of queries (B, H, T, D_R) and that of keys (B, 1, T, D_R), from `x` (B, T, D)."""
        q = F.linear(x, self.to_q.to(x.dtype)).view(*x.shape[:2], self.n_heads, -1).transpose(1, 2)
        k = F.linear(x, self.to_k.to(x.dtype))[:, None]
        return rotary.rotate_both(q, k, positions, self.frequencies, layout=self.layout)


SPEC = EncodingSpec(
    key="rope_decoupled",
    title="Decoupled RoPE (MLA)",
    family="rotary",
    summary="Queries and keys stay as they are and get a part beside them that is turned; all heads share its keys.",
    paper=Paper(
        "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model",
        "DeepSeek-AI",
        2024,
        "2405.04434",
    ),
    make=lambda shape, params: DecoupledRotary(
        rotary.frequencies(turned_width(shape.head_dim, params["share"]), params["base"]),
        d_model=shape.d_model,
        n_heads=shape.n_heads,
        layout=params["layout"],
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("share", "Turned part", 0.5, "Channels of the turned part, in widths of a head.", 0.25, 2.0, 0.25),
    ),
)
