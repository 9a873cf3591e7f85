"""The bias of one head of ALiBi, and what the softmax makes of it."""

import torch
from torch import Tensor


def weights(n_tokens: int, slope: float) -> Tensor:
    """Return the attention weights (T, T) of a causal head whose scores are 0 but for the bias."""
    positions = torch.arange(n_tokens, dtype=torch.float64)
    query, key = positions[:, None], positions[None, :]
    bias = -slope * (key - query)
    bias = bias.masked_fill(key > query, float("-inf"))
    return bias.softmax(dim=-1)
