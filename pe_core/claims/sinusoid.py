r"""Claims about the table of sines and cosines, $PE(m, 2i) = \sin(m\,\omega_i)$, $PE(m, 2i+1) = \cos(m\,\omega_i)$.

Reference: Vaswani et al. 2017, arXiv:1706.03762, section 3.5.
"""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, N_DRAWS, Claim, Counted, Finding
from pe_core.encodings import sinusoidal
from pe_core.measures import channels, pairs, similarity
from pe_core.measures.pairs import by_distance
from pe_core.measures.uncertainty import wilson
from pe_core.parameters import Parameter

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
    map_error = pairs.linear_map_error(mistaken, 1) or 0.0
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


SOME_BASES = (1, 2, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
BASE = Parameter("base", "Base", 10_000, "No wave is longer than 2π times the base.", choices=SOME_BASES)

FALLS = Claim(
    key="falls",
    title="Similarity falls with distance",
    summary="The dot product of two sinusoidal encodings falls as the distance grows.",
    paper=sinusoidal.SPEC.paper,
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
    paper=sinusoidal.SPEC.paper,
    chapter="sinusoidal",
    decide=exponent,
    sources=(own_exponents, by_distance, pairs.linear_map_error),
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
    paper=sinusoidal.SPEC.paper,
    chapter="sinusoidal",
    decide=plain_angle,
    sources=(pair_errors, similarity.plain_angle_matrix, sinusoidal.shift_matrix),
    parameters=(
        Parameter("width", "Width D", 8, "Channels of the table.", 2, 32, 2),
        BASE,
        Parameter("offset", "Offset k", 5, "By how many positions PE(p) is shifted.", 0, 64),
    ),
)


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
    paper=sinusoidal.SPEC.paper,
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
    paper=sinusoidal.SPEC.paper,
    chapter="sinusoidal",
    decide=base_size,
    sources=(cosines_by_base,),
    parameters=(
        Parameter("width", "Width D", 64, "Channels of the table.", choices=(2, 4, 8, 16, 32, 64, 128, 256, 512, 768)),
        Parameter("distance", "Distance", 1, "How far apart the two positions are; neighbours are 1 apart.", 1, 64),
    ),
)


RANDOM, NO_PROJECTION = "random", "none"


def direction(*, width: int, reach: int, projection: str, seed: int) -> Finding:
    """False if the plain product tells ahead from behind; true if most of 100 projections do not tell them either.

    Else it depends on the projection.
    """
    table, projected = direction_scores(width, reach, projection, seed)
    gap, row = similarity.direction_gap(table), projected[reach]
    to_q, to_k = (
        torch.stack(maps) for maps in zip(*(maps_of(width, projection, draw) for draw in range(N_DRAWS)), strict=True)
    )
    rows = ((table[reach] @ to_q)[:, None] @ (table @ to_k).mT)[:, 0]
    told = Counted(int(((rows - rows.flip(-1)).abs().amax(dim=-1) > EXACT).sum()), N_DRAWS)
    return Finding(
        "false" if gap > EXACT else "true" if told.verdict == "false" else "depends",
        {
            "gap": gap,
            "projected_gap": float((row - row.flip(0)).abs().max()),
            "spread": by_distance(table @ table.T).spread,
            "projected_spread": by_distance(projected).spread,
            **told.measured,
        },
    )


def direction_scores(width: int, reach: int, projection: str, seed: int) -> tuple[Tensor, Tensor]:
    """Return the table of 2 * reach + 1 positions, and the scores (T, T) of its projected queries and keys."""
    table = sinusoidal.table(torch.arange(2 * reach + 1), width, dtype=torch.float64)
    to_q, to_k = maps_of(width, projection, seed)
    return table, (table @ to_q) @ (table @ to_k).T


def maps_of(width: int, projection: str, seed: int) -> tuple[Tensor, Tensor]:
    """Return the maps for queries and keys, (width, width) each: standard normal over sqrt(width), or the identity."""
    if projection == NO_PROJECTION:
        return torch.eye(width, dtype=torch.float64), torch.eye(width, dtype=torch.float64)
    drawn = torch.randn(2, width, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    to_q, to_k = drawn / width**0.5
    return to_q, to_k


DIRECTION = Claim(
    key="direction",
    title="Ahead or behind",
    summary="The similarity of sinusoidal encodings cannot tell direction.",
    paper=sinusoidal.SPEC.paper,
    chapter="sinusoidal",
    decide=direction,
    sources=(direction_scores, maps_of, similarity.direction_gap, by_distance, wilson),
    parameters=(
        Parameter("width", "Width D", 64, "Channels of the table; an odd one ends with a sine without cosine.", 2, 128),
        Parameter("reach", "Farthest distance", 16, "Positions ahead of and behind the middle one.", 1, 64),
        Parameter(
            "projection",
            "Query and key map",
            RANDOM,
            "From encodings to queries and keys.",
            choices=(RANDOM, NO_PROJECTION),
        ),
        Parameter("seed", "Seed of the maps", 0, "Which random maps are drawn.", 0, 99),
    ),
)
