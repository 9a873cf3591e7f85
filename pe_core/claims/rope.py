"""Claims about RoPE: the minus sign of its rotation, and whether its scores decay with the distance."""

import numpy as np
import torch
from torch import Tensor

from pe_core.claims.base import EXACT, Claim, Finding
from pe_core.encodings import rotary
from pe_core.encodings.rotary import SPEC
from pe_core.measures import rotation
from pe_core.parameters import Parameter

PLACES = (3, 10, 50, 200)  # of the query
BOTH, FIRST = "both of each pair", "first of each pair"
N_PAIRS = 100  # random queries and keys, of which is counted how many score best at distance 0


def minus(*, width: int, distance: int, seed: int, channels: str) -> Finding:
    """False if without the minus sign scores of equal distance differ from place to place.

    It depends if they agree but are the same ahead and behind, so that direction is lost; else true.
    """
    right, without = place_scores(width, distance, seed, channels)
    q, k = query_and_key(width, seed, channels)
    frequencies, place = rotary.frequencies(width), PLACES[-1]
    behind = rotation.without_minus(q, place, frequencies) @ rotation.without_minus(k, place + distance, frequencies)
    spread, gap = float(without.max() - without.min()), abs(float(without[-1] - behind))
    angles = torch.tensor(PLACES)[:, None] * frequencies
    stretch = torch.cat([angles.cos() + angles.sin(), angles.cos() - angles.sin()]).abs()
    rows = (
        {"Query at": query, "Key at": query - distance, "With the minus": one, "Without": other}
        for query, one, other in zip(PLACES, right.tolist(), without.tolist(), strict=True)
    )
    return Finding(
        "false" if spread > EXACT else "depends" if gap <= EXACT else "true",
        {
            "spread": spread,
            "right_spread": float(right.max() - right.min()),
            "gap": gap,
            "shrinks": float(stretch.min()),
            "grows": float(stretch.max()),
        },
        tuple(rows),
    )


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
    """True if equal content and this query and key both decay; it depends if equal content alone does; else false.

    A score decays if it is largest at distance 0 and its mean is lower in the farther half of the distances.
    """
    frequencies, distances = rotary.frequencies(width, base), torch.arange(farthest + 1)
    own, equal, bound = decay_curves(width, base, seed, farthest)
    both = falling(equal), falling(own)
    peaks = generic_peaks(frequencies, distances)
    trend = rotation.partial_sums(distances, frequencies).mean(dim=-1)
    return Finding(
        "true" if all(both) else "depends" if both[0] else "false",
        {
            "peak": int(own.argmax()),
            "farthest": farthest,
            "drawn": N_PAIRS,
            "near": int((peaks == 0).sum()),
            "equal_near": float(equal[: len(equal) // 2].mean()),
            "equal_far": float(equal[len(equal) // 2 :].mean()),
            "bound_lowest": float(bound.min()),
            "bounded": int((bound < equal[0] - EXACT).sum()),
            "trend_lowest": float(trend.min() / trend[0]),
        },
    )


def decay_curves(width: int, base: float, seed: int, farthest: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return by distance: the score of a random query and key, that of equal content, and the bound of the second.

    Query and key have norm 1, so that no score is above 1.
    """
    frequencies, distances = rotary.frequencies(width, base), torch.arange(farthest + 1)
    q, k = (x / x.norm() for x in query_and_key(width, seed, BOTH))
    own, equal = (rotation.scores(q, key, distances, frequencies) for key in (k, q))
    return own, equal, rotation.decay_bound(q, q, distances, frequencies)


def falling(scores: Tensor) -> bool:
    """Return whether `scores` (N,), for distances 0, 1 ..., are largest at 0 and lower in the farther half."""
    half = len(scores) // 2
    return int(scores.argmax()) == 0 and bool(scores[:half].mean() > scores[half:].mean())


def generic_peaks(frequencies: Tensor, distances: Tensor) -> Tensor:
    """Return the distance at which each of 100 random queries scores best with its random key, shape (100,)."""
    drawn = np.random.default_rng(0).standard_normal((2, N_PAIRS, 2 * len(frequencies)))
    q, k = (torch.view_as_complex(x.unflatten(-1, (-1, 2))) for x in torch.from_numpy(drawn))
    turns = torch.polar(torch.ones(1, 1, dtype=torch.float64), distances[:, None] * frequencies)
    scores = ((q * k.conj()) @ turns.mT).real  # Re(q e^(i a m) conj(k e^(i a n))), summed over the pairs
    return distances[scores.argmax(dim=-1)]


MINUS = Claim(
    key="minus",
    title="RoPE's minus sign",
    summary="The minus sign in RoPE's (−x₁, x₀) may be dropped, since the weights are learned.",
    paper=SPEC.paper,
    chapter="rope",
    decide=minus,
    sources=(place_scores, rotation.real_form, rotation.without_minus),
    parameters=(
        Parameter("width", "Head width", 8, "Channels of query and key; two form a pair.", 2, 64, 2),
        Parameter("distance", "Distance", 3, "How far before the query the key stands.", 1, 3),
        Parameter("seed", "Query and key no.", 0, "Which random query and key are drawn.", 0, 99),
        Parameter("channels", "Channels in use", BOTH, "What the weights let through.", choices=(BOTH, FIRST)),
    ),
)

DECAYS = Claim(
    key="decays",
    title="RoPE decays",
    summary="RoPE's attention decays with distance.",
    paper=SPEC.paper,
    chapter="rope",
    decide=decays,
    sources=(decay_curves, falling, generic_peaks, rotation.decay_bound, rotation.partial_sums),
    parameters=(
        Parameter("width", "Head width", 64, "Channels of query and key; two form a pair.", 2, 128, 2),
        Parameter(
            "base", "Base", 10_000, "How fast the pairs slow down.", choices=(1, 10, 100, 1_000, 10_000, 500_000)
        ),
        Parameter("seed", "Query and key no.", 1, "Which random query and key are drawn.", 0, 99),
        Parameter("farthest", "Farthest distance", 256, "Distances 0 to this one are looked at.", 8, 512, 8),
    ),
)
