r"""The position written in base 2: bit $k$ of position $m$ is $\lfloor m / 2^k \rfloor \bmod 2$, lowest bit first.

Codes are exact and unique up to $2^K$, then wrap around: with 8 bits, 300 reads as 44. Neighbours differ in 1 to $K$
bits, so distance in the code is not distance in position. The model gets the bits through a learned linear map.
"""

import torch
from torch import Tensor, nn

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import add
from pe_core.parameters import require


def table(positions: Tensor, n_bits: int, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the bits (0 or 1) of whole positions from 0 on, (..., T, n_bits), lowest first; higher ones are lost."""
    require(1 <= n_bits <= 62, "n_bits", "be from 1 to 62", n_bits)
    whole = positions.to(torch.int64)
    require(
        bool((whole == positions).all() and (whole >= 0).all()),
        "positions",
        "be whole and not negative",
        positions.tolist(),
    )
    return (whole[..., None] >> torch.arange(n_bits, device=positions.device) & 1).to(dtype)


def bits_for(length: int) -> int:
    """Return how many bits give each of `length` positions a code of its own: the least K >= 1 with 2^K >= length."""
    require(length >= 1, "length", "be at least 1", length)
    return max(1, (length - 1).bit_length())


class Binary(PositionalEncoding):
    """Add the bits (T, K) through a learned linear map (K, D)."""

    def __init__(self, d_model: int, n_bits: int) -> None:
        super().__init__()
        self.n_bits = n_bits
        self.directions = nn.Parameter(torch.empty(n_bits, d_model))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.directions, std=0.02, generator=generator)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return add(x, table(positions, self.n_bits, dtype=x.dtype) @ self.directions.to(x.dtype))


SPEC = EncodingSpec(
    key="binary",
    title="Binary code",
    family="absolute",
    summary="The bits of the position through a learned map: unique, bounded, and full of jumps.",
    make=lambda shape, params: Binary(shape.d_model, bits_for(shape.max_length)),
)
