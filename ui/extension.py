"""The parts of the page on context extension: what each rule does to each pair, and closer looks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st
from torch import Tensor

from pe_core.chapters import extension as pictures
from pe_core.chapters import repair
from pe_core.chapters.wording import number
from pe_core.encodings import rotary
from pe_core.figures.extension import MOST_RULES
from pe_core.figures.figure import Figure
from pe_core.measures.channels import unfinished
from pe_core.measures.rotary_bounds import first_negative
from pe_core.parameters import Parameter
from pe_core.rope_scaling import SCALINGS, Scaled, ntk
from ui.widgets.charts import Picture, show
from ui.widgets.controls import choose_many, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

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
BESIDE = ("rerope", "window")  # drawn beside the rules: they bound the distance instead of the frequencies
ROUNDING = 1e-9


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
        return pictures.scaled(self.rules, self.factor, self.train, self.head_dim, self.base)

    def picture(self, draw: Callable[..., Figure]) -> Picture:
        """Return the call that makes a picture of all rules."""
        return partial(
            draw,
            rules=self.rules,
            factor=self.factor,
            train_length=self.train,
            head_dim=self.head_dim,
            base=self.base,
        )

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
    slowing = {title: float((chosen.frequencies / one.frequencies).max()) for title, one in scaled.items()}
    slowest = ", ".join(f"{title} up to {value:.3g}" for title, value in slowing.items())
    facts = {**chosen.facts(), "slowest": slowest}
    alternative = fill(text["slowing-alternative"], facts)
    show(chosen.picture(pictures.slowdown), key="ext_slowing", alternative=alternative, height=360)
    write(text["look"], facts)
    warm = {title: one.temperature for title, one in scaled.items() if one.temperature != 1}
    if warm:
        temperatures = ", ".join(f"{title} {temperature:.4f}" for title, temperature in warm.items())
        write(text["temperature"], {"temperatures": temperatures})


def draw_wavelengths(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the wavelength of each pair under each rule, with the two lengths."""
    facts = {**chosen.facts(), "unfinished": unfinished(chosen.frequencies, chosen.train)}
    write(text["wavelengths"], facts)
    alternative = fill(text["wavelengths-alternative"], facts)
    show(chosen.picture(pictures.wavelengths), key="ext_waves", alternative=alternative, height=400)


def draw_ramp(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how much of position interpolation each rule does to each pair."""
    shares = pictures.shares(chosen.rules, chosen.factor, chosen.train, chosen.head_dim, chosen.base)
    kept = ", ".join(f"{title} {int((share <= ROUNDING).sum())}" for title, share in shares.items())
    whole = ", ".join(f"{title} {int((share >= 1 - ROUNDING).sum())}" for title, share in shares.items())
    turned = chosen.head_dim // 2 - unfinished(chosen.frequencies, chosen.train)
    facts = {**chosen.facts(), "kept": kept, "whole": whole, "turned": turned}
    write(text["ramp" if chosen.factor > 1 else "ramp-none"], facts)
    alternative = fill(text["ramp-alternative"], facts)
    show(chosen.picture(pictures.ramp), key="ext_ramp", alternative=alternative, height=360)


def draw_kernel(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the score of equal content by distance under each rule."""
    found, farthest = [], min(chosen.target, pictures.FARTHEST)
    for title, one in {pictures.TRAINED: Scaled(chosen.frequencies), **chosen.scaled()}.items():
        first = first_negative(one.frequencies, farthest=farthest)
        found.append(f"{title} {f'none up to {farthest:,}' if first is None else f'{first:,}'}")
    facts = {**chosen.facts(), "negatives": ", ".join(found), "last": f"{chosen.target - 1:,}"}
    write(text["kernel"], facts)
    if pictures.averaged(chosen.factor, chosen.train):
        st.caption(fill(text["kernel-mean"], {"neighbours": pictures.NEIGHBOURS}))
    alternative = fill(text["kernel-alternative"], facts)
    show(chosen.picture(pictures.kernel), key="ext_kernel", alternative=alternative, height=400)


def draw_bound(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how far equal content beats random content, against the base."""
    bases = pictures.BASES
    enough = bases[pictures.reached(chosen.head_dim) >= chosen.target]
    facts = {**chosen.facts(), "least": number(float(bases[0])), "most": number(float(bases[-1]))}
    if len(enough):
        write(f"{text['bound']} {text['bound-needed']}", {**facts, "needed": number(float(enough[0]))})
    else:
        write(f"{text['bound']} {text['bound-never']}", facts)
    picture = partial(pictures.base_bound, head_dim=chosen.head_dim, target_length=chosen.target)
    show(picture, key="ext_bound", alternative=fill(text["bound-alternative"], facts), height=400)


def draw_trained(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the loss of a trained model over the length of the text, as trained and under each rule, and in windows."""
    repairs = (*chosen.rules, *BESIDE)
    record = repair.read(repairs)
    outcome, train = record.mean(repair.ENCODING), record.config.train_length
    place = max(at for at, one in enumerate(outcome.lengths) if one.length <= chosen.factor * train)
    losses = {title: one.lengths[place].loss for title, one in outcome.evaluations().items()}
    best = min(losses, key=losses.__getitem__)
    facts = {
        "train": train,
        "steps": f"{record.config.steps:,}",
        "length": outcome.lengths[place].length,
        "losses": ", ".join(f"{title} {loss:.2f}" for title, loss in losses.items()),
        "best": best,
        "least": f"{losses[best]:.2f}",
        "own": f"{outcome.lengths[0].loss:.2f}",
    }
    write(text["trained"], facts)
    picture = partial(repair.losses_by_length, repairs=repairs)
    show(picture, key="ext_trained", alternative=fill(text["trained-alternative"], facts), height=420)
    st.page_link(
        "pages/lab.py",
        label=text["trained-link"],
        icon=":material/science:",
        query_params={"encodings": [repair.ENCODING], "repairs": list(repairs)},
    )


def draw_exercise(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Ask for the slowdown of the last pair under NTK-aware scaling."""
    guess = ask(text, "ext_guess", 1, 100)
    if guess is None:
        return
    plain = rotary.frequencies(4)
    fast, slow = (plain / ntk.slowed(plain, 9.0)).tolist()
    facts = {"guess": guess, "slow": f"{slow:.4g}", "fast": f"{fast:.4g}"}
    judge(text, guess == round(slow), facts)
