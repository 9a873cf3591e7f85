"""Rows of a table of positions: how alike they are, and how far training has moved them from where they started."""

import torch
from torch import Tensor

from pe_core.parameters import require


def cosines(table: Tensor) -> Tensor:
    """Return the cosine of every row of `table` (R, D) with every other, float64, (R, R); a row of zeros has 0."""
    rows: Tensor = torch.nn.functional.normalize(table.double(), dim=-1)
    return rows @ rows.T


def neighbours(table: Tensor, offset: int = 1) -> float:
    """Return the mean cosine of the rows of `table` (R, D) that are `offset` apart, which at least two must be."""
    require(1 <= offset < len(table), "offset", f"be from 1 to {len(table) - 1}, the rows less one", offset)
    return float(cosines(table).diagonal(offset).mean())


def lengths(table: Tensor) -> Tensor:
    """Return the length of each row of `table` (R, D), float64, shape (R,)."""
    found: Tensor = table.double().norm(dim=-1)
    return found


def turned(before: Tensor, after: Tensor) -> Tensor:
    """Return the cosine of each row of `after` (R, D) with the same row `before` (R, D), float64, shape (R,).

    1 is a row that still points where it did, whatever became of its length.
    """
    return torch.nn.functional.cosine_similarity(before.double(), after.double(), dim=-1)


def moved(before: Tensor, after: Tensor) -> Tensor:
    """Return how far each row of `after` (R, D) lies from `before`, in lengths of the row before, float64, (R,)."""
    return lengths(after.double() - before.double()) / lengths(before)
