"""The parts of the page on windows and sinks: a mask and what comes through it, and the closer looks below."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
import torch

from pe_core import masks
from pe_core.chapters import windows as pictures
from pe_core.chapters.wording import number
from pe_core.masks import CONVENTIONS, MASKS
from pe_core.measures import reach, sinks
from pe_core.measures.entropy import enough_keys, expected, level_spread
from pe_core.parameters import Parameter, Value
from ui.widgets.charts import show
from ui.widgets.controls import choose_one, control, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

Texts = Mapping[str, str]

FIRST = "window"
FAR_KEY = 32  # the distance whose key is named beside the matrices
MISTRAL = {"window": 4_096, "n_layers": 32}  # of Mistral 7B
ASKED_WINDOW, ASKED_LAYERS = 5, 6
LARGEST_GUESS = 99

LENGTH = Parameter("win_length", "Text length", 64, "Tokens of the text.", 16, pictures.LONGEST, 8)
TRAINED = Parameter(
    "win_trained",
    "Training length",
    32,
    "Tokens of the texts of training; masks take their sizes from it.",
    choices=(16, 32, 64, 128),
)
LAYERS = Parameter("win_layers", "Layers", 3, "How often attention is applied.", 1, pictures.MOST_LAYERS)
SPAN = Parameter("win_span", "Keys W", 8, "Keys that a position sees in one layer, itself included.", 1, 32)
WALL = Parameter("win_wall", "Window", 16, "Keys that the window lets through.", 1, 48)
HEAD = Parameter("win_head", "Head of 8", 4, "ALiBi and Sandwich weaken from head to head.", 1, 8)
HEAD_OF_ALIBI = replace(
    HEAD, name="win_alibi_head", label="ALiBi's head of 8", help="The slope halves from head to head."
)
STRENGTH = Parameter("win_r1", "KERPLE r₁", 1.0, "Strength of both forms of KERPLE.", 0.1, 2.0, 0.1)
SCALE = Parameter("win_r2", "KERPLE r₂", 0.5, "Scale within the logarithm, or exponent of the power.", 0.1, 2.0, 0.1)
SPREAD = Parameter("win_spread", "Spread of scores σ", 2.0, "Standard deviation of the random scores.", 0.0, 4.0, 0.1)
SINK = Parameter("win_sink", "Score of the sink", 4.0, "How strongly the model parks attention there.", -2.0, 8.0, 0.5)
OTHERS = Parameter("win_others", "Other keys", 8, "Keys in the window beside the sink.", 1, 16)
STEP = Parameter("win_step", "Time step", 60, "Place of the token that is read.", 0, 500)
RECENT = Parameter("win_recent", "Last keys", 6, "Keys of the window, the query included.", 2, 8)
FIRST_KEYS = Parameter("win_first", "Sinks", 4, "First keys that stay in the cache.", 0, 4)


@dataclass(frozen=True)
class Chosen:
    """The mask that the visitor has chosen, with its settings, and the sizes it is drawn for."""

    kind: str
    length: int
    trained: int
    layers: int
    settings: tuple[tuple[str, Value], ...]

    @property
    def layers_in_words(self) -> str:
        """The number of layers with its noun."""
        return f"{self.layers} layer{'s' if self.layers > 1 else ''}"


def choose() -> Chosen:
    """Draw the choice of a mask, its sizes and its own parameters, and return what they say."""
    left, right = st.columns([1, 3])
    with left:
        kind = choose_one("win_mask", "Mask", {key: spec.title for key, spec in MASKS.items()}, FIRST)
    with right:
        length, trained, layers = map(int, side_by_side(LENGTH, TRAINED, LAYERS))
    own = MASKS[kind].parameters
    named = [replace(parameter, name=f"win_{kind}_{parameter.name}") for parameter in own]
    values = side_by_side(*named, columns=2) if named else []
    settings = tuple((parameter.name, value) for parameter, value in zip(own, values, strict=True))
    return Chosen(kind, length, trained, layers, settings)


def draw_mask(chosen: Chosen, text: Texts) -> None:
    """Draw who sees whom, directly and through layers, and how many tokens that makes for each query."""
    mask, through = pictures.mask_and_reach(chosen.kind, chosen.length, chosen.trained, chosen.layers, chosen.settings)
    known = int(through[-1].sum())
    facts = {
        "title": MASKS[chosen.kind].title,
        "summary": MASKS[chosen.kind].summary,
        "length": chosen.length,
        "layers": chosen.layers_in_words,
        "seen": int(mask[-1].sum()),
        "known": known,
        "lost": chosen.length - known,
    }
    left, right = st.columns(2)
    with left:
        picture = partial(
            pictures.who_knows_whom,
            kind=chosen.kind,
            length=chosen.length,
            trained=chosen.trained,
            layers=chosen.layers,
            settings=chosen.settings,
        )
        show(picture, key="win_mask_picture", alternative=fill(text["mask-alternative"], facts), height=400)
    with right:
        picture = partial(pictures.numbers_known, **picture.keywords)
        show(picture, key="win_numbers", alternative=fill(text["numbers-alternative"], facts), height=400)
    write(text["lost" if facts["lost"] else "all-known"], facts)


def draw_layers(chosen: Chosen, text: Texts) -> None:
    """Draw how far several masks reach, layer by layer, and what the two ways of counting a window make of it."""
    window = int(control(SPAN))
    length = pictures.text_length(window)
    known = {name: int(counts[-1]) for name, counts in pictures.known_by_layer(window).items()}
    facts: dict[str, object] = {
        "window": window,
        "length": length,
        "most": pictures.MOST_LAYERS,
        "layers": chosen.layers_in_words,
        "ends": ", ".join(f"{name} {count}" for name, count in known.items()),
        "mistral": f"{reach.rule(**MISTRAL) - 1:,}",
        "mistral_rounded": f"{MISTRAL['window'] * MISTRAL['n_layers']:,}",
    }
    for convention in CONVENTIONS:
        mask = masks.sliding_window(length, window, convention=convention)
        through = reach.through_layers([mask] * chosen.layers)
        name = convention.replace(" ", "_")
        facts |= {f"{name}_keys": int(mask[-1].sum()), f"{name}_known": int(through[-1, -1].sum())}
    picture = partial(pictures.reach_by_layer, window=window)
    show(picture, key="win_reach", alternative=fill(text["layers-alternative"], facts), height=400)
    write(text["layers"], facts)


def draw_matrix(chosen: Chosen, text: Texts) -> None:
    """Draw what each member of the family subtracts at each distance, and what it leaves of a key's weight."""
    window, head = map(int, side_by_side(WALL, HEAD))
    r1, r2 = map(float, side_by_side(STRENGTH, SCALE))
    rows = pictures.last_rows(window, head, r1, r2)
    facts = {
        "distance": FAR_KEY,
        "subtracted": ", ".join(
            f"{name} {number(float(row[FAR_KEY])).replace('inf', '∞')}" for name, row in rows.items()
        ),
        "kept": ", ".join(f"{name} {float((-row[FAR_KEY]).exp()):.3g}" for name, row in rows.items()),
        "window": window,
    }
    left, right = st.columns(2)
    with left:
        picture = partial(pictures.subtracted_matrix, window=window, head=head, r1=r1, r2=r2)
        show(picture, key="win_matrix", alternative=fill(text["matrix-alternative"], facts), height=380)
    with right:
        picture = partial(pictures.weight_kept, window=window, head=head, r1=r1, r2=r2)
        show(picture, key="win_kept", alternative=fill(text["kept-alternative"], facts), height=380)
    write(text["matrix"], facts)


def draw_entropy(chosen: Chosen, text: Texts) -> None:
    """Draw over how many keys attention spreads as keys are added."""
    values = side_by_side(SPREAD, HEAD_OF_ALIBI)
    spread, head = float(values[0]), int(values[1])
    most = pictures.N_KEYS[-1]
    found = pictures.effective_keys((chosen.trained, most), spread, chosen.trained, head)
    formula = float(expected(torch.tensor([most]), spread).exp())
    plain = found["plain"].tolist()
    facts = {
        "trained": chosen.trained,
        "most": f"{most:,}",
        "before": f"{plain[0]:.1f}",
        "after": ", ".join(f"{name} {float(values[-1]):.1f}" for name, values in found.items()),
        "plain": f"{plain[1]:.1f}",
        "growth": f"{plain[1] / plain[0]:.1f}",
        "log_n": f"{float(found['log-n'][-1]):.1f}",
        "window": f"{float(found['window'][-1]):.1f}",
        "alibi": f"{float(found['ALiBi'][-1]):.1f}",
        "slope": f"{pictures.slope_of(head):.4g}",
        "formula": f"{formula:.1f}",
        "off": f"{abs(formula / plain[1] - 1):.0%}",
        "enough": f"{enough_keys(spread):,.0f}",
        "level": f"{level_spread(chosen.trained):.2f}",
    }
    picture = partial(pictures.spreading, spread=spread, trained=chosen.trained, head=head)
    show(picture, key="win_entropy", alternative=fill(text["entropy-alternative"], facts), height=400)
    write(text["entropy"], facts)


def draw_sinks(chosen: Chosen, text: Texts) -> None:
    """Draw the attention of one query before and after the sink has left its window."""
    sink, others = side_by_side(SINK, OTHERS)
    row = sinks.row(float(sink), pictures.other_scores(int(others)))
    facts = {
        "score": f"{sink:g}",
        "others": f"{others} other key{'s' if others != 1 else ''}",
        "share": f"{row.share:.1%}",
        "rest": f"{1 - row.share:.1%}",
        "growth": f"{row.growth:.3g}",
    }
    picture = partial(pictures.sink_gone, sink=float(sink), n_others=int(others))
    show(picture, key="win_sink_picture", alternative=fill(text["sinks-alternative"], facts), height=360)
    write(text["sinks"], facts)


def draw_cache(chosen: Chosen, text: Texts) -> None:
    """Draw the ids of the keys in the cache at a time step, and the distances that follow from them."""
    step, recent, first = map(int, side_by_side(STEP, RECENT, FIRST_KEYS))
    cache = sinks.cache(step, recent, first)
    facts = {
        "step": step,
        "read": step + 1,
        "held": len(cache.in_text),
        "room": recent + first,
        "text_farthest": int(cache.text_distances[0]),
        "cache_farthest": int(cache.cache_distances[0]),
    }
    picture = partial(pictures.cache_ids, step=step, window=recent, n_sinks=first)
    show(picture, key="win_cache", alternative=fill(text["cache-alternative"], facts), height=260)
    write(text["cache"], facts)


def draw_exercise(text: Texts) -> None:
    """Ask of how many tokens a position can know through layers of a small window, and multiply the masks."""
    guess = ask(text, "win_guess", 0, LARGEST_GUESS)
    if guess is None:
        return
    mask = masks.sliding_window(LARGEST_GUESS, ASKED_WINDOW)
    known = reach.through_layers([mask] * ASKED_LAYERS)[:, -1].sum(-1).tolist()
    facts = {"count": known[-1], "guess": guess, "known": ", ".join(map(str, known))}
    judge(text, guess == known[-1], facts)
