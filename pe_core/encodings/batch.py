"""How positions meet the tensors of a model: of one text (T,) or of each text of a batch (B, T), and fewer queries.

Texts of a batch differ in their positions where they are padded on the left or packed. Queries are fewer than keys when
a text is decoded: the keys of earlier tokens come from a cache, and the queries are the last of the keys' tokens.
"""

from torch import Tensor

from pe_core.parameters import require


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
