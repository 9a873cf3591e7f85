"""The slopes of ALiBi for any number of heads."""

import torch
from torch import Tensor


def slopes(n_heads: int) -> Tensor:
    """Return the official slopes (H,): of a power of two, then every other one of twice as many heads."""
    power = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8 * torch.arange(1, power + 1, dtype=torch.float64) / power)
    missing = n_heads - power
    rest = 2.0 ** (-8 * torch.arange(1, missing + 1, dtype=torch.float64) / (2 * power))
    return torch.cat([first, rest])
