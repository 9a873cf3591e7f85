"""RoPE on neighbouring channels, as products of complex numbers."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Turn channels (2i, 2i + 1) of x (T, d) by position * base^(-2i/d)."""
    n_pairs = x.shape[-1] // 2
    pairs = torch.view_as_complex(x.reshape(-1, n_pairs, 2))
    exponents = torch.arange(0, 2 * n_pairs, 2, dtype=torch.float64) / n_pairs
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2)
