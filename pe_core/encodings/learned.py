"""A learned table: one free vector per position, added to the token embedding (BERT has 512 rows, GPT-2 has 1,024).

Rows can be allocated past the training length, but no gradient ever reaches them: they stay the noise they were
drawn from.
Reference: Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", arXiv:1705.03122; Devlin et al. 2018,
arXiv:1810.04805.
"""

import torch
from torch import Tensor, nn

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.parameters import Parameter, require
from pe_core.registry import Paper


def rows(table: Tensor, positions: Tensor) -> Tensor:
    """Return the rows of `table` (L, D) at whole `positions` (T,), shape (T, D); `ValueError` where there is no row."""
    inside = (positions >= 0) & (positions < len(table))
    outside = positions[~inside]
    require(
        not outside.numel(), "positions", f"lie from 0 to {len(table) - 1}, the rows of the table", outside.tolist()
    )
    whole = positions.to(torch.int64)
    require(bool((whole == positions).all()), "positions", "be whole", positions.tolist())
    return table[whole]


class Learned(PositionalEncoding):
    """Add row m of a learned table (max_length, D), drawn from N(0, std^2)."""

    def __init__(self, d_model: int, max_length: int, *, std: float) -> None:
        super().__init__()
        self.std = std
        self.table = nn.Parameter(torch.empty(max_length, d_model))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.table, std=self.std, generator=generator)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + rows(self.table, positions).to(x.dtype)


SPEC = EncodingSpec(
    key="learned",
    title="Learned table",
    family="absolute",
    hooks=("embed",),
    summary="One free vector per position: flexible, and noise past the last position it was trained on.",
    paper=Paper("Convolutional Sequence to Sequence Learning", "Gehring et al.", 2017, "1705.03122"),
    make=lambda shape, params: Learned(shape.d_model, shape.max_length, std=params["std"]),
    parameters=(Parameter("std", "Initial spread", 0.02, "Standard deviation of the untrained rows.", 0.001, 1.0),),
)
