"""Distances between queries and keys, and the rule by which a causal bias hides what comes after the query.

Of positions (T,) they are matrices (T_q, T), of positions (B, T) (B, 1, T_q, T), with a place for the heads. Queries
are the last `n_queries` of the keys' tokens, all of them for None. Where a vector is learned for each distance, the
products are made once for each row of that table, then picked, never one for each pair.
"""

import torch
from torch import Tensor

from pe_core.encodings.batch import of_queries
from pe_core.masks import subtractive
from pe_core.parameters import Parameter, require


def pairs(positions: Tensor, n_queries: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the positions of queries, (T_q, 1) or (B, 1, T_q, 1), and of keys, (1, T) or (B, 1, 1, T), in tokens."""
    queries, keys = of_queries(positions, n_queries)[..., None], positions[..., None, :]
    return (queries, keys) if positions.ndim == 1 else (queries[:, None], keys[:, None])


def between(positions: Tensor, dtype: torch.dtype = torch.float32, *, n_queries: int | None = None) -> Tensor:
    """Return m - n in tokens, query minus key, shape (T_q, T) or (B, 1, T_q, T), at least float32."""
    precise = torch.promote_types(dtype, torch.float32)  # bfloat16 cannot tell 256 from 257
    query, key = pairs(positions, n_queries)
    return (query - key).to(precise)


def hide_future(bias: Tensor, positions: Tensor) -> Tensor:
    """Return `bias` (..., T_q, T) with -inf for keys whose position lies after that of the query."""
    query, key = pairs(positions, bias.shape[-2])
    return bias - subtractive(query >= key, dtype=bias.dtype)


def heads_first(values: Tensor) -> Tensor:
    """Return numbers per head, (T_q, T, H) or (B, 1, T_q, T, H), as scores have them: (H, T_q, T) or (B, H, T_q, T)."""
    return values.permute(2, 0, 1) if values.ndim == 3 else values.squeeze(1).permute(0, 3, 1, 2)


def whole(distance: Tensor, name: str = "distance") -> Tensor:
    """Return each distance as int64, same shape: the number of a row. `ValueError`, with its `name`, for a fraction."""
    rounded = distance.to(torch.int64)
    fractions = distance[distance != rounded]
    require(not fractions.numel(), name, "be whole", fractions[:1].tolist())
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


DIRECTION = Parameter("direction", "Direction", "causal", "Which keys a query sees.", choices=("causal", "symmetric"))
