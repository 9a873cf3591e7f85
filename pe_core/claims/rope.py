"""Claims about RoPE: the minus sign of its rotation, and whether its scores decay with the distance."""

import numpy as np
import torch
from torch import Tensor

from pe_core.claims.base import EXACT, N_DRAWS, Claim, ClaimVerdict, Counted, Finding
from pe_core.encodings import rotary
from pe_core.encodings.rotary import SPEC
from pe_core.measures import rotation
from pe_core.measures.uncertainty import wilson
from pe_core.parameters import Parameter

PLACES = (3, 10, 50, 200)  # of the query
BOTH, FIRST = "both of each pair", "first of each pair"
N_PAIRS = 1_000  # random queries and keys, of which is counted how many decay


def minus(*, width: int, distance: int, seed: int, channels: str) -> Finding:
    """False if without the minus sign scores of equal distance differ from place to place, for most of 100 pairs.

    Else it depends if for most of them the scores are the same ahead and behind, so that direction is lost, or if the
    95% interval of either count holds a half; else true.
    """
    right, without = place_scores(width, distance, seed, channels)
    spread, gap = spread_and_gap(width, distance, seed, channels)
    frequencies = rotary.frequencies(width)
    found = [spread_and_gap(width, distance, draw, channels) for draw in range(N_DRAWS)]
    differ = Counted(sum(one > EXACT for one, _ in found), N_DRAWS)
    directed = Counted(sum(one > EXACT for _, one in found), N_DRAWS)
    works: ClaimVerdict = "true" if (differ.verdict, directed.verdict) == ("false", "true") else "depends"
    angles = torch.tensor(PLACES)[:, None] * frequencies
    stretch = torch.cat([angles.cos() + angles.sin(), angles.cos() - angles.sin()]).abs()
    rows = (
        {"Query at": query, "Key at": query - distance, "With the minus": one, "Without": other}
        for query, one, other in zip(PLACES, right.tolist(), without.tolist(), strict=True)
    )
    return Finding(
        "false" if differ.verdict == "true" else works,
        {
            **differ.measured,
            "directed": directed.count,
            "spread": spread,
            "right_spread": float(right.max() - right.min()),
            "gap": gap,
            "shrinks": float(stretch.min()),
            "grows": float(stretch.max()),
        },
        tuple(rows),
    )


def spread_and_gap(width: int, distance: int, seed: int, channels: str) -> tuple[float, float]:
    """Return how scores without the minus sign differ between the four places, and between a key behind and ahead."""
    _, without = place_scores(width, distance, seed, channels)
    q, k = query_and_key(width, seed, channels)
    frequencies, place = rotary.frequencies(width), PLACES[-1]
    ahead = rotation.without_minus(q, place, frequencies) @ rotation.without_minus(k, place + distance, frequencies)
    return float(without.max() - without.min()), abs(float(without[-1] - ahead))


def query_and_key(width: int, seed: int, channels: str) -> tuple[Tensor, Tensor]:
    """Return a standard normal query and key, float64, shape (width,) each; or with 0 in the second of each pair."""
    drawn = torch.from_numpy(np.random.default_rng(seed).standard_normal((2, width)))
    if channels == FIRST:
        drawn[:, 1::2] = 0
    return drawn[0], drawn[1]


def place_scores(width: int, distance: int, seed: int, channels: str) -> tuple[Tensor, Tensor]:
    """Return the scores at the four places, the key `distance` before the query: with the minus sign, and without."""
    q, k = query_and_key(width, seed, channels)
    frequencies = rotary.frequencies(width)
    right, without = (
        torch.stack([turn(q, place, frequencies) @ turn(k, place - distance, frequencies) for place in PLACES])
        for turn in (rotation.real_form, rotation.without_minus)
    )
    return right, without


def decays(*, width: int, base: float, seed: int, farthest: int) -> Finding:
    """True if the scores of most of 1,000 random queries decay, with keys of their own and with keys of equal content.

    False if not even those of equal content do for most; else it depends. Most is where the 95% interval of the
    fraction lies above a half. A score decays if it is largest at distance 0 and its mean is lower in the farther half
    of the distances.
    """
    frequencies, distances = rotary.frequencies(width, base), torch.arange(farthest + 1)
    own, equal, bound = decay_curves(width, base, seed, farthest)
    trend = rotation.partial_sums(distances, frequencies).mean(dim=-1)
    any_content, equal_content = (Counted(int(one.sum()), N_PAIRS) for one in drawn_falling(frequencies, distances))
    verdicts = any_content.verdict, equal_content.verdict
    return Finding(
        "true" if verdicts == ("true", "true") else "false" if equal_content.verdict == "false" else "depends",
        {
            "peak": int(own.argmax()),
            "farthest": farthest,
            **any_content.measured,
            "equal_count": equal_content.count,
            "equal_share": 100 * equal_content.count / N_PAIRS,
            "equal_low": equal_content.measured["low"],
            "equal_high": equal_content.measured["high"],
            "equal_near": float(equal[: len(equal) // 2].mean()),
            "equal_far": float(equal[len(equal) // 2 :].mean()),
            "bound_lowest": float(bound.min()),
            "bounded": int((bound < equal[0] - EXACT).sum()),
            "trend_lowest": float(trend.min() / trend[0]),
        },
    )


def decay_curves(width: int, base: float, seed: int, farthest: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return by distance the score of a random query and key of norm 1, that of equal content, and its bound."""
    frequencies, distances = rotary.frequencies(width, base), torch.arange(farthest + 1)
    q, k = (x / x.norm() for x in query_and_key(width, seed, BOTH))
    own, equal = (rotation.scores(q, key, distances, frequencies) for key in (k, q))
    return own, equal, rotation.decay_bound(q, q, distances, frequencies)


def falling(scores: Tensor) -> Tensor:
    """Return whether each row of `scores` (..., N) by distance is highest at 0 and lower on average farther out."""
    half = scores.shape[-1] // 2
    return (scores.argmax(dim=-1) == 0) & (scores[..., :half].mean(dim=-1) > scores[..., half:].mean(dim=-1))


def drawn_falling(frequencies: Tensor, distances: Tensor) -> tuple[Tensor, Tensor]:
    """Return which of 1,000 random queries have falling scores, (1000,) each: with a key, and with equal content.

    `frequencies` (d / 2,) in radians per token, `distances` (N,) from 0 on.
    """
    q, k = (torch.view_as_complex(x.unflatten(-1, (-1, 2))) for x in drawn_pairs(2 * len(frequencies)))
    turns = torch.polar(torch.ones(1, 1, dtype=torch.float64), distances[:, None] * frequencies)
    own, equal = (((q * key.conj()) @ turns.mT).real for key in (k, q))  # Re(q e^(i a m) conj(k e^(i a n))), summed
    return falling(own), falling(equal)


def drawn_pairs(width: int) -> Tensor:
    """Return 1,000 standard normal queries and as many keys, float64, shape (2, 1000, width)."""
    return torch.from_numpy(np.random.default_rng(0).standard_normal((2, N_PAIRS, width)))


MINUS = Claim(
    key="minus",
    title="RoPE's minus sign",
    summary="The minus sign in RoPE's (−x₁, x₀) may be dropped, since the weights are learned.",
    paper=SPEC.paper,
    chapter="rope",
    decide=minus,
    sources=(place_scores, spread_and_gap, rotation.real_form, rotation.without_minus),
    parameters=(
        Parameter("width", "Head width", 8, "Channels of query and key; two form a pair.", 2, 64, 2),
        Parameter("distance", "Distance", 3, "How many positions the key is before the query.", 1, 3),
        Parameter("seed", "Seed of query and key", 0, "Which random query and key are drawn.", 0, 99),
        Parameter("channels", "Channels in use", BOTH, "Which channels the projections fill.", choices=(BOTH, FIRST)),
    ),
)

DECAYS = Claim(
    key="decays",
    title="RoPE decays",
    summary="RoPE's attention decays with distance.",
    paper=SPEC.paper,
    chapter="rope",
    decide=decays,
    sources=(decay_curves, falling, drawn_falling, wilson, rotation.decay_bound, rotation.partial_sums),
    parameters=(
        Parameter("width", "Head width", 64, "Channels of query and key; two form a pair.", 2, 128, 2),
        Parameter(
            "base",
            "Base",
            10_000,
            "A larger base slows all pairs but the first.",
            choices=(1, 10, 100, 1_000, 10_000, 500_000),
        ),
        Parameter("seed", "Seed of query and key", 1, "Which random query and key are drawn.", 0, 99),
        Parameter("farthest", "Farthest distance", 256, "Distances from 0 to this one are computed.", 8, 512, 8),
    ),
)
