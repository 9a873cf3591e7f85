r"""RoPE: a query and a key turned pair by pair, what their score then knows of their positions, and step by step why.

The derivation is that of Su et al. 2021, arXiv:2104.09864, section 3.4.1, equations 20 to 33: for one pair, ask for
$\langle f(q, m), f(k, n) \rangle = g(q, k, m - n)$ and see what $f$ can be.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import torch
from torch import Tensor

from pe_core.chapters.why_position import words_of
from pe_core.chapters.wording import rows
from pe_core.claims.base import EXACT
from pe_core.encodings import rotary, sinusoidal
from pe_core.figures import dials as figures
from pe_core.figures import points
from pe_core.figures.curves import Part, across, curves, layered, marks, series, upwards, values_read
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import heatmap, limit_of
from pe_core.figures.looks.palette import CATEGORICAL
from pe_core.measures import rotation
from pe_core.measures.channels import evenly, unfinished
from pe_core.parameters import Example, Parameter
from pe_core.wrapping import spelt

MAX_HEAD_DIM = 128  # channels that are drawn at random; a narrower head has the first of them
REACH = 512  # distances of a curve
OWN, EQUAL, BOUND = "this query and key", "a query and a key of equal content", "bound for that equal content"
FAR = 100  # tokens put in front of both, to see what becomes of the score
MAX_GUESS = 10
DISTANCE = "Distance between query and key"

QUERY = Parameter("query", "Position of the query", 12, "How far the query is turned.", 0, figures.LAST)
KEY = Parameter("key", "Position of the key", 9, "How far the key is turned.", 0, figures.LAST)
HEAD_DIM = Parameter("rope_width", "Head width", 32, "Channels of query and key; two form a pair.", 2, MAX_HEAD_DIM, 2)
BASE = Parameter("rope_base", "Base", 10_000, "How fast the pairs slow down: the larger, the faster.", 1, 100_000_000)
SEED = Parameter("rope_seed", "Seed of query and key", 1, "Which random query and key are drawn.", 0, 9)
LENGTH = Parameter("rope_length", "Training length", 64, "Tokens that a model saw at once in training.", 16, 2**20, 16)

DERIVATION = Parameter("rope_step", "Step of the derivation", 1, "From the goal to the matrix.", 1, 7)
DIALS = Parameter("rope_dial_step", "Step", 1, "One dial first, then all.", 1, 4)
ATTENTION = Parameter("rope_attention_step", "Step", 1, "From the tokens to their scores.", 1, 4)

WISHED = 16  # positions of the picture of the goal
SENTENCE = Example("the cat sat down")
N_TOKENS = 4  # of the example
WIDTH = 4  # its channels: two pairs
EARLIEST = 4  # angles that a sentence lists


def content(head_dim: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return a random query and key of length 1, float64, (head_dim,) each, no pair over twice as long as another."""
    drawn = torch.rand(2, 2, MAX_HEAD_DIM // 2, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    lengths, turns = drawn[:, :, : head_dim // 2]
    both = torch.view_as_real(torch.polar(1 + lengths, 2 * math.pi * turns)).flatten(1)
    q, k = both / both.norm(dim=-1, keepdim=True)
    return q, k


def dials(head_dim: int, base: float, query: int, key: int, shift: int, seed: int) -> Figure:
    """Return a dial for up to eight pairs: query and key before and after the turn, both moved on by `shift`."""
    (q, k), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    pairs = evenly(len(frequencies), figures.MAX_DIALS)
    before, after = (rotation.score(q, k, query + by, key + by, frequencies) for by in (shift, shift + FAR))
    turned = rotary.rotate(q[None], torch.tensor([query + shift]), frequencies)[0]
    facts = {
        "pairs": len(frequencies),
        "shown": len(pairs),
        "plain": float(q @ k),
        "score": before,
        "far": FAR,
        "moved": after,
        "error": abs(after - before),
        "query-at": query + shift,
        "key-at": key + shift,
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
        "met": 100 * float(rotation.turned_through(frequencies, length - 1)[-1]),
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


def _pair(head_dim: int, base: float, seed: int) -> tuple[int, Tensor, Tensor, Tensor]:
    """Return the pair that is derived, the second where there is one, with its q (2,), k (2,) and frequency (1,)."""
    (q, k), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    pair = min(1, len(frequencies) - 1)
    own = slice(2 * pair, 2 * pair + 2)
    return pair, q[own], k[own], frequencies[pair : pair + 1]


def derivation(head_dim: int, base: float, query: int, key: int, seed: int) -> Facts:
    """Return the numbers of every step from the goal to the matrix, for one pair and then for all."""
    pair, q, k, frequency = _pair(head_dim, base, seed)
    omega = float(frequency)
    turned = {name: rotation.complex_form(x, at, frequency) for name, x, at in (("q", q, query), ("k", k, key))}
    whole_q, whole_k = content(head_dim, seed)
    frequencies = rotary.frequencies(head_dim, base)
    whole, whole_moved = (rotation.score(whole_q, whole_k, query + by, key + by, frequencies) for by in (0, FAR))
    score, moved = (rotation.score(q, k, query + by, key + by, frequency) for by in (0, FAR))
    shares = rotation.pair_scores(whole_q, whole_k, query - key, frequencies)
    return {
        "pair": pair,
        "pairs": len(shares),
        "far": FAR,
        "far-query": query + FAR,
        "far-key": key + FAR,
        "distance": query - key,
        "omega": omega,
        "q0": float(q[0]),
        "q1": float(q[1]),
        "k0": float(k[0]),
        "k1": float(k[1]),
        "q-length": float(q.norm()),
        "k-length": float(k.norm()),
        "lengths": float(q.norm() * k.norm()),
        "q-angle": math.atan2(float(q[1]), float(q[0])),
        "k-angle": math.atan2(float(k[1]), float(k[0])),
        "product": float(q @ k),
        "conjugate": float((torch.complex(*q) * torch.complex(*k).conj()).real),
        "angles": ", ".join(spelt(omega * m, ".4g") for m in range(EARLIEST)),
        "query-angle": omega * query,
        "key-angle": omega * key,
        "cosine": math.cos(omega * query),
        "sine": math.sin(omega * query),
        "minus-sine": -math.sin(omega * query),
        **{f"{name}-turned{channel}": float(x[channel]) for name, x in turned.items() for channel in (0, 1)},
        "turned-length": float(turned["q"].norm()),
        "matrix-error": float((rotation.matrix(query, frequency) @ q - turned["q"]).abs().max()),
        "score": score,
        "moved": moved,
        "error": abs(moved - score),
        "first-shares": ", ".join(spelt(share, "+.4f") for share in shares[:EARLIEST].tolist()),
        "sum": float(shares.sum()),
        "whole": whole,
        "whole-moved": whole_moved,
        "whole-error": abs(whole_moved - whole),
    }


def line_by_line(head_dim: int, base: float, query: int, seed: int) -> Facts:
    """Return the first four channels after each line of the element-wise form, for the query at its position."""
    (q, _), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    angle = (query * frequencies).repeat_interleave(2)
    swapped = torch.stack([-q[1::2], q[0::2]], dim=-1).flatten()
    vectors = {"own": q, "repeated": angle, "swapped": swapped, "result": rotation.real_form(q, query, frequencies)}
    return {name: "  ".join(f"{value:+.4f}" for value in vector[:4].tolist()) for name, vector in vectors.items()}


def goal(head_dim: int, base: float, seed: int) -> Figure:
    """Return the score of the derived pair for each position of the query and of the key."""
    _, q, k, frequency = _pair(head_dim, base, seed)
    positions = torch.arange(WISHED)
    turned = [rotary.rotate(x.expand(WISHED, -1), positions, frequency) for x in (q, k)]
    scores = turned[0] @ turned[1].T
    diagonals = (scores.diagonal(offset) for offset in range(1 - WISHED, WISHED))
    spread = max(float(along.max() - along.min()) for along in diagonals)
    limit = limit_of(scores)
    figure = heatmap(scores, rows="Position of the query", columns="Position of the key", title="Score", limit=limit)
    return figure.with_facts({"wished": WISHED, "spread": spread})


def one_dial(head_dim: int, base: float, query: int, key: int, shift: int, seed: int) -> Figure:
    """Return the dial of the derived pair, with the angle between query and key, both moved on by `shift`."""
    (q, k), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    pair, *_ = _pair(head_dim, base, seed)
    figure = figures.turned(q, k, query, key, frequencies, [pair], shift=shift, alone=True)
    return figure.with_facts({"angle": float(figure.frames["dials"].angle.iloc[0]), "pair": pair})


def one_pair(head_dim: int, base: float, query: int, key: int, seed: int) -> Facts:
    """Return the angle between query and key of one pair before any turn, at their positions, and both moved on."""
    pair, q, k, frequency = _pair(head_dim, base, seed)
    shown = {"": (query, key, 0), "start-": (0, 0, 0), "moved-": (query, key, FAR)}
    angles = {
        f"{name}between": one_dial(head_dim, base, *places, seed=seed).facts["angle"] for name, places in shown.items()
    }
    degrees = math.degrees(float(frequency))
    return {
        **angles,
        "pair": pair,
        "far": FAR,
        "degrees": degrees,
        "query-turn": degrees * query,
        "key-turn": degrees * key,
        "against": degrees * (query - key),
        "far-turn": degrees * FAR,
        "plain-share": float(q @ k),
        "pair-share": rotation.score(q, k, query, key, frequency),
        "pair-moved": rotation.score(q, k, query + FAR, key + FAR, frequency),
    }


def example(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return embeddings, queries and keys of the four tokens, float64, (4, 4) each; one digit behind the point."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(3, N_TOKENS, WIDTH, dtype=torch.float64, generator=generator).round(decimals=1)
    x, to_query, to_key = drawn
    # Products have two digits: where the second is a 5, the last bit of a sum, another on every machine, decided.
    q, k = ((x @ projection).round(decimals=2).round(decimals=1) for projection in (to_query, to_key))
    return x + 0.0, q + 0.0, k + 0.0  # adding 0 makes 0 of -0


def _scores(base: float, seed: int, first: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return turned queries and keys, and their scores over the root of the width, the first token at `first`."""
    _, q, k = example(seed)
    positions = torch.arange(first, first + N_TOKENS)
    turned_q, turned_k = rotary.rotate_both(q, k, positions, rotary.frequencies(WIDTH, base))
    return turned_q, turned_k, turned_q @ turned_k.T / math.sqrt(WIDTH)


def attention(base: float, seed: int, sentence: str) -> Facts:
    """Return the tables of the four steps from tokens to scores, and what the scores are further on in a text."""
    tokens = words_of(sentence)
    x, q, k = example(seed)
    frequencies = rotary.frequencies(WIDTH, base)
    angles = sinusoidal.angles(torch.arange(N_TOKENS), frequencies)
    turned_q, turned_k, scores = _scores(base, seed, 0)
    further = _scores(base, seed, FAR)[2]
    last, before = N_TOKENS - 1, N_TOKENS - 2
    weights = scores[last].softmax(dim=0)
    return {
        "last": last,
        "before": before,
        "last-token": tokens[last],
        "before-token": tokens[before],
        "width": WIDTH,
        "far": FAR,
        "vectors": _table(tokens, x, q, k, digits=1),
        "angles": rows((m, word, *(f"{angle:.4f}" for angle in angles[m])) for m, word in enumerate(tokens)),
        "first-omega": float(frequencies[0]),
        "second-omega": float(frequencies[1]),
        "q-first": ", ".join(spelt(value, ".1f") for value in q[last, :2].tolist()),
        "q-turned": ", ".join(spelt(value, ".4f") for value in turned_q[last, :2].tolist()),
        "q-angle": float(angles[last, 0]),
        "turned": _table(tokens, turned_q, turned_k, digits=3),
        "products": " + ".join(f"({spelt(value, '.3f')})" for value in (turned_q[last] * turned_k[before]).tolist()),
        "dot": float(turned_q[last] @ turned_k[before]),
        "score": float(scores[last, before]),
        "weights": ", ".join(f"{word} {weight:.3f}" for word, weight in zip(tokens, weights.tolist(), strict=True)),
        "kept": float((further - scores).abs().max()),
    }


def _table(tokens: Sequence[str], *vectors: Tensor, digits: int) -> str:
    """Return a row for each token with its vectors, (4, 4) each."""
    return rows(
        (m, word, *(f"`{'  '.join(f'{value:.{digits}f}' for value in one[m].tolist())}`" for one in vectors))
        for m, word in enumerate(tokens)
    )


def example_scores(base: float, seed: int) -> Figure:
    """Return the scores of the four tokens of the example, each query with each key."""
    scores = _scores(base, seed, 0)[2]
    figure = heatmap(scores, rows="Query m", columns="Key n", title="Score", limit=limit_of(scores))
    return figure.with_facts({"highest": float(scores.max()), "lowest": float(scores.min()), "tokens": N_TOKENS})
