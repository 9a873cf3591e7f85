"""The table of sines and cosines, with frequencies as an exponential of a logarithm."""

import math

import torch
from torch import Tensor


def table(length: int, dim: int, base: float) -> Tensor:
    """Return sines in even and cosines in odd channels, both of position * base^(-2i/D) in pair i, (T, D)."""
    positions = torch.arange(length, dtype=torch.float64)
    frequencies = torch.exp(-math.log(base) * 2 * torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = positions[:, None] * frequencies
    encoding = torch.empty(length, dim, dtype=torch.float64)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding
