"""How positions meet the tensors of a model: of one text (T,) or of each text of a batch (B, T), and fewer queries.

Texts of a batch differ in their positions where they are padded on the left or packed. Queries are fewer than keys when
a text is decoded: the keys of earlier tokens come from a cache, and the queries are the last of the keys' tokens, the
last `n_queries`, all of them for None.

Distances between queries and keys are matrices (T_q, T) of positions (T,), and (B, 1, T_q, T) of positions (B, T), with
a place for the heads. Where a vector is learned for each distance, the products are made once for each row of that
table, then picked, never one for each pair.
"""

import torch
from torch import Tensor

from pe_core.masks import subtractive
from pe_core.parameters import Parameter, require


def of_queries(positions: Tensor, n_queries: int | None = None) -> Tensor:
    """Return the positions of the queries, (T_q,) or (B, T_q): the last of `positions` (T,) or (B, T), all for None.

    Raises `ValueError` for other shapes and for more queries than positions.
    """
    require(positions.ndim in (1, 2), "positions", "have the shape (T,) or (B, T)", tuple(positions.shape))
    return rows_of_queries(positions[..., None], n_queries)[..., 0]


def rows_of_queries(values: Tensor, n_queries: int | None = None) -> Tensor:
    """Return the rows of the queries, (..., T_q, n): the last of `values` (..., T, n), which has one for each token.

    All for None. Raises `ValueError` for more queries than rows.
    """
    n_keys = values.shape[-2]
    n_queries = n_keys if n_queries is None else n_queries
    require(0 <= n_queries <= n_keys, "n_queries", f"be at most the number of positions ({n_keys})", n_queries)
    return values[..., n_keys - n_queries :, :]


def count_queries(q: Tensor, k: Tensor, positions: Tensor) -> int:
    """Return the number of queries, T_q, of `q` (B, H, T_q, d) and `k` (B, H, T, d) with `positions` (T,) or (B, T).

    Raises `ValueError` unless there are as many keys as positions, at most as many queries, and as many texts.
    """
    check_texts(positions, q)
    n_keys, n_queries = positions.shape[-1], q.shape[-2]
    require(k.shape[-2] == n_keys, "k", f"have as many rows as there are positions ({n_keys})", k.shape[-2])
    require(n_queries <= n_keys, "q", f"have at most as many rows as there are positions ({n_keys})", n_queries)
    return n_queries


def check_texts(positions: Tensor, x: Tensor) -> None:
    """Raise `ValueError` unless `positions` are (T,), or (B, T) with a row for each text of `x` (B, ..., T, d)."""
    require(positions.ndim in (1, 2), "positions", "have the shape (T,) or (B, T)", tuple(positions.shape))
    n_texts = len(x) if x.ndim > 2 else 1
    fits = positions.ndim == 1 or (x.ndim > 2 and len(positions) == n_texts)
    require(fits, "positions", f"be one row (T,), or one per text ({n_texts})", tuple(positions.shape))


def each_text(positions: Tensor) -> Tensor:
    """Return a row of positions per text, (B, T) as they are and (T,) as one row, (1, T)."""
    return positions if positions.ndim == 2 else positions[None]


def beside(values: Tensor, x: Tensor) -> Tensor:
    """Return `values` (T, n) of one text as they are, or (B, T, n) with dimensions of 1 for the heads of `x`.

    So they meet `x` (B, ..., T, d): (B, 1, T, n) where it has heads.
    """
    return values if values.ndim == 2 else values.reshape(len(values), *[1] * (x.ndim - 3), *values.shape[1:])


def add(x: Tensor, vectors: Tensor) -> Tensor:
    """Return `x` (B, T, D) plus a vector per position, (T, D) or (B, T, D); `ValueError` where they do not fit."""
    given, own = tuple(vectors.shape[:-1]), tuple(x.shape[:-1])
    require(given in (own[-1:], own), "positions", f"have the shape {own[-1:]} or {own}, as x has", given)
    return x + vectors


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
