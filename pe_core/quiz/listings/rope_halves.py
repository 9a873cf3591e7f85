"""RoPE on pairs of channels that stand half a head apart."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Turn channels (i, i + d/2) of x (T, d) by position * base^(-2i/d)."""
    dim = x.shape[-1]
    frequencies = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = positions[:, None] * frequencies
    angles = angles.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    swapped = torch.cat([-second, first], dim=-1)
    return x * angles.cos() + swapped * angles.sin()
