"""The parts of the RoPE page: the dials of the pairs, and the closer looks below them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st
import torch
from torch import Tensor

from pe_core.chapters.wording import number
from pe_core.encodings import rotary, sinusoidal
from pe_core.figures.rotation import MOST_DIALS
from pe_core.measures import rotation
from pe_core.measures.channels import unfinished
from pe_core.parameters import Parameter
from pe_core.pictures import rope as pictures
from ui.widgets.charts import show
from ui.widgets.controls import control, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

FARTHEST = 511
LONGEST_GUESS = 10
MOVED = 100  # tokens put in front of both, to see what a layout does to the score

HEAD_DIM = Parameter("rope_width", "Head width", 32, "Channels of query and key; two form a pair.", 2, 128, 2)
BASE = Parameter(
    "rope_base",
    "Base",
    10_000,
    "How fast the pairs slow down: the larger, the faster.",
    choices=(1, 10, 100, 500, 1_000, 10_000, 100_000, 500_000, 1_000_000),
)
QUERY = Parameter("query", "Position of the query", 12, "How far the query is turned.", 0, FARTHEST)
KEY = Parameter("key", "Position of the key", 9, "How far the key is turned.", 0, FARTHEST)
SHIFT = Parameter("rope_shift", "Move both by", 0, "Tokens put in front of both: their distance stays.", 0, 500)
SEED = Parameter("rope_seed", "Query and key no.", 1, "Which random query and key are drawn.", 0, 99)
LENGTH = Parameter("rope_length", "Training length", 64, "Tokens that a model saw at once in training.", 16, 4_096, 16)


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen, and the query and key that follow from it, shape (head_dim,), of unit length."""

    head_dim: int
    base: float
    query: int
    key: int
    shift: int
    seed: int

    @property
    def frequencies(self) -> Tensor:
        """The frequency of each pair."""
        return rotary.frequencies(self.head_dim, self.base)

    @property
    def vectors(self) -> tuple[Tensor, Tensor]:
        """The query and the key before any turn."""
        return pictures.content(self.head_dim, self.seed)


def choose() -> Chosen:
    """Draw the six controls and return what they say."""
    query, key, shift = map(int, side_by_side(QUERY, KEY, SHIFT))
    head_dim, base, seed = map(int, side_by_side(HEAD_DIM, BASE, SEED))
    return Chosen(head_dim, float(base), query, key, shift, seed)


def draw_dials(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the pairs of query and key before and after the turn, with the score and what a shift does to it."""
    (q, k), frequencies = chosen.vectors, chosen.frequencies
    found = rotation.shifted(q, k, chosen.query, chosen.key, chosen.shift, frequencies)
    turned = rotary.rotate(q[None], torch.tensor([chosen.query + chosen.shift]), frequencies)[0]
    facts = {
        "pairs": len(frequencies),
        "shown": min(len(frequencies), MOST_DIALS),
        "query": chosen.query,
        "key": chosen.key,
        "shift": f"{chosen.shift:,}",
        "plain": f"{float(q @ k):.4f}",
        "score": f"{found.before:.4f}",
        "moved": f"{found.after:.4f}",
        "error": f"{found.error:.1g}",
        "norms": f"{float(turned.norm()):.4f}",
        "norm": f"{float(q.norm()):.4f}",
    }
    picture = partial(
        pictures.dials,
        head_dim=chosen.head_dim,
        base=chosen.base,
        query=chosen.query,
        key=chosen.key,
        shift=chosen.shift,
        seed=chosen.seed,
    )
    show(picture, key="rope_dials", alternative=fill(text["dials-alternative"], facts), height=400)
    write(text["measured"], facts)
    if len(frequencies) > MOST_DIALS:
        st.caption(fill(text["some"], facts))


def draw_distance(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the score of this query and key, of equal content, and the bound of smooth content, by distance."""
    curves = pictures.by_distance(chosen.head_dim, chosen.base, chosen.seed)
    facts = {
        "best": int(curves[pictures.OWN].argmax()),
        "last": pictures.REACH - 1,
        "bound": f"{float(curves[pictures.BOUND].min()):.2f}",
    }
    write(text["distance"], facts)
    picture = partial(
        pictures.scores_by_distance,
        head_dim=chosen.head_dim,
        base=chosen.base,
        seed=chosen.seed,
        distance=abs(chosen.query - chosen.key),
    )
    show(picture, key="rope_distance", alternative=fill(text["distance-alternative"], facts), height=400)


def draw_turns(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the wavelengths of the pairs against the training length."""
    frequencies = chosen.frequencies
    length = int(control(LENGTH))
    turns = sinusoidal.wavelengths(frequencies)
    facts = {
        "length": f"{length:,}",
        "pairs": len(frequencies),
        "unfinished": unfinished(frequencies, length),
        "met": f"{float(rotation.angles_met(frequencies, length)[-1]):.2%}",
        "fastest": number(float(turns[0])),
        "slowest": number(float(turns[-1])),
    }
    write(text["turns"], facts)
    picture = partial(pictures.wavelengths, head_dim=chosen.head_dim, base=chosen.base, length=length)
    show(picture, key="rope_turns", alternative=fill(text["turns-alternative"], facts), height=360)


def draw_forms(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Write the turned query in three forms, and with the common slip."""
    (q, _), frequencies, position = chosen.vectors, chosen.frequencies, chosen.query
    real = rotation.real_form(q, position, frequencies)
    others = rotation.complex_form(q, position, frequencies), rotation.matrix(position, frequencies) @ q
    slip = rotation.without_minus(q, position, frequencies)
    facts = {
        "query": position,
        "difference": f"{max(float((other - real).abs().max()) for other in others):.1g}",
        "slip_norm": f"{float(slip.norm()):.4f}",
        "norm": f"{float(q.norm()):.4f}",
    }
    write(text["forms"], facts)
    rows = zip(text["forms-rows"].splitlines(), (real, *others, slip), strict=True)
    lines = (f"| {words} | `{'  '.join(f'{value:+.4f}' for value in vector[:4].tolist())}` |" for words, vector in rows)
    write("\n".join([text["forms-head"], *lines]))


def draw_layouts(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the rotation matrix in both layouts, and what the layout does to a score."""
    (q, k), order = chosen.vectors, rotation.half_order(chosen.head_dim)
    write(text["layouts"], {"query": chosen.query})
    for place, layout in zip(st.columns(2), rotary.LAYOUTS, strict=True):
        named = {"query": chosen.query, "layout": layout, "channels": chosen.head_dim}
        picture = partial(
            pictures.rotation_matrix,
            head_dim=chosen.head_dim,
            base=chosen.base,
            position=chosen.query,
            layout=layout,
        )
        with place:
            st.markdown(f"**{layout}**")
            show(picture, key=f"rope_{layout}", alternative=fill(text["layouts-alternative"], named), height=320)
    scores = {layout: _score(q, k, chosen, layout, 0) for layout in rotary.LAYOUTS}
    moved = {layout: _score(q, k, chosen, layout, MOVED) for layout in rotary.LAYOUTS}
    ordered = _score(q[order], k[order], chosen, "half", 0)
    facts: dict[str, str] = {layout: f"{score:.4f}" for layout, score in scores.items()}
    facts |= {
        "ordered": f"{ordered:.4f}",
        "difference": f"{abs(ordered - scores['interleaved']):.1g}",
        "far": str(MOVED),
        "kept": f"{max(abs(moved[layout] - scores[layout]) for layout in rotary.LAYOUTS):.1g}",
    }
    write(text["layouts-measured"], facts)


def _score(q: Tensor, k: Tensor, chosen: Chosen, layout: rotary.Layout, shift: int) -> float:
    positions = torch.tensor([chosen.query, chosen.key]) + shift
    turned = rotary.rotate(torch.stack([q, k]), positions, chosen.frequencies, layout=layout)
    return float(turned[0] @ turned[1])


def draw_exercise(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Ask for the distance of the lowest score of one pair."""
    guess = ask(text, "rope_guess", 0, LONGEST_GUESS)
    if guess is None:
        return
    one = torch.tensor([1.0, 0.0], dtype=torch.float64)
    scores = rotation.scores(one, one, torch.arange(LONGEST_GUESS + 1), rotary.frequencies(2))
    lowest = int(scores.argmin())
    facts = {"lowest": lowest, "value": f"{float(scores[lowest]):.4f}"}
    facts |= {"guess": guess, "guessed": f"{float(scores[guess]):.4f}"}
    judge(text, guess == lowest, facts)
