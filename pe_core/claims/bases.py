"""Claims about the base of the sinusoidal table: where it has an effect, and which."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, Claim, Finding
from pe_core.claims.sinusoid import PAPER, likeness
from pe_core.encodings import sinusoidal
from pe_core.measures import channels
from pe_core.parameters import Parameter

BASES = (1, 5, 10, 100)


def bases(*, width: int, n_positions: int) -> Finding:
    """True if the tables of any two of the bases 1, 5, 10 and 100 differ; else false."""
    tables = first_tables(width, n_positions)
    spread = channels.spread(tables)
    each = [float((table - tables[0]).abs().max()) for table in tables]
    rows = tuple({"Base": base, "Difference from base 1": gap} for base, gap in zip(BASES, each, strict=True))
    return Finding("true" if spread > EXACT else "false", {"spread": spread, "pairs": width // 2}, rows)


def first_tables(width: int, n_positions: int) -> Tensor:
    """Return the encodings of the first positions for each of the four bases, float64, shape (4, T, width)."""
    positions = torch.arange(n_positions)
    return torch.stack([sinusoidal.table(positions, width, base=base, dtype=torch.float64) for base in BASES])


LADDER = (2, 10, 100, 10_000, 1_000_000)


def base_size(*, width: int, distance: int) -> Finding:
    """True if the cosine of two positions so far apart grows with every larger base from 2 to a million; else false."""
    cosines = cosines_by_base(width, distance, LADDER)
    grows = bool((cosines.diff() > EXACT).all())
    rows = tuple({"Base": f"{base:,}", "Cosine": value} for base, value in zip(LADDER, cosines.tolist(), strict=True))
    measured = {"small": float(cosines[0]), "large": float(cosines[-1]), "distance": distance}
    return Finding("true" if grows else "false", measured, rows)


def cosines_by_base(width: int, distance: int, bases: tuple[float, ...]) -> Tensor:
    """Return the cosine of two encodings so many positions apart for each base, float64, shape (K,)."""
    return torch.stack([likeness(width, base, distance)[-1] for base in bases])


FOUR_BASES = Claim(
    key="bases",
    title="Bases at d = 2",
    summary="The bases 1, 5, 10 and 100 give different pictures at d = 2.",
    paper=PAPER,
    chapter="sinusoidal",
    decide=bases,
    sources=(first_tables, channels.spread),
    parameters=(
        Parameter("width", "Width d", 2, "Channels of the table; two form a pair.", 2, 6, 2),
        Parameter("n_positions", "Positions", 5, "How many positions are drawn.", 2, 8),
    ),
)

BASE_SIZE = Claim(
    key="base_size",
    title="Small and large bases",
    summary="With a small base neighbours differ sharply, with a large one they are nearly equal.",
    paper=PAPER,
    chapter="sinusoidal",
    decide=base_size,
    sources=(cosines_by_base,),
    parameters=(
        Parameter("width", "Width D", 64, "Channels of the table.", choices=(2, 4, 8, 16, 32, 64, 128, 256, 512, 768)),
        Parameter("distance", "Distance", 1, "How far apart the two positions are; neighbours are 1 apart.", 1, 64),
    ),
)
