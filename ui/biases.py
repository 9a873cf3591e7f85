"""The page on relative biases: its controls, the shapes of the systems, and the exercise."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch

from pe_core.chapters import biases as pictures
from pe_core.chapters.biases import N_HEADS, SYSTEMS
from pe_core.chapters.wording import number
from pe_core.encodings import alibi
from pe_core.measures import bias_rows
from pe_core.parameters import Parameter
from ui.widgets.charts import show
from ui.widgets.controls import choose_many, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

TITLES = {key: spec.title for key, spec in SYSTEMS.items()}
AT_FIRST = tuple(SYSTEMS)[:5]
HEAD = Parameter("bias_head", "Head", 1, "One of eight heads; each has numbers of its own.", 1, N_HEADS)
LENGTH = Parameter("bias_length", "Training length", 64, "Tokens that a model saw at once in training.", 16, 512, 16)
SEED = Parameter("bias_seed", "Weights no.", 0, "Which initial weights are drawn for what is learned.", 0, 99)
FARTHEST_GUESS = 64


@dataclass(frozen=True)
class Chosen:
    """What the controls above the first picture say."""

    systems: tuple[str, ...]
    head: int
    train_length: int
    seed: int

    @property
    def model(self) -> dict[str, int]:
        """All but the systems, as the pictures take it."""
        return {"head": self.head, "train_length": self.train_length, "seed": self.seed}

    @property
    def slope(self) -> float:
        """ALiBi's slope of the head."""
        return float(alibi.slopes(N_HEADS)[self.head - 1])


def choose() -> Chosen:
    """Draw the four controls and return what they say."""
    systems = choose_many("bias_systems", "Systems", TITLES, AT_FIRST)
    head, train_length, seed = map(int, side_by_side(HEAD, LENGTH, SEED))
    return Chosen(tuple(systems), head, train_length, seed)


def draw_shapes(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the bias of each system against the distance."""
    if not chosen.systems:
        write(text["nobody"])
        return
    last, ends = 2 * chosen.train_length - 1, torch.tensor([0, 2 * chosen.train_length - 1])
    built = {TITLES[key]: pictures.built(key, chosen.train_length, chosen.seed) for key in chosen.systems}
    values = {name: pictures.at(encoding, chosen.head, last, ends) for name, encoding in built.items()}
    moved = {name: pictures.drift(encoding, chosen.head, chosen.train_length) for name, encoding in built.items()}
    moving = {name: value for name, value in moved.items() if value > 1e-9}
    facts = {
        "head": chosen.head,
        "last": last,
        "drawn": len(pictures.drawn_distances(chosen.train_length)),
        "each": "; ".join(f"{name} {plain(first)} to {plain(end)}" for name, (first, end) in values.items()),
        "moving": "; ".join(f"{name} (by up to {number(value)})" for name, value in moving.items()),
        "still": "; ".join(name for name in moved if name not in moving),
    }
    picture = partial(pictures.shapes, systems=chosen.systems, **chosen.model)
    height = 90 + 92 * len(chosen.systems)
    show(picture, key="bias_shapes", alternative=fill(text["shapes-alternative"], facts), height=height)
    verdict = text["moving" if moving and facts["still"] else "moving-all" if moving else "moving-none"]
    write(verdict if facts["drawn"] == last + 1 else f"{verdict} {text['thinned']}", facts)


def draw_exercise(text: Mapping[str, str]) -> None:
    """Ask from which distance on a key weighs less than a thousandth of the query's own, and compute it."""
    guess = ask(text, "bias_guess", 1, FARTHEST_GUESS)
    if guess is None:
        return
    short, long = (bias_rows.right_row(n_keys, 0.5).flip(0) for n_keys in (FARTHEST_GUESS + 1, 4 * FARTHEST_GUESS))
    ratio = short / short[0]
    nearest = int((ratio < 1e-3).int().argmax())
    facts = {
        "nearest": nearest,
        "before": nearest - 1,
        "ratio": f"{float(ratio[nearest]):.2g}",
        "ratio_before": f"{float(ratio[nearest - 1]):.2g}",
        "longer": len(long),
        "ratio_longer": f"{float(long[nearest] / long[0]):.2g}",
        "guess": guess,
        "guessed": f"{float(ratio[guess]):.2g}",
    }
    judge(text, guess == nearest, facts)


def plain(value: torch.Tensor) -> str:
    """Return a measured number for a sentence; rounding around zero is left out."""
    return number(round(float(value), 9) + 0.0)
