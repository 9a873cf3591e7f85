"""The angles of RoPE for a model in half precision."""

import torch
from torch import Tensor


def angles(n_positions: int, dim: int, base: float) -> Tensor:
    """Return the cosine of each angle, (T, d / 2) in bfloat16, right to the digits that bfloat16 has."""
    dtype = torch.bfloat16
    exponents = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    frequencies = base**-exponents
    positions = torch.arange(n_positions, dtype=dtype)
    angles = positions[:, None] * frequencies
    cosines = angles.cos()
    return cosines.to(dtype)
