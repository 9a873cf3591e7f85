"""Pictures of the chapter on counting: the position itself as an encoding, and what it breaks."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import index
from pe_core.figures.figure import Figure
from pe_core.figures.lines import NARROW, Axes, lines
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.measures import index as measures
from pe_core.parameters import require

N_TOKENS = 32
LARGEST = 4_096  # positions of the picture of the norms
MOST_POINTS = 512  # of a line
PRECISIONS = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
EVERYWHERE, ALONG_ONE, ROUNDED = "LayerNorm", "LayerNorm, index along one direction", "LayerNorm, sum kept in bfloat16"
EXACT = "a value for every position"
DASHES = ((1, 0), (1, 0), (7, 5), (2, 3))  # later lines let those below them be seen
KNOWN, NEW, FOLLOWED = KINDS = "number of the first sentence", "new number", "the word that is followed"
KIND_COLOURS = (CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[2])
NORMS = Axes(
    "Position",
    "Change, in lengths of the output",
    (1e-16, 100),
    log_x=True,
    log_y=True,
    x_ticks=tuple(10.0**power for power in range(5)),
    y_format=".0e",
    dashes=DASHES,
    long_names=True,
    line="Curve",
)
ROUNDING = Axes("Position", "Different values so far", dashes=DASHES, long_names=True, line="Curve")


def indices(length: int, normalise: bool) -> Tensor:
    """Return the index of each word of a sentence, float64, shape (length,)."""
    return index.table(torch.arange(length), normalise=normalise, dtype=torch.float64)[:, 0]


def followed(first: int, second: int) -> int:
    """Return a word in the middle of the shorter of two sentences, which both of them have."""
    return min(first, second) // 2


def number_line(first: int, second: int, normalise: bool) -> Figure:
    """Return the words of sentences of `first` and `second` words by their index, integer or normalised."""
    values = {"First": indices(first, normalise), "Second": indices(second, normalise)}
    title = "Normalised index m / (T − 1)" if normalise else "Integer index m"
    return _number_line(values, followed(first, second), title)


def left(length: int, dim: int) -> dict[str, Tensor]:
    """Return the mean share of random unit tokens in the length of what the model gets, (length,) for each index."""
    tokens = measures.unit_tokens(N_TOKENS, dim)
    kinds = {"integer index": False, "normalised index": True}
    return {name: measures.left_of_token(tokens, indices(length, kind)).mean(0) for name, kind in kinds.items()}


def drowning(length: int, dim: int) -> Figure:
    """Return what is left of a token of `dim` channels at each position of a sentence of `length` words."""
    axes = Axes("Position", "Share of the token", (1e-5, 2), log_y=True, y_format="~%", long_names=True, line="Curve")
    return lines(torch.arange(length), left(length, dim), axes)


def norm_changes(dim: int) -> tuple[Tensor, dict[str, Tensor]]:
    """Return positions 1, 2, 4 ... 4,096, shape (P,), and how much an index there changes what comes out of a norm.

    The changes (P,) are means over random unit tokens of `dim` channels, in lengths of the output without an index.
    """
    positions = 2 ** torch.arange(LARGEST.bit_length())
    *tokens, direction = measures.unit_tokens(N_TOKENS // 2 + 1, dim)
    x, m = torch.stack(tokens), positions[:, None, None].double()
    everywhere = x + m
    layer, rms = measures.layer_norm(x), measures.rms_norm(x)
    rounded = measures.rounded(everywhere, torch.bfloat16)
    return positions, {
        EVERYWHERE: measures.change(layer, measures.layer_norm(everywhere)),
        "RMSNorm": measures.change(rms, measures.rms_norm(everywhere)),
        ALONG_ONE: measures.change(layer, measures.layer_norm(x + m * direction)),
        ROUNDED: measures.change(layer, measures.layer_norm(rounded)),
    }


def norms(dim: int) -> Figure:
    """Return how much an index changes what comes out of a norm, for tokens of `dim` channels, by position."""
    positions, changes = norm_changes(dim)
    return lines(positions, changes, NORMS)


def different(length: int, precision: str) -> dict[str, Tensor]:
    """Return how many different values a text has up to each position, (length,) for each index, at a precision."""
    require(precision in PRECISIONS, "precision", f"be one of {', '.join(PRECISIONS)}", precision)
    kinds = {"integer index": False, "normalised index": True}
    return {
        name: measures.different_so_far(measures.rounded(indices(length, kind), PRECISIONS[precision]))
        for name, kind in kinds.items()
    }


def rounding(length: int, precision: str) -> Figure:
    """Return how many different values the positions of a text of `length` tokens have at a precision."""
    where = torch.arange(0, length, -(-length // MOST_POINTS))
    found = {name: counts[where] for name, counts in different(length, precision).items()}
    return lines(where, {EXACT: where + 1, **found}, ROUNDING)


def _number_line(values: Mapping[str, Tensor], followed: int, title: str) -> Figure:
    """Return the indices of two sentences, `values` (T,) by name, a row each; word no. `followed` stands out.

    A dot is coloured by whether its number occurs in the first of the two.
    """
    seen = set(next(iter(values.values())).tolist())
    rows = [
        {
            "sentence": name,
            "order": order,
            "word": word,
            "value": value,
            "kind": FOLLOWED if word == followed else KNOWN if value in seen else NEW,
        }
        for order, (name, numbers) in enumerate(values.items())
        for word, value in enumerate(numbers.tolist())
    ]
    frame = pd.DataFrame(rows)
    return Figure(_line_spec(title), {"words": frame, "followed": frame[frame.kind == FOLLOWED]})


@cache
def _line_spec(title: str) -> dict[str, Any]:
    x = alt.X("value:Q").title(title).scale(nice=False, zero=True).axis(grid=False, tickCount=6)
    y = alt.Y("sentence:N").title(None).sort(field="order", op="min").scale(padding=0.5)
    y = y.axis(domain=False, ticks=False, labelFontSize=12, labelLimit=140)
    colour = alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=list(KIND_COLOURS))
    tooltip = [
        alt.Tooltip("sentence:N").title("Sentence"),
        alt.Tooltip("word:Q").title("Word"),
        alt.Tooltip("value:Q").title("Index").format(".4~g"),
        alt.Tooltip("kind:N").title("Number"),
    ]
    words = alt.Chart(alt.NamedData("words")).mark_tick(thickness=1.5, size=24, opacity=1)
    columns = alt.ExprRef(f"width < {NARROW} ? 1 : {len(KINDS)}")
    legend = alt.Legend(orient="top", columns=columns, symbolType="circle", labelLimit=300)
    words = words.encode(x=x, y=y, color=colour.legend(legend), tooltip=tooltip)
    followed = alt.Chart(alt.NamedData("followed")).encode(x=x, y=y)
    dot = followed.mark_point(filled=True, size=110, opacity=1, color=KIND_COLOURS[2]).encode(tooltip=tooltip)
    named = followed.transform_calculate(shown="format(datum.value, '.4~f')")
    label = named.mark_text(dy=-21, fontSize=13, fontWeight="bold", color=alt.ExprRef(INK)).encode(text="shown:N")
    chart = alt.layer(words, dot, label).configure(aria=False).configure_view(stroke=None)
    spec: dict[str, Any] = chart.to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
