"""One causal attention head with RoPE."""

import torch
from torch import Tensor

from pe_core.encodings.rotary import frequencies, rotate


def attend(q: Tensor, k: Tensor, v: Tensor, base: float) -> Tensor:
    """Return the output (T, d) of a causal head, whose scores know the distance only, for q, k, v (T, d)."""
    n_tokens, dim = q.shape
    positions, speeds = torch.arange(n_tokens), frequencies(dim, base)
    q, k, v = (rotate(x, positions, speeds) for x in (q, k, v))
    scores = q @ k.T / dim**0.5
    hidden = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
    return torch.matmul(weights, v)
