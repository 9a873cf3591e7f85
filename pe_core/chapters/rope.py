"""RoPE: a query and a key turned pair by pair, and what their score then knows of their positions."""

import math
from collections.abc import Mapping
from functools import lru_cache

import torch
from torch import Tensor

from pe_core.claims.base import EXACT
from pe_core.encodings import rotary, sinusoidal
from pe_core.figures import points
from pe_core.figures import turned as figures
from pe_core.figures.curves import Part, across, curves, layered, marks, series, upwards, values_read
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import heatmap
from pe_core.figures.looks.palette import CATEGORICAL
from pe_core.measures import rotation
from pe_core.measures.channels import evenly, unfinished
from pe_core.parameters import Parameter

MAX_HEAD_DIM = 128  # channels that are drawn at random; a narrower head has the first of them
REACH = 512  # distances of a curve
OWN, EQUAL, BOUND = "this query and key", "a query and a key of equal content", "bound for that equal content"
FAR = 100  # tokens put in front of both, to see what a layout does to the score
MAX_GUESS = 10
DISTANCE = "Distance between query and key"

PLACES = {
    "query": Parameter("query", "Position of the query", 12, "How far the query is turned.", 0, figures.LAST),
    "key": Parameter("key", "Position of the key", 9, "How far the key is turned.", 0, figures.LAST),
    "shift": Parameter("rope_shift", "Move both by", 0, "Tokens put in front of both: their distance stays.", 0, 500),
}
HEAD = {
    "head_dim": Parameter(
        "rope_width", "Head width", 32, "Channels of query and key; two form a pair.", 2, MAX_HEAD_DIM, 2
    ),
    "base": Parameter(
        "rope_base",
        "Base",
        10_000,
        "How fast the pairs slow down: the larger, the faster.",
        1,
        100_000_000,
    ),
    "seed": Parameter("rope_seed", "Seed of query and key", 1, "Which random query and key are drawn.", 0, 99),
}
LENGTH = {
    "length": Parameter(
        "rope_length", "Training length", 64, "Tokens that a model saw at once in training.", 16, 2**20, 16
    )
}


def content(head_dim: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return a random query and key of length 1 before any turn, float64, shape (head_dim,) each.

    Their pairs point anywhere; none is more than twice as long as another, so that every hand can be seen.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.rand(2, 2, MAX_HEAD_DIM // 2, dtype=torch.float64, generator=generator)
    lengths, turns = drawn[:, :, : head_dim // 2]
    both = torch.view_as_real(torch.polar(1 + lengths, 2 * math.pi * turns)).flatten(1)
    q, k = both / both.norm(dim=-1, keepdim=True)
    return q, k


def dials(head_dim: int, base: float, query: int, key: int, shift: int, seed: int) -> Figure:
    """Return a dial for up to eight pairs: the query and the key before and after the turn, both moved on by `shift`.

    `query` and `key` are positions; `seed` says which random query and key are drawn.
    """
    (q, k), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    pairs = evenly(len(frequencies), figures.MAX_DIALS)
    found = rotation.shifted(q, k, query, key, shift, frequencies)
    turned = rotary.rotate(q[None], torch.tensor([query + shift]), frequencies)[0]
    facts = {
        "pairs": len(frequencies),
        "shown": len(pairs),
        "plain": float(q @ k),
        "score": found.before,
        "moved": found.after,
        "error": found.error,
        "norm": float(q.norm()),
        "turned-norm": float(turned.norm()),
        "some": "some" if len(pairs) < len(frequencies) else "",
    }
    return figures.turned(q, k, query, key, frequencies, pairs, shift=shift).with_facts(facts)


def by_distance(head_dim: int, base: float, seed: int) -> Mapping[str, Tensor]:
    """Return the score of the random query and key, of equal content, and its bound, (512,) each by its name."""
    (q, k), frequencies, distances = content(head_dim, seed), rotary.frequencies(head_dim, base), torch.arange(REACH)
    return {
        OWN: rotation.scores(q, k, distances, frequencies),
        EQUAL: rotation.scores(q, q, distances, frequencies),
        BOUND: rotation.decay_bound(q, q, distances, frequencies),
    }


def scores_by_distance(head_dim: int, base: float, seed: int, query: int, key: int) -> Figure:
    """Return the score at distances 0 to 511, that of equal content and its bound, with a line where the two stand."""
    drawn, facts = _curves(head_dim, base, seed)
    return layered(drawn, marks([("", abs(query - key))]), values_read(DISTANCE, FAR, REACH - 1)).with_facts(facts)


def drawn_by_distance(named: Mapping[str, Tensor]) -> Part:
    """Return a line for each of the scores `named` (N,) at distances 0, 1, 2 ..."""
    rows = series(torch.arange(len(next(iter(named.values())))), named)
    colours = CATEGORICAL[0], CATEGORICAL[1], CATEGORICAL[7]
    return curves(rows, across(DISTANCE), upwards("Score"), colours=colours, line="Curve")


@lru_cache(maxsize=16)  # a step of query or key moves the line alone
def _curves(head_dim: int, base: float, seed: int) -> tuple[Part, Facts]:
    named = by_distance(head_dim, base, seed)
    trend = rotation.partial_sums(torch.arange(REACH), rotary.frequencies(head_dim, base)).mean(dim=-1)
    facts = {
        "best": int(named[OWN].argmax()),
        "last": REACH - 1,
        "distances": REACH,
        "lowest-bound": float(named[BOUND].min()),
        "bounded": int((named[BOUND] < named[EQUAL][0] - EXACT).sum()),
        "trend": float(trend.min() / trend[0]),
    }
    return drawn_by_distance(named), facts


def wavelengths(head_dim: int, base: float, length: int) -> Figure:
    """Return the wavelength of every pair, with a line at the training length."""
    frequencies = rotary.frequencies(head_dim, base)
    found = sinusoidal.wavelengths(frequencies)
    facts = {
        "pairs": len(frequencies),
        "unfinished": unfinished(frequencies, length),
        "met": float(rotation.angles_met(frequencies, length)[-1]),
        "fastest": float(found[0]),
        "slowest": float(found[-1]),
    }
    return points.wavelengths(frequencies, length).with_facts(facts)


def forms(head_dim: int, base: float, query: int, seed: int) -> Facts:
    """Return the turned query in three forms, as its first four channels, and with the common mistake."""
    (q, _), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    real = rotation.real_form(q, query, frequencies)
    others = rotation.complex_form(q, query, frequencies), rotation.matrix(query, frequencies) @ q
    mistake = rotation.without_minus(q, query, frequencies)
    named = zip(("real", "complex", "matrix", "mistake"), (real, *others, mistake), strict=True)
    return {
        "difference": max(float((other - real).abs().max()) for other in others),
        "mistake-norm": float(mistake.norm()),
        "norm": float(q.norm()),
        **{name: "  ".join(f"{value:+.4f}" for value in vector[:4].tolist()) for name, vector in named},
    }


def rotation_matrix(head_dim: int, base: float, query: int, layout: rotary.Layout) -> Figure:
    """Return the heatmap of the rotation of the query's position, for channels in this layout."""
    channels = torch.eye(head_dim, dtype=torch.float64)[:, None]  # each a text of one token
    turned = rotary.rotate(channels, torch.tensor([query]), rotary.frequencies(head_dim, base), layout=layout)
    return heatmap(turned[:, 0].T, rows="To channel", columns="From channel", title="Value")


def layouts(head_dim: int, base: float, query: int, key: int, seed: int) -> Facts:
    """Return the score of the same query and key in both layouts, in the other one's order, and moved on by 100."""
    (q, k), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)

    def score(q: Tensor, k: Tensor, layout: rotary.Layout, shift: int) -> float:
        turned = rotary.rotate(torch.stack([q, k]), torch.tensor([query, key]) + shift, frequencies, layout=layout)
        return float(turned[0] @ turned[1])

    order = rotation.half_order(head_dim)
    here, there = ({layout: score(q, k, layout, shift) for layout in rotary.LAYOUTS} for shift in (0, FAR))
    ordered = score(q[order], k[order], "half", 0)
    return {
        "interleaved": here["interleaved"],
        "half": here["half"],
        "ordered": ordered,
        "difference": abs(ordered - here["interleaved"]),
        "far": FAR,
        "kept": max(abs(there[layout] - here[layout]) for layout in rotary.LAYOUTS),
    }


def lowest_score(guess: int) -> tuple[bool, Facts]:
    """Return whether the score of one pair, query and key both (1, 0), is lowest at the distance of the guess."""
    one = torch.tensor([1.0, 0.0], dtype=torch.float64)
    scores = rotation.scores(one, one, torch.arange(MAX_GUESS + 1), rotary.frequencies(2))
    lowest = int(scores.argmin())
    return guess == lowest, {"lowest": lowest, "value": float(scores[lowest]), "guessed": float(scores[guess])}
