"""The parts of the page on relative biases: the shapes of the systems, and the closer looks below them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
import torch

from pe_core.encodings import alibi
from pe_core.measures import bias_buckets, bias_forms, bias_rows
from pe_core.measures.distances import by_distance
from pe_core.parameters import Parameter
from pe_core.pictures import bias_details as details
from pe_core.pictures import biases as pictures
from pe_core.pictures.bias_details import LAST_KEYS
from pe_core.pictures.biases import MATRIX_LENGTH, MOST_KEYS, N_HEADS, SYSTEMS
from ui.charts import show
from ui.controls import choose_many, choose_one, control, side_by_side
from ui.exercise import ask, judge
from ui.prose import fill, number, write

TITLES = {key: spec.title for key, spec in SYSTEMS.items()}
AT_FIRST = tuple(SYSTEMS)[:5]
HEAD = Parameter("bias_head", "Head", 1, "One of eight heads; each has numbers of its own.", 1, N_HEADS)
LENGTH = Parameter("bias_length", "Training length", 64, "Tokens that a model saw at once in training.", 16, 512, 16)
SEED = Parameter("bias_seed", "Weights no.", 0, "Which initial weights are drawn for what is learned.", 0, 99)
KEYS = Parameter("bias_keys", "Keys in the row", 64, "How many tokens the last query can look at.", 1, MOST_KEYS)
WINDOW = Parameter("bias_window", "Nearest keys", 16, "Their share of the attention is added up.", 1, 64)
ROW = Parameter("bias_row", "Keys in the row", 6, "How many tokens the last query can look at.", 2, 32)
SLOPE = Parameter(
    "bias_slope",
    "Slope a",
    1.0,
    "1 shows the slip best; the heads of ALiBi have a half and less.",
    choices=tuple(2.0**-power for power in range(8, -1, -1)),
)
BUCKETS = Parameter("bias_buckets", "Buckets", 32, "Into how many classes distances fall.", 4, 64, 4)
FARTHEST = Parameter(
    "bias_farthest",
    "Last bucket by",
    128,
    "From this distance on, at the latest, all keys share the last bucket.",
    choices=(32, 64, 128, 256, 512, 1_024),
)
HEADS = Parameter("bias_heads", "Heads H", 12, "Of a model; powers of two have a plain series.", 1, 32)
TEXT = Parameter("bias_text", "Keys in the row", 4_096, "Length of the text.", choices=(64, 256, 1_024, 4_096, 16_384))
FORMAT = Parameter(
    "bias_format", "Numbers are kept in", "bfloat16", "The format of the bias.", choices=tuple(bias_forms.PRECISIONS)
)
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
        "each": "; ".join(f"{name} {_plain(first)} to {_plain(end)}" for name, (first, end) in values.items()),
        "moving": "; ".join(f"{name} (by up to {number(value)})" for name, value in moving.items()),
        "still": "; ".join(name for name in moved if name not in moving),
    }
    picture = partial(pictures.shapes, systems=chosen.systems, **chosen.model)
    height = 90 + 92 * len(chosen.systems)
    show(picture, key="bias_shapes", alternative=fill(text["shapes-alternative"], facts), height=height)
    verdict = text["moving" if moving and facts["still"] else "moving-all" if moving else "moving-none"]
    write(verdict if facts["drawn"] == last + 1 else f"{verdict} {text['thinned']}", facts)


def draw_matrix(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the bias of every query and key in one head, and the attention that it makes of equal content."""
    system = choose_one("bias_system", "System", TITLES, AT_FIRST[0])
    positions = torch.arange(MATRIX_LENGTH)
    every = pictures.bias_of(pictures.built(system, chosen.train_length, chosen.seed), positions)
    keys = [float(bias_rows.effective_keys(bias_rows.attention(own)[-1])) for own in every]
    facts = {
        "system": TITLES[system],
        "head": chosen.head,
        "tokens": MATRIX_LENGTH,
        "spread": f"{by_distance(every[chosen.head - 1]).spread:.2g}",
        "lowest": _plain(every[chosen.head - 1][-1].min()),
        "keys": f"{keys[chosen.head - 1]:.1f}",
        "heads": ", ".join(f"{count:.1f}" for count in keys),
    }
    write(text["matrix"], facts)
    left, right = st.columns(2)
    with left:
        picture = partial(pictures.bias_matrix, system=system, **chosen.model)
        show(picture, key="bias_matrix", alternative=fill(text["matrix-alternative"], facts), height=360)
    with right:
        picture = partial(pictures.attention_matrix, system=system, **chosen.model)
        show(picture, key="bias_attention", alternative=fill(text["attention-alternative"], facts), height=360)


def draw_row(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the weights of one row, and how many keys it spreads over as the text grows."""
    n_keys, window = map(int, side_by_side(KEYS, WINDOW))
    rows = pictures.last_rows(chosen.systems, **chosen.model, n_keys=n_keys)
    measured = {
        name: (float(bias_rows.effective_keys(row)), bias_rows.share_within(row, window)) for name, row in rows.items()
    }
    facts = {
        "keys": n_keys,
        "window": window,
        "head": chosen.head,
        "each": "; ".join(f"{name} {keys:.1f}" for name, (keys, _) in measured.items()),
        "highest": "; ".join(f"{name} {number(float(row.max()))}" for name, row in rows.items()),
    }
    write(text["row"], facts)
    model = {**chosen.model, "n_keys": n_keys}
    left, right = st.columns(2)
    with left:
        picture = partial(pictures.weights_by_distance, systems=chosen.systems, **model)
        show(picture, key="bias_weights", alternative=fill(text["weights-alternative"], facts), height=400)
    with right:
        picture = partial(pictures.effective_keys, systems=chosen.systems, **model)
        show(picture, key="bias_effective", alternative=fill(text["effective-alternative"], facts), height=400)
    lines = (f"| {name} | {keys:.1f} | {share:.1%} |" for name, (keys, share) in measured.items())
    write("\n".join([fill(text["row-head"], facts), *lines]))


def draw_slips(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw one row with the right bias, with the wrong sign, and with the bias in the wrong place."""
    n_keys, slope = side_by_side(ROW, SLOPE)
    n_keys, slope = int(n_keys), float(slope)
    right, slipped = bias_rows.right_row(n_keys, slope), bias_rows.slipped_row(n_keys, slope)
    after = bias_rows.row_added_after(n_keys, slope)
    facts = {
        "keys": n_keys,
        "slope": f"{slope:g}",
        "right_own": _weight(right[-1]),
        "right_first": _weight(right[0]),
        "slip_own": _weight(slipped[-1]),
        "slip_first": _weight(slipped[0]),
        "sum": _plain(after.sum()),
        "lowest": _plain(after[0]),
        "hidden": _plain(bias_rows.mask_added_after(n_keys).sum()),
    }
    write(text["slips"], facts)
    picture = partial(details.slips, n_keys=n_keys, slope=slope)
    show(picture, key="bias_slips", alternative=fill(text["slips-alternative"], facts), height=420)
    write(text["slips-after"], facts)


def draw_buckets(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw T5's buckets, those that training never meets, and what a text beyond training gets from them."""
    n_buckets, farthest = map(int, side_by_side(BUCKETS, FARTHEST))
    sizes = {"n_buckets": n_buckets, "max_distance": farthest, "train_length": chosen.train_length}
    first = bias_buckets.first_distances(n_buckets, farthest)
    unmet = int((~bias_buckets.met(**sizes)).sum())
    learned, straight = details.untrained_share(**sizes, head=chosen.head, seed=chosen.seed)
    last = first[n_buckets - 1]
    facts = {
        "buckets": n_buckets,
        "single": n_buckets // 2,
        "wide": ", ".join(str(distance) for bucket, distance in first.items() if bucket >= n_buckets // 2),
        "last": last,
        "farthest": farthest,
        "length": chosen.train_length,
        "twice": 2 * chosen.train_length,
        "unmet": unmet,
        "head": chosen.head,
        "slope": number(chosen.slope),
        "learned": f"{learned:.1%}",
        "straight": number(straight),
    }
    write(text["buckets"] + " " + text["buckets-early" if last < farthest else "buckets-late"], facts)
    left, right = st.columns(2)
    with left:
        picture = partial(details.buckets, **sizes)
        show(picture, key="bias_bucket", alternative=fill(text["buckets-alternative"], facts), height=380)
    with right:
        picture = partial(details.followed_table, **sizes, head=chosen.head, seed=chosen.seed)
        show(picture, key="bias_table", alternative=fill(text["table-alternative"], facts), height=380)
    write(text["table" if unmet else "table-met"], facts)


def draw_slopes(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the slopes of ALiBi for any number of heads."""
    n_heads = int(control(HEADS))
    own, found = bias_forms.largest_power(n_heads), alibi.slopes(n_heads)
    facts = {
        "heads": n_heads,
        "own": own,
        "rest": n_heads - own,
        "twice": 2 * own,
        "series": _listed(found[:own].tolist()),
        "filled": _listed(found[own:].tolist()),
        "off": f"{float((bias_forms.geometric(n_heads) / found).log2().abs().max().exp2()):.3g}",
    }
    write(text["slopes" if n_heads > own else "slopes-power"], facts)
    picture = partial(details.slopes, n_heads=n_heads)
    show(picture, key="bias_slopes", alternative=fill(text["slopes-alternative"], facts), height=380)


def draw_forms(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the bias as relative distance and as key index, both rounded, and what that does to the weights."""
    left, right = st.columns(2)
    with left:
        n_keys = int(control(TEXT))
    with right:
        precision = str(control(FORMAT))
    errors = {}
    for name in bias_forms.PRECISIONS:
        forms = bias_forms.forms(n_keys, chosen.slope, name)
        errors[name] = [bias_forms.error(form, n_keys, chosen.slope) for form in (forms.relative, forms.key_index)]
    last = bias_forms.forms(n_keys, chosen.slope, precision).key_index[-LAST_KEYS:]
    facts = {
        "head": chosen.head,
        "slope": number(chosen.slope),
        "keys": f"{n_keys:,}",
        "precision": precision,
        "same": _error(errors["float64"][1]),
        "ties": bias_forms.ties(last),
        "pairs": len(last) - 1,
        "off": _error(errors[precision][1]),
        "largest": number(chosen.slope * (n_keys - 1)),
    }
    write(text["forms"], facts)
    picture = partial(details.rounded_forms, n_keys=n_keys, head=chosen.head, precision=precision)
    show(picture, key="bias_forms", alternative=fill(text["forms-alternative"], facts), height=380)
    lines = (f"| {name} | {_error(relative)} | {_error(key_index)} |" for name, (relative, key_index) in errors.items())
    write("\n".join([text["forms-head"], *lines]))


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


def _plain(value: torch.Tensor) -> str:
    """A measured number for a sentence; rounding around zero is left out."""
    return number(round(float(value), 9) + 0.0)


def _weight(value: torch.Tensor) -> str:
    return f"{float(value):.3f}" if value >= 5e-4 else f"{float(value):.0e}"


def _error(value: float) -> str:
    """An error of a weight; less than the last digit of a weight near 1 is none."""
    return f"{round(value, 16):.2g}"


def _listed(values: Sequence[float]) -> str:
    """Slopes in words: as a fraction where they are one over a whole number."""
    return ", ".join(f"1/{1 / value:.0f}" if (1 / value).is_integer() else f"{value:.4f}" for value in values)
