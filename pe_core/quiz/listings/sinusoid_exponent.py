"""The table of sines and cosines."""

import torch
from torch import Tensor


def table(length: int, dim: int, base: float) -> Tensor:
    """Return sines in even and cosines in odd channels, both of position * base^(-2i/D) in pair i, (T, D)."""
    positions = torch.arange(length, dtype=torch.float64)
    exponents = torch.arange(dim, dtype=torch.float64) / dim
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies
    encoding = torch.empty(length, dim, dtype=torch.float64)
    encoding[:, 0::2] = angles[:, 0::2].sin()
    encoding[:, 1::2] = angles[:, 1::2].cos()
    return encoding
