r"""A learned table: one free vector per position, added to the token embedding (BERT has 512 rows, GPT-2 has 1,024).

Nothing says what a position past the training length L should get. Four answers are in use:

- `noise`: rows are allocated to the longest text that may come, but no gradient ever reaches those past L. They stay
  the noise that they were drawn from. That is what happens where nobody decides.
- `error`: the table ends at L, and longer texts are refused.
- `clamp`: every later position gets the last row, so that later tokens cannot be told apart.
- `interpolate`: a text up to position m > L - 1 is squeezed into the table, position p reads at $p\,(L-1)/m$, linearly
  between two rows. Neighbours come closer than in training, and every position but the first reads elsewhere as
  the text grows.

Pitfall: tables of RoBERTa and OPT start with two rows that no position uses, so their row is the position plus 2.
Reference: Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", arXiv:1705.03122; Devlin et al. 2018,
arXiv:1810.04805. Interpolated tables (of two dimensions): Dosovitskiy et al. 2020, arXiv:2010.11929, section 3.2.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from pe_core.encodings.base import EncodingSpec, PositionalEncoding, Shape
from pe_core.encodings.batch import add
from pe_core.parameters import Paper, Parameter, require

PastTable = Literal["error", "clamp", "interpolate"]
PAST_TABLE: tuple[PastTable, ...] = get_args(PastTable)


def rows(table: Tensor, positions: Tensor, *, beyond: PastTable = "error") -> Tensor:
    """Return the rows of `table` (L, D) at `positions` (..., T), (..., T, D); `beyond` says what is past the last row.

    Raises `ValueError` for negative positions and, unless clamped or interpolated, for those past the table; also for
    positions between two rows, unless interpolated.
    """
    require(beyond in PAST_TABLE, "beyond", f"be one of {', '.join(PAST_TABLE)}", beyond)
    last = len(table) - 1
    inside = positions >= 0 if beyond != "error" else (positions >= 0) & (positions <= last)
    rule = "be at least 0" if beyond != "error" else f"lie from 0 to {last}, the rows of the table"
    require(bool(inside.all()), "positions", rule, positions[~inside].tolist())
    if beyond == "interpolate":
        return _between_rows(table, positions)
    require(bool((positions == positions.floor()).all()), "positions", "be whole", positions.tolist())
    return table[positions.clamp(max=last).to(torch.int64)]


def _between_rows(table: Tensor, positions: Tensor) -> Tensor:
    last = len(table) - 1
    place = positions.to(torch.float64) * last / _longest(positions, last)
    below = place.to(torch.int64).clamp(max=last)
    share = (place - below).to(table.dtype)
    return torch.lerp(table[below], table[(below + 1).clamp(max=last)], share[..., None])


def _longest(positions: Tensor, last: int) -> Tensor:
    """Return which position of each text gets the last row, (1,) or (B, 1)."""
    places = positions.to(torch.float64)
    longest = places.amax(dim=-1, keepdim=True) if places.numel() else places.sum(dim=-1, keepdim=True)
    return longest.clamp(min=max(last, 1))


class Learned(PositionalEncoding):
    """Add row m of a learned table (n_rows, D), drawn from N(0, std^2)."""

    def __init__(self, d_model: int, n_rows: int, *, std: float, beyond: PastTable = "error") -> None:
        super().__init__()
        self.std = std
        self.beyond: PastTable = beyond
        self.table = nn.Parameter(torch.empty(n_rows, d_model))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.table, std=self.std, generator=generator)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return add(x, rows(self.table, positions, beyond=self.beyond).to(x.dtype))

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        last = len(self.table) - 1
        steady = self.beyond != "interpolate" or torch.equal(_longest(cached, last), _longest(new, last))
        require(
            steady,
            "positions",
            f"be at most {last}: a longer text changes the codes of earlier positions",
            new.tolist(),
        )


def _make(shape: Shape, params: Mapping[str, Any]) -> PositionalEncoding:
    if params["beyond"] == "noise":
        return Learned(shape.d_model, shape.max_length, std=params["std"])
    return Learned(shape.d_model, shape.train_length, std=params["std"], beyond=params["beyond"])


SPEC = EncodingSpec(
    key="learned",
    title="Learned table",
    family="absolute",
    summary="One free vector per position: flexible, but learned only up to the last position it was trained on.",
    paper=Paper("Convolutional Sequence to Sequence Learning", "Gehring et al.", 2017, "1705.03122"),
    make=_make,
    parameters=(
        Parameter("std", "Initial spread", 0.02, "Standard deviation of the untrained rows.", 0.001, 1.0),
        Parameter(
            "beyond",
            "Past the training length",
            "noise",
            "What positions get that were never trained; an error refuses texts that are longer.",
            choices=("noise", *PAST_TABLE),
        ),
    ),
)
