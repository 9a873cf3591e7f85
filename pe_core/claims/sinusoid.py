r"""Claims about the table of sines and cosines, $PE(m, 2i) = \sin(m\,\omega_i)$, $PE(m, 2i+1) = \cos(m\,\omega_i)$.

Reference: Vaswani et al. 2017, arXiv:1706.03762, section 3.5.
"""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, Claim, Finding
from pe_core.encodings import sinusoidal
from pe_core.measures import points, similarity
from pe_core.measures.distances import by_distance
from pe_core.parameters import Parameter
from pe_core.registry import Paper

WIDTHS = (16, 64, 128, 512, 768)
LENGTH = 64  # positions over which an error is looked for


def falls(*, width: int, base: float, farthest: int) -> Finding:
    """True if at no distance up to the farthest the similarity is above that one step nearer; else false."""
    values = likeness(width, base, farthest)
    rising = similarity.rises(values)
    first = int(rising[0]) if len(rising) else None
    return Finding(
        "false" if len(rising) else "true",
        {
            "first": first,
            "before": None if first is None else float(values[first - 1]),
            "after": None if first is None else float(values[first]),
            "rising": len(rising),
            "steps": farthest,
            "near_half": float(values[1 : 1 + farthest // 2].max()),
            "far_half": float(values[1 + farthest // 2 :].max()),
        },
        tuple({"Width D": other, "First rise": _first_rise(other, base)} for other in WIDTHS),
    )


def likeness(width: int, base: float, farthest: int) -> Tensor:
    """Return the dot product at each distance 0 .. farthest as a share of that at distance 0, float64."""
    frequencies = similarity.complete_pairs(width, base)
    return similarity.dot_products(torch.arange(farthest + 1), frequencies) / len(frequencies)


def _first_rise(width: int, base: float) -> str:
    first = similarity.first_rise(similarity.complete_pairs(width, base))
    return "none up to 512" if first is None else str(first)


def exponent(*, width: int, base: float, length: int) -> Finding:
    """True if that exponent leaves norms, products of equal distance and the linear map of a shift as they were."""
    positions = torch.arange(length)
    right = sinusoidal.table(positions, width, base=base, dtype=torch.float64)
    mistaken = own_exponents(positions, width, base)
    norms, spread = mistaken.square().sum(dim=-1), by_distance(mistaken @ mistaken.T).spread
    map_error = points.linear_map_error(mistaken, 1) or 0.0
    harmless = max(float(norms.max() - norms.min()), spread, map_error) <= EXACT
    return Finding(
        "true" if harmless else "false",
        {
            "min_norm": float(norms.min()),
            "max_norm": float(norms.max()),
            "norm": width / 2,
            "spread": spread,
            "right_spread": by_distance(right @ right.T).spread,
            "map_error": map_error,
            "right_map_error": similarity.shift_error(sinusoidal.shift_matrix(1, width, base=base), 1, length, base),
        },
    )


def own_exponents(positions: Tensor, width: int, base: float) -> Tensor:
    """Return the table whose cosines have the frequencies base^(-(2i + 1) / width), float64, shape (T, width)."""
    exponents = torch.arange(width, dtype=torch.float64) / width
    sines, cosines = (sinusoidal.angles(positions, float(base) ** -part) for part in (exponents[0::2], exponents[1::2]))
    return torch.stack([sines.sin(), cosines.cos()], dim=-1).flatten(1)


def plain_angle(*, width: int, base: float, offset: int) -> Finding:
    """True if the matrix with the plain angle k moves the first 64 encodings by k positions, up to rounding."""
    right, plain = pair_errors(width, base, offset)
    error = float(plain.max())
    return Finding(
        "true" if error <= EXACT else "false",
        {"error": error, "right_error": float(right.max()), "wrong": int((plain > EXACT).sum()), "pairs": width // 2},
    )


def pair_errors(width: int, base: float, offset: int) -> tuple[Tensor, Tensor]:
    """Return the largest error of each pair, (width / 2,): with the angle k times its frequency, and with plain k."""
    positions = torch.arange(LENGTH)
    here, there = (sinusoidal.table(p, width, base=base, dtype=torch.float64) for p in (positions, positions + offset))
    matrices = sinusoidal.shift_matrix(offset, width, base=base), similarity.plain_angle_matrix(offset, width)
    right, plain = ((here @ matrix.T - there).abs().amax(dim=0).view(-1, 2).amax(dim=-1) for matrix in matrices)
    return right, plain


PAPER = Paper("Attention Is All You Need", "Vaswani et al.", 2017, "1706.03762")
SOME_BASES = (1, 2, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
BASE = Parameter("base", "Base", 10_000, "Nearly the ratio of the slowest to the fastest wave.", choices=SOME_BASES)

FALLS = Claim(
    key="falls",
    title="Similarity falls with distance",
    summary="The dot product of two sinusoidal encodings falls as the distance grows.",
    paper=PAPER,
    chapter="sinusoidal",
    decide=falls,
    sources=(likeness, similarity.rises),
    parameters=(
        Parameter("width", "Width D", 64, "Channels of the table.", choices=(2, 4, 8, 16, 32, 64, 128, 256, 512, 768)),
        BASE,
        Parameter("farthest", "Farthest distance", 64, "Distances from 0 to this one are computed.", 2, 512),
    ),
)

EXPONENT = Claim(
    key="exponent",
    title="The cosine's exponent",
    summary="The cosine in channel 2i + 1 has the exponent (2i + 1)/D.",
    paper=PAPER,
    chapter="sinusoidal",
    decide=exponent,
    sources=(own_exponents, by_distance, points.linear_map_error),
    parameters=(
        Parameter("width", "Width D", 16, "Channels of the table.", 4, 32, 2),
        BASE,
        Parameter("length", "Positions", 64, "How many positions are encoded.", 32, 256, 32),
    ),
)

PLAIN_ANGLE = Claim(
    key="plain_angle",
    title="A shift turns every pair by k",
    summary="PE(p + k) = R(k) PE(p), where R(k) turns every pair by the angle k.",
    paper=PAPER,
    chapter="sinusoidal",
    decide=plain_angle,
    sources=(pair_errors, similarity.plain_angle_matrix, sinusoidal.shift_matrix),
    parameters=(
        Parameter("width", "Width D", 8, "Channels of the table.", 2, 32, 2),
        BASE,
        Parameter("offset", "Offset k", 5, "By how many positions PE(p) is shifted.", 0, 64),
    ),
)
