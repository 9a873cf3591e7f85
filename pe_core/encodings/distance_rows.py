"""Products with a learned vector for each distance: one per row of the table, then picked, never one per pair."""

import torch
from torch import Tensor

from pe_core.parameters import require


def whole(distance: Tensor) -> Tensor:
    """Return each distance as int64, same shape: the number of a row. `ValueError` for a fraction."""
    rounded = distance.to(torch.int64)
    fractions = distance[distance != rounded]
    require(not fractions.numel(), "distance", "be whole", fractions[:1].tolist())
    return rounded


def by_query(q: Tensor, table: Tensor, rows: Tensor) -> Tensor:
    """Return the product of each query with the row of each key, (B, H, T_q, T), from `q` (B, H, T_q, d).

    `table` (R, d), or (H, R, d) for a table of each head; `rows` (T_q, T) or (B, 1, T_q, T), row = query, column = key.
    """
    products = q @ table.to(q.dtype).mT  # (B, H, T, R)
    return products.gather(-1, rows.expand(*products.shape[:-1], -1))


def by_key(k: Tensor, table: Tensor, rows: Tensor) -> Tensor:
    """Return the product of each key with the row of each query, (B, H, T_q, T); arguments as `by_query`."""
    return by_query(k, table, rows.mT).mT
