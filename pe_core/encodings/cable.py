r"""CABLE (context-aware biases): each token decides from its own embedding how far the keys before it move away.

$$ B_{mn} = -\sum_{t=n+1}^{m} \mathrm{softplus}(u_h \cdot x_t + c_h) $$

for n up to m, and $-\infty$ after the query, with $x_t$ the input of the layer. Steps that never change give ALiBi;
$u = c = 0$ gives the slope $\ln 2$.

- $-\mathrm{softplus}(f) = \ln \sigma(-f)$: it is the bias of forget gates (`forgetting`) with the sign of f turned.
  What differs is what is read: those gates read the key here, CABLE the whole input of the layer.
- The activation is that of the published code; what the last version of the paper takes was not found. That code
  leaves out the $1/\sqrt d$ of the scores, which stays here. All layers share u and c.
- Where no input is known, each token counts as one whose embedding is 0.
- It counts along the text and reads no `positions`; it is causal only.

Reference: Veisi et al. 2025, "Context-aware Biases for Length Extrapolation", arXiv:2503.08067, and its published code.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from pe_core.encodings import forgetting
from pe_core.encodings.adapters import Biased
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.parameters import Paper, Parameter

INITIAL_SPREAD = 0.02


def steps(x: Tensor, weight: Tensor, offset: Tensor) -> Tensor:
    """Return how far each token moves the keys before it away, at least 0, shape (B, H, T), in float32 at least.

    `x` (B, T, D) is the input of the layer, `weight` (H, D) and `offset` (H,) are those of each head.
    """
    dtype = torch.promote_types(x.dtype, torch.float32)
    return softplus(x.to(dtype) @ weight.to(dtype).T + offset.to(dtype)).mT


class Cable(PositionalEncoding):
    """Lower the scores of every layer by steps that its input decides, with one learned map per head.

    Weights are drawn from N(0, 0.02^2), offsets from N(start, 0.02^2).
    """

    def __init__(self, n_heads: int, d_model: int, *, start: float) -> None:
        super().__init__()
        self.start = start
        self.weight = nn.Parameter(torch.empty(n_heads, d_model))
        self.offset = nn.Parameter(torch.empty(n_heads))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.weight, std=INITIAL_SPREAD, generator=generator)
        nn.init.normal_(self.offset, mean=self.start, std=INITIAL_SPREAD, generator=generator)

    def reading(self, x: Tensor) -> Biased:
        away = steps(x, self.weight, self.offset)
        return Biased(lambda positions, **given: forgetting.bias(-away, **given))

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        nothing = q.new_zeros(1, k.shape[-2], self.weight.shape[-1])
        return self.reading(nothing).bias(q, k, positions)[0]


SPEC = EncodingSpec(
    key="cable",
    title="CABLE",
    family="bias",
    summary="Each token moves all that came before it away, by a step that its own embedding decides.",
    paper=Paper("Context-aware Biases for Length Extrapolation", "Veisi et al.", 2025, "2503.08067"),
    make=lambda shape, params: Cable(shape.n_heads, shape.d_model, start=params["start"]),
    parameters=(
        Parameter(
            "start",
            "Initial step",
            0.0,
            "Offset of the untrained steps, before softplus: 0 is a step of about 0.69.",
            -8.0,
            2.0,
            0.5,
        ),
    ),
)
