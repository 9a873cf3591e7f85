"""Distances between queries and keys, and the rule by which a causal bias hides what comes after the query.

Of positions (T,) they are matrices (T_q, T), of positions (B, T) (B, 1, T_q, T), with a place for the heads. Queries
are the last `n_queries` of the keys' tokens, all of them for None.
"""

import torch
from torch import Tensor

from pe_core.encodings.batch import of_queries
from pe_core.masks import subtractive
from pe_core.parameters import Parameter


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


DIRECTION = Parameter("direction", "Direction", "causal", "Which keys a query sees.", choices=("causal", "symmetric"))
