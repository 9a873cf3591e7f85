"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps.

Of the code there are `n_bits` bits, lowest first; of the sinusoid `dim` channels, a sine and a cosine in turn.
"""

import pandas as pd
import torch

from pe_core.encodings import binary, sinusoidal
from pe_core.figures import counting, counting_steps, counting_waves
from pe_core.figures.figure import Facts, Figure
from pe_core.measures import jumps
from pe_core.parameters import Parameter

MAX_FLIPS = 10_000  # that can be guessed

CODES = {
    "n_positions": Parameter("positions", "Positions", 32, "How many positions the table shows.", 8, 512, 8),
    "n_bits": Parameter("bits", "Bits", 5, "Digits of the binary code, lowest first.", 1, 10),
    "dim": Parameter("bs_channels", "Channels", 16, "Width of the sinusoid: a sine and a cosine per pair.", 2, 32, 2),
    "base": Parameter(
        "bs_base",
        "Base",
        256,
        "How fast the waves slow down from pair to pair: the larger, the faster.",
        choices=(1, 2, 5, 10, 32, 100, 256, 1_000, 10_000, 100_000, 1_000_000),
    ),
}
TOO_FEW_BITS = {
    "position": Parameter(
        "overflow_position", "Position to write down", 300, "It may need more bits than there are.", 1, 1_000
    ),
    "n_bits": Parameter("overflow_bits", "Bits to write it in", 8, "Higher bits than these are lost.", 1, 10),
}


def _slowing(dim: int, base: float) -> Facts:
    """Return the factor from one wavelength to the next, and the base at which it is 2, as it is for the bits."""
    return {"growth": jumps.wavelength_growth(dim, base), "doubling": jumps.doubling_base(dim)}


def twin_table(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return both codes of positions 0 .. n_positions - 1 side by side as one table."""
    positions = torch.arange(n_positions)
    vectors = sinusoidal.table(positions, dim, base=base)
    facts = {
        "last": n_positions - 1,
        **_slowing(dim, base),
        "rows": counting.MOST_ROWS,
        "averaged": "averaged" if n_positions > counting.MOST_ROWS else "",
    }
    figure = counting.twin_table(binary.table(positions, n_bits), vectors, sinusoidal.frequencies(dim, base))
    return figure.with_facts(facts)


def lanes(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return each bit as a square wave over positions 0 .. n_positions - 1, above the sine nearest in period."""
    frequencies = sinusoidal.frequencies(dim, base)
    facts = {"last": n_positions - 1, "fastest": float(sinusoidal.wavelengths(frequencies)[0])}
    return counting_waves.lanes(n_positions, n_bits, frequencies).with_facts(facts)


def speeds(n_bits: int, dim: int, base: float) -> Figure:
    """Return after how many positions each bit and each pair repeats."""
    return counting_steps.speeds(n_bits, sinusoidal.frequencies(dim, base)).with_facts(_slowing(dim, base))


def speed_table(n_bits: int, dim: int, base: float) -> pd.DataFrame:
    """Return one line per bit: its flips per step, counted and by definition, and the pair nearest to its period."""
    return counting_steps.speed_table(n_bits, sinusoidal.frequencies(dim, base))


def steps(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return how far each of `n_positions` positions is from the next, in both codes."""
    found, start = jumps.steps(n_positions, n_bits, dim, base), counting_steps.NAMED_STEP
    low, high, difference = counting_steps.subtracted(n_bits)
    facts = {
        "from": start,
        "to": start + 1,
        "low": low,
        "high": high,
        "difference": difference,
        "flips": int(found.flips[start]),
        "min": int(found.flips.min()),
        "max": int(found.flips.max()),
        "step": float(found.lengths[start]),
        "spread": float(found.lengths.max() - found.lengths.min()),
    }
    return counting_steps.steps(found).with_facts(facts)


def earlier(position: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return how far each earlier position is from `position`, in both codes."""
    found = jumps.overflow(position, n_bits, dim, base)
    lost, held = found.written
    facts = {
        "written": "overflow-hit" if found.twins else "overflow-none",
        "bits": "1 bit" if n_bits == 1 else f"{n_bits} bits",
        "codes": 2**n_bits,
        "top": 2**n_bits - 1,
        "needed": len(lost) + len(held),
        "lost": lost,
        "held": held,
        "kept": found.kept,
        "twins": len(found.twins),
        "nearest": found.nearest,
        "away": float(found.wave_distance[found.nearest]),
        "slowest": float(sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))[-1]),
    }
    return counting_steps.earlier(found).with_facts(facts)


def a_round(n_bits: int) -> Facts:
    """Return how many steps it takes until a code starts again, and its last position before."""
    return {"steps": 2**n_bits, "last": 2**n_bits - 1}


def flips_of_a_round(n_bits: int, guess: int) -> tuple[bool, Facts]:
    """Return whether as many bits as guessed flip until the code starts again."""
    rate = float(jumps.flip_rates(n_bits).sum())
    flips = round(rate * 2**n_bits)
    return guess == flips, {"flips": flips, "rate": rate}
