"""Words of two sentences on a number line by their index, and curves over the position."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil, floor, log10
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

KNOWN, NEW, FOLLOWED = "number of the first sentence", "new number", "the word that is followed"
KINDS = (KNOWN, NEW, FOLLOWED)
WIDE = 550  # pixels from which the words of the legend stand side by side
_COLOURS = (CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[2])
_DASHES = [[1, 0], [1, 0], [7, 5], [2, 3]]  # later lines let those below them be seen


@dataclass(frozen=True)
class Axes:
    """The words of both axes, which of them are logarithmic, the format of y and its ends (None: the data's)."""

    x: str
    y: str
    ends: tuple[float, float] | None = None
    y_format: str = ",d"
    log_x: bool = False
    log_y: bool = False


def number_line(values: Mapping[str, Tensor], followed: int, title: str) -> Figure:
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


def curves(where: Tensor, lines: Mapping[str, Tensor], axes: Axes) -> Figure:
    """Return a line for each of `lines` (T,) over `where` (T,); on a logarithmic axis what is not positive is left out.

    What lies outside of the y axis is drawn at its end.
    """
    frames = [
        pd.DataFrame({"x": where.numpy(), "y": values.double().numpy(), "name": name, "order": order})
        for order, (name, values) in enumerate(lines.items())
    ]
    frame = pd.concat(frames, ignore_index=True)
    return Figure(_curves_spec(axes), {"lines": frame[frame.y > 0] if axes.log_y else frame})


def decades(low: float, high: float) -> list[float]:
    """Return powers of ten from `low` to `high`, at most six of them, evenly spread."""
    powers = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
    return [10.0**power for power in powers[:: 1 + (len(powers) - 1) // 6]]


@cache
def _line_spec(title: str) -> dict[str, Any]:
    x = alt.X("value:Q").title(title).scale(nice=False, zero=True).axis(grid=False, tickCount=6)
    y = alt.Y("sentence:N").title(None).sort(field="order", op="min").scale(padding=0.5)
    y = y.axis(domain=False, ticks=False, labelFontSize=12, labelLimit=140)
    colour = alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=list(_COLOURS))
    tooltip = [
        alt.Tooltip("sentence:N").title("Sentence"),
        alt.Tooltip("word:Q").title("Word"),
        alt.Tooltip("value:Q").title("Index").format(".4~g"),
        alt.Tooltip("kind:N").title("Number"),
    ]
    words = alt.Chart(alt.NamedData("words")).mark_tick(thickness=1.5, size=24, opacity=1)
    columns = alt.ExprRef(f"width < {WIDE} ? 1 : {len(KINDS)}")
    legend = alt.Legend(orient="top", columns=columns, symbolType="circle", labelLimit=300)
    words = words.encode(x=x, y=y, color=colour.legend(legend), tooltip=tooltip)
    followed = alt.Chart(alt.NamedData("followed")).encode(x=x, y=y)
    dot = followed.mark_point(filled=True, size=110, opacity=1, color=_COLOURS[2]).encode(tooltip=tooltip)
    named = followed.transform_calculate(shown="format(datum.value, '.4~f')")
    label = named.mark_text(dy=-21, fontSize=13, fontWeight="bold", color=alt.ExprRef(INK)).encode(text="shown:N")
    chart = alt.layer(words, dot, label).configure(aria=False).configure_view(stroke=None)
    spec: dict[str, Any] = chart.to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}


@cache
def _curves_spec(axes: Axes) -> dict[str, Any]:
    x = alt.X("x:Q").title(axes.x).scale(type="log" if axes.log_x else "linear", nice=False)
    powers = [10.0**power for power in range(7)] if axes.log_x else alt.Undefined  # else 1, 3, 20, 100, 300 ...
    x = x.axis(grid=False, format=",d", tickMinStep=1, values=powers)
    domain = list(axes.ends) if axes.ends else alt.Undefined
    scale = alt.Scale(type="log" if axes.log_y else "linear", nice=False, domain=domain, clamp=True)
    ticks = decades(*axes.ends) if axes.ends and axes.log_y else alt.Undefined
    y = alt.Y("y:Q").title(axes.y).scale(scale).axis(format=axes.y_format, tickCount=6, values=ticks)
    colour = alt.Color("name:N").title(None).sort(field="order", op="min").scale(range=list(CATEGORICAL))
    tooltip = [
        alt.Tooltip("name:N").title("Curve"),
        alt.Tooltip("x:Q").title(axes.x).format(",.5~g"),
        alt.Tooltip("y:Q").title(axes.y).format(".4~g"),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2)
    columns = alt.ExprRef(f"width < {WIDE} ? 1 : 2")
    colour = colour.legend(orient="top", columns=columns, symbolStrokeWidth=3, symbolType="stroke", labelLimit=340)
    dash = alt.StrokeDash("name:N").title(None).sort(field="order", op="min").scale(range=_DASHES)
    chart = alt.layer(lines.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tooltip))
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
