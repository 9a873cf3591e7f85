"""The parts of the page on counting: two sentences on a number line, and what an index breaks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import log2

import torch

from pe_core.chapters import counting as pictures
from pe_core.measures import index as measures
from pe_core.parameters import Parameter
from ui.widgets.charts import show
from ui.widgets.controls import control, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

FIRST = Parameter("cnt_first", "Words of the first sentence", 10, "As long as the texts of training.", 2, 64)
SECOND = Parameter("cnt_second", "Words of the second sentence", 100, "As long as a text in use.", 2, 512)
WIDTH = Parameter(
    "cnt_width",
    "Width",
    64,
    "Channels of a token embedding of length 1; the index is added to each of them.",
    choices=(4, 16, 64, 256, 1_024),
)
TOKENS = Parameter(
    "cnt_tokens",
    "Length of the text",
    1_000,
    "Tokens whose positions are rounded.",
    choices=(64, 128, 257, 300, 500, 1_000, 2_000, 4_000, 8_000),
)
PRECISION = Parameter(
    "cnt_precision", "Precision", "bfloat16", "How numbers are kept.", choices=tuple(pictures.PRECISIONS)
)
NAMED = 10  # position that sentences tell of
ASKED_WORD, ASKED_SHORT, ASKED_LONG = 3, 10, 100


@dataclass(frozen=True)
class Chosen:
    """The lengths of the two sentences in words."""

    first: int
    second: int


def choose() -> Chosen:
    """Draw the two shared controls and return what they say."""
    first, second = map(int, side_by_side(FIRST, SECOND))
    return Chosen(first, second)


def draw_lines(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the words of both sentences by their integer index and by the normalised one."""
    first, second = chosen.first, chosen.second
    word = pictures.followed(first, second)
    normalised = [pictures.indices(length, True) for length in (first, second)]
    common = measures.common_values(first, second)
    new = max(0, second - first)
    facts = {
        "first": first,
        "second": second,
        "word": word,
        "largest": f"{second - 1:,}",
        "known": first - 1,
        "new": new,
        "in-first": f"{float(normalised[0][word]):.4f}",
        "in-second": f"{float(normalised[1][word]):.4f}",
        "step-first": f"1/{first - 1} = {float(normalised[0][1]):.4f}",
        "step-second": f"1/{second - 1} = {float(normalised[1][1]):.4f}",
        "common": common,
        "unknown": second - common,
    }
    write(text["integer" if new else "integer-known"], facts)
    for key, normalise in (("integer", False), ("normalised", True)):
        if normalise:
            write(text["normalised" if first != second else "normalised-equal"], facts)
        picture = partial(pictures.number_line, first=first, second=second, normalise=normalise)
        show(picture, key=f"cnt_{key}", alternative=fill(text[f"{key}-alternative"], facts), height=280)


def draw_drowning(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw what an index leaves of a token, with a control of its own for the width."""
    width = int(control(WIDTH))
    left = pictures.left(chosen.second, width)
    named = min(NAMED, chosen.second - 1)
    facts = {"width": f"{width:,}", "named": named, "last": chosen.second - 1}
    for name, values in left.items():
        kind = name.split()[0]
        facts[f"{kind}-named"], facts[f"{kind}-last"] = percent(values[named]), percent(values[-1])
    write(text["drowning"], facts)
    picture = partial(pictures.drowning, length=chosen.second, dim=width)
    show(picture, key="cnt_drowning", alternative=fill(text["drowning-alternative"], facts))


def draw_norms(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how much of an index gets through the norms, with a control of its own for the width."""
    width = int(control(WIDTH))
    positions, changes = pictures.norm_changes(width)
    lost = int((changes[pictures.ROUNDED] > 0.5).nonzero()[0])
    facts = {
        "width": f"{width:,}",
        "tokens": pictures.N_TOKENS // 2,
        "largest": f"{float(changes[pictures.EVERYWHERE].max()):.0e}",
        "rms": f"{float(changes['RMSNorm'].min()):.2f}",
        "rms-last": f"{float(changes['RMSNorm'][-1]):.3f}",
        "one": f"{float(changes[pictures.ALONG_ONE].min()):.2f}",
        "lost": int(positions[lost]),
        "last": f"{pictures.LARGEST:,}",
    }
    write(text["norms"], facts)
    picture = partial(pictures.norms, dim=width)
    show(picture, key="cnt_norms", alternative=fill(text["norms-alternative"], facts), height=420)


def draw_rounding(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how many positions keep a value of their own, with controls of its own for length and precision."""
    length, precision = side_by_side(TOKENS, PRECISION)
    length, precision = int(length), str(precision)
    found = pictures.different(length, precision)
    bits = ", ".join(f"{significant_bits(dtype)} for {name}" for name, dtype in pictures.PRECISIONS.items())
    facts = {"length": f"{length:,}", "precision": precision, "bits": bits}
    for name, counts in found.items():
        kind = name.split()[0]
        merged = (counts.diff() == 0).nonzero()
        facts[kind] = f"{int(counts[-1]):,}"
        facts[f"{kind}-merged"] = merging(int(merged[0]) + 1) if len(merged) else ""
    write(text["rounding-merged" if facts["integer-merged"] or facts["normalised-merged"] else "rounding"], facts)
    picture = partial(pictures.rounding, length=length, precision=precision)
    show(picture, key="cnt_rounding", alternative=fill(text["rounding-alternative"], facts))


def significant_bits(dtype: torch.dtype) -> int:
    """Return how many binary digits a number of this kind has, the leading one included."""
    return 1 - round(log2(torch.finfo(dtype).eps))


def merging(position: int) -> str:
    """Return the two positions of which the second has the value of the first."""
    return f"{position - 1:,} and {position:,}"


def percent(share: torch.Tensor) -> str:
    """Return a share in percent with two digits."""
    return f"{100 * float(share):.2g}\N{NO-BREAK SPACE}%"


def draw_exercise(text: Mapping[str, str]) -> None:
    """Ask which word of a long sentence has the normalised index of a word of a short one, and find it."""
    guess = ask(text, "cnt_guess", 0, ASKED_LONG - 1)
    if guess is None:
        return
    asked = pictures.indices(ASKED_SHORT, True)[ASKED_WORD]
    long = pictures.indices(ASKED_LONG, True)
    place = int((long == asked).nonzero()[0])
    facts = {
        "guess": guess,
        "guessed": f"{float(long[guess]):.4f}",
        "place": place,
        "value": f"{float(asked):.4f}",
        "word": ASKED_WORD,
        "short": ASKED_SHORT,
        "long": ASKED_LONG,
    }
    judge(text, guess == place, facts)
