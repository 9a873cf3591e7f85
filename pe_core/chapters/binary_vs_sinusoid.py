"""Pictures of the chapter that sets the binary code beside the sinusoid.

Of the code there are `n_bits` bits, lowest first; of the sinusoid `dim` channels, a sine and a cosine in turn.
"""

import torch

from pe_core.encodings import binary, sinusoidal
from pe_core.figures import counting, counting_steps, counting_waves
from pe_core.figures.figure import Figure
from pe_core.measures import jumps


def twin_table(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return both codes of positions 0 .. n_positions - 1 side by side as one table."""
    positions = torch.arange(n_positions)
    vectors = sinusoidal.table(positions, dim, base=base)
    return counting.twin_table(binary.table(positions, n_bits), vectors, sinusoidal.frequencies(dim, base))


def lanes(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return each bit as a square wave over positions 0 .. n_positions - 1, above the sine nearest in period."""
    return counting_waves.lanes(n_positions, n_bits, sinusoidal.frequencies(dim, base))


def speeds(n_bits: int, dim: int, base: float) -> Figure:
    """Return after how many positions each bit and each pair repeats."""
    return counting_steps.speeds(n_bits, sinusoidal.frequencies(dim, base))


def steps(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return how far each of `n_positions` positions is from the next, in both codes."""
    return counting_steps.steps(jumps.steps(n_positions, n_bits, dim, base))


def earlier(position: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return how far each earlier position is from `position`, in both codes."""
    return counting_steps.earlier(jumps.overflow(position, n_bits, dim, base))
