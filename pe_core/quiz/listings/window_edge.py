"""A causal window."""

import torch
from torch import Tensor


def sliding_window(n_tokens: int, window: int) -> Tensor:
    """Return which keys each query may see, boolean (T, T): the last `window` ones, itself included."""
    positions = torch.arange(n_tokens)
    distance = positions[:, None] - positions[None, :]
    causal = distance >= 0
    near = distance <= window
    return causal & near
