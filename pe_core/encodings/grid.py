r"""An image read as text: position $p$ of a grid of $w$ columns is row $\lfloor p / w \rfloor$, column $p \bmod w$.

Positions of the contract are one number each. Encodings of two dimensions read them as raster indices, row by row from
the top left, so that they work on text too: a text is an image of fixed width, and a longer text is a taller image.
"""

import torch
from torch import Tensor

from pe_core.encodings.batch import between
from pe_core.parameters import Parameter, require


def coordinates(positions: Tensor, width: int) -> Tensor:
    """Return row and column of each raster index, (..., T, 2), from `positions` (..., T), in their dtype.

    Real positions lie between columns; negative ones lie in rows above the first. `ValueError` for a width below 1.
    """
    require(width >= 1, "width", "be at least 1", width)
    rows = torch.div(positions, width, rounding_mode="floor")
    return torch.stack([rows, positions - rows * width], dim=-1)


def apart(positions: Tensor, width: int, *, n_queries: int | None = None) -> tuple[Tensor, Tensor]:
    """Return how many rows and how many columns lie between query and key, query minus key, float64.

    Both have the shape (T_q, T), or (B, 1, T_q, T) for `positions` (B, T); the queries are the last `n_queries`.
    """
    rows, columns = (
        between(axis, torch.float64, n_queries=n_queries) for axis in coordinates(positions, width).unbind(-1)
    )
    return rows, columns


def rows_of(length: int, width: int) -> int:
    """Return how many rows of `width` columns a text of so many tokens touches at most, wherever it begins."""
    return (length + width - 2) // width + 1


GRID_WIDTH = Parameter(
    "grid_width", "Grid width", 8, "Columns of the image that the text is read as, row by row.", 1, 64
)
