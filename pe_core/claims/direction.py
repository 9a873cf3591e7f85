"""A claim about direction: whether the scores of sinusoidal encodings can tell "k ahead" from "k behind"."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, Claim, Finding
from pe_core.claims.sinusoid import PAPER
from pe_core.encodings import sinusoidal
from pe_core.measures import similarity
from pe_core.measures.distances import by_distance
from pe_core.parameters import Parameter

RANDOM, NO_PROJECTION = "random", "none"


def direction(*, width: int, reach: int, projection: str, seed: int) -> Finding:
    """False if the plain product tells ahead from behind; it depends if only projected ones do; else true."""
    table, projected = direction_scores(width, reach, projection, seed)
    gap = similarity.direction_gap(table)
    row = projected[reach]
    projected_gap = float((row - row.flip(0)).abs().max())
    return Finding(
        "false" if gap > EXACT else "depends" if projected_gap > EXACT else "true",
        {
            "gap": gap,
            "projected_gap": projected_gap,
            "spread": by_distance(table @ table.T).spread,
            "projected_spread": by_distance(projected).spread,
        },
    )


def direction_scores(width: int, reach: int, projection: str, seed: int) -> tuple[Tensor, Tensor]:
    """Return the table of 2 * reach + 1 positions, and the scores (T, T) of its projected queries and keys.

    The projections are drawn with the seed, standard normal over sqrt(width), or are none: the identity.
    """
    table = sinusoidal.table(torch.arange(2 * reach + 1), width, dtype=torch.float64)
    drawn = torch.randn(2, width, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    to_q, to_k = drawn / width**0.5 if projection == RANDOM else torch.eye(width, dtype=torch.float64).expand(2, -1, -1)
    return table, (table @ to_q) @ (table @ to_k).T


DIRECTION = Claim(
    key="direction",
    title="Ahead or behind",
    summary="The similarity of sinusoidal encodings cannot tell direction.",
    paper=PAPER,
    chapter="sinusoidal",
    decide=direction,
    sources=(direction_scores, similarity.direction_gap, by_distance),
    parameters=(
        Parameter("width", "Width D", 64, "Channels of the table; an odd one ends with a sine without cosine.", 2, 128),
        Parameter("reach", "Farthest distance", 16, "Positions ahead of and behind the middle one.", 1, 64),
        Parameter(
            "projection", "Query and key map", RANDOM, "What makes queries and keys.", choices=(RANDOM, NO_PROJECTION)
        ),
        Parameter("seed", "Random maps no.", 0, "Which random maps are drawn.", 0, 99),
    ),
)
