"""The parts of the page on context extension: what each rule does to each pair, and closer looks."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.figures.extension import MOST_RULES, Axes, curves
from pe_core.measures.channels import unfinished
from pe_core.measures.rotary_bounds import first_negative
from pe_core.measures.similarity import dot_products
from pe_core.parameters import Parameter
from pe_core.rope_scaling import SCALINGS, Scaled, ntk
from ui.charts import show
from ui.controls import choose_many, side_by_side
from ui.prose import fill, number, write

FACTOR = Parameter("ext_factor", "Factor", 4, "How many times longer the text is than in training.", 1, 32)
TRAIN = Parameter(
    "ext_train",
    "Training length",
    256,
    "Tokens that the model saw at once in training.",
    choices=(64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192),
)
HEAD_DIM = Parameter("ext_width", "Head width", 64, "Channels of a head; two form a pair.", 4, 256, 4)
BASE = Parameter(
    "ext_base",
    "Base",
    10_000,
    "Base of the frequencies in training.",
    choices=(100, 500, 1_000, 10_000, 100_000, 500_000, 1_000_000),
)
FIRST_RULES = ("pi", "ntk", "by_parts", "yarn")
MOST_PLACES = 512  # of a kernel that are drawn; in a longer text each is the mean of some neighbours
NEIGHBOURS = 7  # tokens, a little more than a turn of the fastest pair
BASES = torch.logspace(2, 8, 49, dtype=torch.float64)  # eight to a power of ten
FARTHEST = 65_536


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen, and the frequencies that each chosen rule makes of those of training."""

    factor: int
    train: int
    head_dim: int
    base: int
    rules: tuple[str, ...]

    @property
    def target(self) -> int:
        """Tokens of the longer text."""
        return self.factor * self.train

    @property
    def frequencies(self) -> Tensor:
        """The frequency of each pair in training."""
        return rotary.frequencies(self.head_dim, self.base)

    def scaled(self) -> dict[str, Scaled]:
        """Return what each rule gives, by its title."""
        return {
            SCALINGS[key].title: SCALINGS[key](
                self.frequencies, base=self.base, train_length=self.train, target_length=self.target
            )
            for key in self.rules
        }

    def facts(self) -> dict[str, object]:
        """Return what the texts of the page name."""
        return {
            "train": f"{self.train:,}",
            "target": f"{self.target:,}",
            "factor": self.factor,
            "pairs": self.head_dim // 2,
            "count": len(self.rules),
            "width": self.head_dim,
        }


@dataclass(frozen=True)
class Look:
    """A part of the page below the first picture: what draws it, and the functions to be shown."""

    draw: Callable[[Chosen, Mapping[str, str]], None]
    sources: tuple[Callable[..., Any], ...]


def choose_rules(text: Mapping[str, str]) -> tuple[str, ...]:
    """Draw the choice of rules and return their keys, as many as there are colours; without any, the first ones."""
    titles = {key: spec.title for key, spec in SCALINGS.items()}
    chosen = tuple(choose_many("rules", "Rules", titles, FIRST_RULES))
    if not chosen:
        st.info(text["rules-none"])
    elif len(chosen) > MOST_RULES:
        st.info(fill(text["rules-many"], {"most": MOST_RULES}))
    return chosen[:MOST_RULES] or FIRST_RULES


def choose(rules: tuple[str, ...]) -> Chosen:
    """Draw the four controls and return what they say, for these rules."""
    factor, train, head_dim, base = map(int, side_by_side(FACTOR, TRAIN, HEAD_DIM, BASE))
    return Chosen(factor, train, head_dim, base, rules)


def draw_slowing(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw by how much each rule slows each pair."""
    scaled = chosen.scaled()
    slowing = {title: chosen.frequencies / one.frequencies for title, one in scaled.items()}
    slowest = ", ".join(f"{title} up to {float(values.max()):.3g}" for title, values in slowing.items())
    facts = {**chosen.facts(), "slowest": slowest}
    axes = Axes("Pair", "Slowed by (times)", log_y=True, dots=chosen.head_dim <= 64)
    figure = curves(torch.arange(chosen.head_dim // 2), slowing, axes)
    show(figure, key="ext_slowing", alternative=fill(text["slowing-alternative"], facts), height=360)
    write(text["look"], facts)
    warm = {title: one.temperature for title, one in scaled.items() if one.temperature != 1}
    if warm:
        temperatures = ", ".join(f"{title} {temperature:.4f}" for title, temperature in warm.items())
        write(text["temperature"], {"temperatures": temperatures})


def draw_wavelengths(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the wavelength of each pair under each rule, with the two lengths."""
    facts = {**chosen.facts(), "unfinished": unfinished(chosen.frequencies, chosen.train)}
    write(text["wavelengths"], facts)
    plain = {"in training": sinusoidal.wavelengths(chosen.frequencies)}
    others = {title: sinusoidal.wavelengths(one.frequencies) for title, one in chosen.scaled().items()}
    marks = [(f"training {chosen.train:,}", chosen.train), (f"target {chosen.target:,}", chosen.target)]
    axes = Axes("Pair", "Wavelength (tokens)", log_y=True)
    figure = curves(torch.arange(chosen.head_dim // 2), {**others, **plain}, axes, marks[: chosen.factor])
    show(figure, key="ext_waves", alternative=fill(text["wavelengths-alternative"], facts), height=400)


def draw_kernel(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the score of equal content by distance under each rule."""
    averaged = chosen.target > MOST_PLACES
    distances = torch.linspace(0, chosen.target - 1, min(MOST_PLACES, chosen.target)).round()
    around = distances[:, None] + (torch.arange(NEIGHBOURS) if averaged else torch.zeros(1))
    scaled = {"in training": Scaled(chosen.frequencies), **chosen.scaled()}
    kernels, found = {}, []
    for title, one in scaled.items():
        products = dot_products(around.flatten(), one.frequencies).view(around.shape).mean(dim=-1)
        kernels[title] = products / len(one.frequencies) / one.temperature
        first = first_negative(one.frequencies, farthest=chosen.target)
        found.append(f"{title} {'none' if first is None else f'{first:,}'}")
    facts = {**chosen.facts(), "negatives": ", ".join(found), "last": f"{chosen.target - 1:,}"}
    write(text["kernel"], facts)
    if averaged:
        st.caption(fill(text["kernel-mean"], {"neighbours": NEIGHBOURS}))
    kernels = {**{title: values for title, values in kernels.items() if title != "in training"}, **kernels}
    figure = curves(distances, kernels, Axes("Distance (tokens)", "Score of equal content"))
    show(figure, key="ext_kernel", alternative=fill(text["kernel-alternative"], facts), height=400)


@st.cache_data(max_entries=64, show_spinner="Looking for the first negative distance of each base ...")
def bounds(head_dim: int) -> list[float]:
    """Return the first negative distance for each of `BASES`, infinite where there is none up to 65,536."""
    found = (first_negative(rotary.frequencies(head_dim, base), farthest=FARTHEST) for base in BASES.tolist())
    return [math.inf if first is None else first for first in found]


def draw_bound(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how far equal content beats random content, against the base."""
    reach = torch.tensor(bounds(chosen.head_dim), dtype=torch.float64)
    enough = BASES[reach >= chosen.target]
    facts = {**chosen.facts(), "least": number(float(BASES[0])), "most": number(float(BASES[-1]))}
    if len(enough):
        write(f"{text['bound']} {text['bound-needed']}", {**facts, "needed": number(float(enough[0]))})
    else:
        write(f"{text['bound']} {text['bound-never']}", facts)
    axes = Axes("Base", "First negative distance (tokens)", log_x=True, log_y=True)
    figure = curves(
        BASES, {"equal content beats random up to": reach}, axes, [(f"target {chosen.target:,}", chosen.target)]
    )
    show(figure, key="ext_bound", alternative=fill(text["bound-alternative"], facts), height=400)


def draw_exercise(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Ask for the slowdown of the last pair under NTK-aware scaling."""
    write(text["exercise"])
    guess = st.number_input(text["exercise-label"], 1, 100, value=None, key="ext_guess", width=320)
    if guess is None:
        return
    plain = rotary.frequencies(4)
    fast, slow = (plain / ntk.slowed(plain, 9.0)).tolist()
    facts = {"guess": guess, "slow": f"{slow:.4g}", "fast": f"{fast:.4g}"}
    if guess == round(slow):
        st.success(fill(text["exercise-right"], facts))
    else:
        st.warning(fill(text["exercise-wrong"], facts))
