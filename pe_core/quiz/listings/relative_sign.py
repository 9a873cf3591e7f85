"""Rows of a table of relative vectors, one for each distance."""

import torch
from torch import Tensor


def rows(n_tokens: int, max_distance: int) -> Tensor:
    """Return the row for each query and key, (T, T): 0 for keys far before the query, 2k for those far after."""
    positions = torch.arange(n_tokens)
    query, key = positions[:, None], positions[None, :]
    relative = query - key
    near = relative.clamp(-max_distance, max_distance)
    return near + max_distance
