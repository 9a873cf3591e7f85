"""A claim about direction: whether the scores of sinusoidal encodings can tell "k ahead" from "k behind"."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, N_DRAWS, Claim, Counted, Finding
from pe_core.claims.sinusoid import PAPER
from pe_core.encodings import sinusoidal
from pe_core.measures import similarity
from pe_core.measures.distances import by_distance
from pe_core.measures.uncertainty import wilson
from pe_core.parameters import Parameter

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
    """Return the table of 2 * reach + 1 positions, and the scores (T, T) of its projected queries and keys.

    The projections are those of `maps_of`.
    """
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
    paper=PAPER,
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
