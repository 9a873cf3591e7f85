r"""The position itself: the integer index $m$, or normalised to $[0, 1]$, along one learned direction of the model.

An index added equally to every channel is removed by the mean that LayerNorm subtracts: $LN(x + m \mathbf{1}) = LN(x)$.
The module therefore adds $m\,w$ with a learned $w \in R^D$. The integer is unbounded; the normalised index has a step
of $1/(T-1)$, which depends on the length of the sequence.
"""

import torch
from torch import Tensor, nn

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import add
from pe_core.parameters import require


def table(positions: Tensor, *, normalise: bool = False, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the index of each position, (T, 1) or (B, T, 1); normalised, the largest position of a text becomes 1."""
    index = positions.to(torch.float64)[..., None]
    if normalise and index.numel():
        index = index / _last(positions)[..., None]
    return index.to(dtype)


def _last(positions: Tensor) -> Tensor:
    """Return the largest position of each text, (1,) or (B, 1), at least 1: a lone position 0 stays 0."""
    return positions.to(torch.float64).amax(dim=-1, keepdim=True).clamp(min=1)


class Index(PositionalEncoding):
    """Add the index (T, 1) along one learned direction (1, D)."""

    def __init__(self, d_model: int, *, normalise: bool) -> None:
        super().__init__()
        self.normalise = normalise
        self.direction = nn.Parameter(torch.empty(1, d_model))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.direction, std=0.02, generator=generator)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return add(x, table(positions, normalise=self.normalise, dtype=x.dtype) @ self.direction.to(x.dtype))

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        steady = not self.normalise or torch.equal(_last(cached), _last(new))
        require(steady, "positions", "end where those in the cache do, for they are divided by the last", new.tolist())


INTEGER = EncodingSpec(
    key="integer",
    title="Integer index",
    family="absolute",
    summary="The position 0, 1, 2 ... along one learned direction: unbounded, and new past the training length.",
    make=lambda shape, params: Index(shape.d_model, normalise=False),
)

NORMALISED = EncodingSpec(
    key="normalised",
    title="Normalised index",
    family="absolute",
    summary="The position divided by the last one: bounded, but the step depends on the length of the text.",
    make=lambda shape, params: Index(shape.d_model, normalise=True),
)
