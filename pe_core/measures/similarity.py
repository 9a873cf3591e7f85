r"""How alike two sinusoidal encodings are, and how well a matrix moves one of them to another position.

$p_m \cdot p_n = \sum_i \cos((m - n)\,\omega_i)$ over the complete pairs follows from
$\sin a \sin b + \cos a \cos b = \cos(a - b)$ for every pair. The sum depends on the distance only, and since the cosine
is even it is the same forwards and backwards. A sine without its cosine, the last channel of an odd width, breaks both.

The matrix that moves encodings by k positions turns each pair by $k\,\omega_i$. A common mistake writes the plain angle
k into every block. That is the shift matrix of base 1, where every frequency is 1: it is right for the fastest pair
only. Reference: Vaswani et al. 2017, arXiv:1706.03762, section 3.5.
"""

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import Variant

FARTHEST = 512  # positions at which a rise is looked for


def complete_pairs(dim: int, base: float, *, variant: Variant = "paper") -> Tensor:
    """Return the frequencies of the pairs that have both sine and cosine, float64, shape (floor(dim / 2),)."""
    return sinusoidal.frequencies(dim, base, variant=variant)[: dim // 2]


def dot_products(distances: Tensor, frequencies: Tensor) -> Tensor:
    """Return the dot product at each distance in positions, summed over pairs, float64, shape (K,)."""
    return sinusoidal.angles(distances, frequencies).cos().sum(dim=-1)


def rises(similarities: Tensor) -> Tensor:
    """Return the distances k >= 1 at which `similarities` (K,), for distances 0, 1, 2 ..., is higher than at k - 1."""
    return (similarities.diff() > 0).nonzero().flatten() + 1


def first_rise(frequencies: Tensor) -> int | None:
    """Return the smallest distance at which two positions are more alike than one step nearer; None up to 512.

    Without a complete pair there is nothing that could rise.
    """
    rising = rises(dot_products(torch.arange(FARTHEST + 1), frequencies))
    return int(rising[0]) if len(rising) else None


def neighbour_cosine(frequencies: Tensor) -> float:
    """Return the cosine of the angle between the encodings of two neighbours: the mean of cos(frequency).

    NaN without a complete pair.
    """
    return frequencies.cos().mean().item()


def neighbour_spread(table: Tensor) -> float:
    """Return by how much the dot product of neighbours varies along `table` (T, D); 0 if there are none."""
    products = (table[1:] * table[:-1]).sum(dim=-1)
    return (products.max() - products.min()).item() if len(products) else 0.0


def direction_gap(table: Tensor) -> float:
    """Return the largest difference between "k ahead" and "k behind", seen from the middle row of `table` (T, D)."""
    middle = (len(table) - 1) // 2
    ahead = table[middle : 2 * middle + 1] @ table[middle]
    behind = table[: middle + 1].flip(0) @ table[middle]
    return (ahead - behind).abs().max().item()


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
