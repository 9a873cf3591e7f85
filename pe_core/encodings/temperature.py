r"""A temperature by position: the query at position m, and with it all its scores, is multiplied by a function of m.

It turns nothing and adds nothing, so it stands beside an encoding in a `Chain`. That of Llama 4, for its layers without
RoPE, is
$$ t(m) = 1 + a \ln(1 + \lfloor (m + 1) / F \rfloor), \qquad a = 0.1, \quad F = 8192: $$
1 up to position F - 2, and one step higher every F tokens. Meta sets it when the model reads, not in training.

- A long text spreads attention over more keys and so flattens it; larger scores sharpen it again.
- The factor follows the query, so a score is no longer a function of the distance alone.
- Hugging Face counts m from the start of the cache, padding on the left included; here m is the position that is told.
- Ministral 3 in Hugging Face has $\lfloor m / F \rfloor$, without the 1 (`ahead`), in every layer.

Reference: Meta 2025, Llama 4 (no paper); the code of `transformers` 5.23.0, `models/llama4`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.encodings.batch import beside, count_queries, of_queries
from pe_core.parameters import Parameter, require, tokens

LLAMA4_STRENGTH, LLAMA4_FLOOR = 0.1, 8192
STEPS = (
    Parameter(
        "strength",
        "Temperature",
        LLAMA4_STRENGTH,
        "How much the scores of full layers grow with the logarithm of the position.",
        0.0,
        1.0,
        0.05,
    ),
    Parameter(
        "floor",
        "Step",
        0.5,
        "Tokens from one step of the temperature to the next, in training lengths.",
        0.05,
        8.0,
        0.05,
    ),
)


def in_steps(
    positions: Tensor, *, strength: float = LLAMA4_STRENGTH, floor: int = LLAMA4_FLOOR, ahead: int = 1
) -> Tensor:
    """Return the factor of the queries of Llama 4 at `positions`, float64, same shape; it is 1 below 0.

    `strength` is a in the formula, `floor` the tokens of a step, F, and `ahead` the 1 that is added to m.
    """
    require(strength >= 0, "strength", "be at least 0 (0 changes nothing)", strength)
    require(floor >= 1, "floor", "be at least 1", floor)
    return 1 + strength * torch.log1p(torch.floor((positions.to(torch.float64) + ahead) / floor).clamp(min=0))


class Temperature(PositionalEncoding):
    """Multiply the queries by `factor` of their positions, which keeps their shape; keys stay as they are."""

    def __init__(self, factor: Callable[..., Tensor], **given: float) -> None:
        super().__init__()
        self.factor = partial(factor, **given)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        precise = torch.promote_types(q.dtype, torch.float32)  # the query is rounded once, at the end
        of_q = of_queries(positions, count_queries(q, k, positions))
        return (q.to(precise) * beside(self.factor(of_q)[..., None].to(precise), q)).to(q.dtype), k


def rising(shape: Shape, params: Mapping[str, Any]) -> Temperature:
    """Return the temperature of Llama 4 with the values of `STEPS`, its step in tokens of a model of this shape."""
    floor = tokens(params["floor"], shape.train_length)
    return Temperature(in_steps, strength=params["strength"], floor=floor)
