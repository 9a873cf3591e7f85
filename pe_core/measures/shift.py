r"""How well a matrix moves encodings by k positions: the rotation by $k\,\omega_i$ per pair, and a common mistake.

The mistake writes the plain angle k into every block. That is the shift matrix of base 1, where every frequency is 1:
it is right for the fastest pair only. Reference: Vaswani et al. 2017, arXiv:1706.03762, section 3.5.
"""

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal


def shift_error(matrix: Tensor, offset: int, length: int, base: float) -> float:
    """Return the largest |M PE(p) - PE(p + offset)| over all channels and the positions p = 0 .. length - 1.

    `matrix` (D, D) is float64, for the layout of the paper.
    """
    positions = torch.arange(length)
    dim = matrix.shape[1]
    start = sinusoidal.table(positions, dim, base=base, dtype=torch.float64)
    target = sinusoidal.table(positions + offset, dim, base=base, dtype=torch.float64)
    return (start @ matrix.T - target).abs().max().item()


def plain_angle_matrix(offset: int, dim: int) -> Tensor:
    """Return the common mistake, (D, D): every pair turned by `offset` radians, not by offset times its frequency."""
    return sinusoidal.shift_matrix(offset, dim, base=1.0)
