"""Distances between queries and keys, and the rule by which a causal bias hides what comes after the query."""

import torch
from torch import Tensor

from pe_core.parameters import Parameter


def between(positions: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return m - n in tokens, query minus key, shape (T, T), row = query, column = key, at least float32."""
    precise = torch.promote_types(dtype, torch.float32)  # bfloat16 cannot tell 256 from 257
    return (positions[:, None] - positions[None, :]).to(precise)


def hide_future(bias: Tensor, positions: Tensor) -> Tensor:
    """Return `bias` (..., T, T) with -inf for keys whose position lies after that of the query."""
    return bias.masked_fill(positions[:, None] < positions[None, :], -torch.inf)


DIRECTION = Parameter("direction", "Direction", "causal", "Which keys a query sees.", choices=("causal", "symmetric"))
