"""Counting: the position itself as an encoding, whole or as a fraction of the sentence, and what each breaks."""

from collections.abc import Sequence
from dataclasses import replace
from math import log2
from typing import Any, Literal

import altair as alt
import pandas as pd
import torch
from torch import Tensor

from pe_core.chapters.wording import listed
from pe_core.encodings import index
from pe_core.figures.curves import across, curves, layered, lines, series, upwards
from pe_core.figures.figure import Facts, Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks.palette import CATEGORICAL, SOLID, area, grown, inked
from pe_core.measures import index as measures
from pe_core.parameters import Parameter, require

N_TOKENS = 32
MAX_POSITION = 4_096  # of the picture of the norms
MAX_POINTS = 512  # of a line
STEEP, MAX_DRAWN = 16, 128  # first positions, where a line falls fastest; how many it is drawn at beside them
PRECISIONS = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
SENTENCES = ("First", "Second")
WHOLE, FRACTIONS = ("First: index m", "Second: index m"), ("First: fraction", "Second: fraction")  # rows of words
INTEGER, NORMALISED = "integer index", "normalised index"
EVERYWHERE, ALONG_ONE, ROUNDED = "LayerNorm", "LayerNorm, index along one direction", "LayerNorm, sum kept in bfloat16"
RMS = "RMSNorm"
EXACT = "a value for every position"
NAMED = 10  # position that sentences tell of
ASKED, SHORT, LONG = 3, 10, 100  # the word that the exercise asks for, and the words of its two sentences

FIRST = Parameter("cnt_first", "Words of the first sentence", 10, "As long as the texts of training.", 2, 64)
SECOND = Parameter("cnt_second", "Words of the second sentence", 100, "As long as a text in use.", 2, 512)
WIDTH = Parameter(
    "cnt_width",
    "Width",
    64,
    "Channels of a token embedding of length 1; the index is added to each of them.",
    choices=(4, 16, 64, 256, 1_024),
)
LENGTH = Parameter(
    "cnt_tokens",
    "Length of the text",
    1_000,
    "Tokens whose positions are rounded.",
    choices=(64, 128, 257, 300, 500, 1_000, 2_000, 4_000, 8_000),
)
PRECISION = Parameter("cnt_precision", "Precision", "bfloat16", "How numbers are kept.", choices=tuple(PRECISIONS))

DASHES = (SOLID, SOLID, (7, 5), (2, 3))  # later lines let those below them be seen
KNOWN, NEW, FOLLOWED = KINDS = "known", "new", "same word"
KIND_COLOURS = (CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[2])


def indices(length: int, normalise: bool) -> Tensor:
    """Return the index of each word of a sentence, float64, shape (length,)."""
    return index.table(torch.arange(length), normalise=normalise, dtype=torch.float64)[:, 0]


def number_line(first: int, second: int) -> Figure:
    """Return the words of sentences of `first` and `second` words by both of their indices, integer and normalised."""
    lengths, word = (first, second), min(first, second) // 2
    whole, fraction = ([indices(length, normalise) for length in lengths] for normalise in (False, True))
    common, new = measures.common_values(first, second), max(0, second - first)
    facts = {
        "word": word,
        "known": first - 1,
        "last": second - 1,
        "integer": "integer" if new else "integer-known",
        "new": new,
        "normalised": "normalised" if first != second else "normalised-equal",
        "in-first": float(fraction[0][word]),
        "in-second": float(fraction[1][word]),
        "step-first": float(fraction[0][1]),
        "step-second": float(fraction[1][1]),
        "common": common,
        "unknown": second - common,
    }
    frames = [_words(WHOLE, whole, word).assign(whole=True), _words(FRACTIONS, fraction, word).assign(whole=False)]
    frame = pd.concat(frames, ignore_index=True)
    return Figure(_line_spec(), {"words": frame, "followed": frame[frame.kind == FOLLOWED]}).with_facts(facts)


def left(second: int, width: int) -> dict[str, Tensor]:
    """Return the mean fraction of random unit tokens in what the model gets, shape (second,) for each index."""
    tokens = measures.unit_tokens(N_TOKENS, width)
    kinds = {INTEGER: False, NORMALISED: True}
    return {name: measures.left_of_token(tokens, indices(second, kind)).mean(0) for name, kind in kinds.items()}


def drowning(second: int, width: int) -> Figure:
    """Return what is left of a token of `width` channels at each position of a sentence of `second` words."""
    shares = left(second, width)
    named = min(NAMED, second - 1)
    facts: dict[str, object] = {"named": named, "last": second - 1}
    for name, kind in ((INTEGER, "integer"), (NORMALISED, "normalised")):
        percent = 100 * shares[name]
        facts |= {f"{kind}-named": float(percent[named]), f"{kind}-last": float(percent[-1])}
    where = _drawn(second)
    x, y = across("Position"), upwards("Share of the token", ends=(1e-5, 2), log=True, form="~%")
    drawn = curves(series(where, {name: share[where] for name, share in shares.items()}), x, y, line="Curve")
    every = series(torch.arange(second), shares)
    return layered(replace(drawn, whole={"lines": every[every.y > 0]})).with_facts(facts)


def _drawn(second: int) -> Tensor:
    """Return the positions of a sentence at which a line is drawn: all of the first, the last, and some between."""
    every = torch.arange(second)
    return every[(every < STEEP) | (every % -(-second // MAX_DRAWN) == 0) | (every == second - 1)]


def norm_changes(width: int) -> tuple[Tensor, dict[str, Tensor]]:
    """Return positions 1, 2, 4 ... 4,096, shape (P,), and how much an index there changes what comes out of a norm.

    The changes (P,) are means over random unit tokens of `width` channels, in lengths of the output without an index.
    """
    positions = 2 ** torch.arange(MAX_POSITION.bit_length())
    *tokens, direction = measures.unit_tokens(N_TOKENS // 2 + 1, width)
    x, m = torch.stack(tokens), positions[:, None, None].double()
    everywhere = x + m
    layer, rms = measures.layer_norm(x), measures.rms_norm(x)
    rounded = measures.rounded(everywhere, torch.bfloat16)
    return positions, {
        EVERYWHERE: measures.change(layer, measures.layer_norm(everywhere)),
        RMS: measures.change(rms, measures.rms_norm(everywhere)),
        ALONG_ONE: measures.change(layer, measures.layer_norm(x + m * direction)),
        ROUNDED: measures.change(layer, measures.layer_norm(rounded)),
    }


def norms(width: int) -> Figure:
    """Return how much an index changes what comes out of a norm, for tokens of `width` channels, by position."""
    positions, changes = norm_changes(width)
    facts = {
        "tokens": N_TOKENS // 2,
        "everywhere": float(changes[EVERYWHERE].max()),
        "rms": float(changes[RMS].min()),
        "rms-last": float(changes[RMS][-1]),
        "one": float(changes[ALONG_ONE].min()),
        "lost": int(positions[changes[ROUNDED] > 0.5][0]),
        "last": int(positions[-1]),
    }
    x = across("Position", log=True, ticks=tuple(10.0**power for power in range(5)))
    y = upwards("Change, in lengths of the output", ends=(1e-16, 100), log=True, form=".0e")
    return lines(positions, changes, x, y, dashes=DASHES, line="Curve").with_facts(facts)


def different(length: int, precision: str) -> dict[str, Tensor]:
    """Return how many different values a text has up to each position, (length,) for each index, at a precision."""
    require(precision in PRECISIONS, "precision", f"be one of {', '.join(PRECISIONS)}", precision)
    kinds = {INTEGER: False, NORMALISED: True}
    return {
        name: measures.different_so_far(measures.rounded(indices(length, kind), PRECISIONS[precision]))
        for name, kind in kinds.items()
    }


def rounding(length: int, precision: str) -> Figure:
    """Return how many different values the positions of a text of `length` tokens have at a precision."""
    counts = different(length, precision)
    merged = {name: _first_merged(values) for name, values in counts.items()}
    facts = {
        "rounding": "rounding-merged" if any(merged.values()) else "rounding",
        # how many binary digits a number has, the leading one included
        "bits": listed({name: 1 - round(log2(torch.finfo(dtype).eps)) for name, dtype in PRECISIONS.items()}),
        "integer": int(counts[INTEGER][-1]),
        "normalised": int(counts[NORMALISED][-1]),
        "integer-merged": merged[INTEGER],
        "normalised-merged": merged[NORMALISED],
    }
    where = torch.arange(0, length, -(-length // MAX_POINTS))
    named = {EXACT: where + 1, **{name: values[where] for name, values in counts.items()}}
    x, y = across("Position"), upwards("Different values so far")
    return lines(where, named, x, y, dashes=DASHES, line="Curve").with_facts(facts)


def _first_merged(counts: Tensor) -> str:
    """Return the first two neighbours with one value, "" if there are none; `counts` (T,) are as in `different`."""
    merged = (counts.diff() == 0).nonzero().flatten().tolist()
    return f"{merged[0]:,} and {merged[0] + 1:,}" if merged else ""


def word_with_the_same_index(guess: int) -> tuple[bool, Facts]:
    """Return whether word `guess` of the long sentence has the normalised index of the word of the short one."""
    asked, long = indices(SHORT, True)[ASKED], indices(LONG, True)
    place = int((long == asked).nonzero()[0])
    facts = {"place": place, "value": float(asked), "guessed": float(long[guess])}
    return guess == place, {**facts, "word": ASKED, "short": SHORT, "long": LONG}


def _words(rows: Sequence[str], values: Sequence[Tensor], followed: int) -> pd.DataFrame:
    """Return the words of two sentences, each in its own of the two `rows`, by their indices `values` (T,)."""
    seen = set(values[0].tolist())
    words = [
        {
            "row": row,
            "sentence": sentence,
            "word": word,
            "value": value,
            "kind": FOLLOWED if word == followed else KNOWN if value in seen else NEW,
        }
        for row, sentence, numbers in zip(rows, SENTENCES, values, strict=True)
        for word, value in enumerate(numbers.tolist())
    ]
    return pd.DataFrame(words)


@built_once
def _line_spec() -> dict[str, Any]:
    """Return four rows of words: two by their integer index, whose axis is above, two by their normalised one."""
    above = _row_layers("datum.whole", "top", None)
    below = _row_layers("!datum.whole", "bottom", "Normalised index m / (T − 1)")
    return spec_of(alt.layer(above, below).resolve_scale(x="independent"), framed=False, canvas=True)


def _row_layers(here: str, side: Literal["top", "bottom"], title: str | None) -> alt.LayerChart | alt.FacetChart:
    x = alt.X("value:Q").title(title).scale(nice=False, zero=True).axis(orient=side, grid=False, tickCount=6)
    y = alt.Y("row:N").title(None).scale(domain=[*WHOLE, *FRACTIONS], padding=0.5)
    y = y.axis(domain=False, ticks=False, labelFontSize=grown(12), labelLimit=grown(140))
    colour = alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=list(KIND_COLOURS))
    tooltip = tips(("sentence:N", "Sentence"), ("word:Q", "Word"), ("value:Q", "Index", ".4~g"), ("kind:N", "Number"))
    words = chart_of("words").transform_filter(here).mark_tick(thickness=1.5, size=24, opacity=1)
    legend = alt.Legend(orient="top", columns=len(KINDS), symbolType="circle", labelLimit=grown(300))
    words = words.encode(x=x, y=y, color=colour.legend(legend), tooltip=tooltip)
    followed = chart_of("followed").transform_filter(here).encode(x=x, y=y)
    dot = followed.mark_point(filled=True, size=area(110), opacity=1, color=KIND_COLOURS[2]).encode(tooltip=tooltip)
    named = followed.transform_calculate(shown="format(datum.value, '.4~f')")
    label = named.mark_text(dy=-21, **inked(13, bold=True)).encode(text="shown:N")
    return alt.layer(words, dot, label)
