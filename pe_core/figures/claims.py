"""Pictures of what settles a claim: named lines that may lie on each other, and bars in groups with their numbers."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.extension import WHOLE, Axes
from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

WIDTHS = (5, 2, 2, 2)  # of lines in their order: a later one that hides an earlier one leaves its edges to be seen
MOST_NUMBERED = 16  # bars in a picture that have their numbers written on them
NARROWEST = 36  # pixels of a bar below which numbers would stand in each other


def lines(where: Tensor, named: Mapping[str, Tensor], axes: Axes) -> Figure:
    """Return a line for each of `named` (N,) over `where` (N,); the first is the widest and lies below.

    Values are rounded to 13 digits after the point: a line that is straight but for rounding is drawn straight.
    """
    frames = [
        pd.DataFrame({"x": where.numpy(), "y": values.double().numpy().round(13), "name": name, "order": place})
        for place, (name, values) in enumerate(named.items())
    ]
    return Figure(_lines_spec(axes), {"lines": pd.concat(frames, ignore_index=True)})


def bars(places: Sequence[str], named: Mapping[str, Tensor], axes: Axes) -> Figure:
    """Return groups of bars, a group for each of `places` and in it a bar for each of `named` (places,)."""
    rows = [
        {"place": place, "row": row, "name": name, "order": order, "value": float(values[row])}
        for order, (name, values) in enumerate(named.items())
        for row, place in enumerate(places)
    ]
    frame = pd.DataFrame(rows)
    return Figure(_bars_spec(axes), {"bars": frame.assign(number=len(rows) <= MOST_NUMBERED)})


@cache
def _lines_spec(axes: Axes) -> dict[str, Any]:
    x = alt.X("x:Q").title(axes.x).scale(type="log" if axes.log_x else "linear", nice=False, zero=False)
    x = x.axis(grid=False, format="~s") if axes.log_x else x.axis(grid=False, labelExpr=WHOLE, tickMinStep=1)
    y = alt.Y("y:Q").title(axes.y).scale(zero=False).axis(format="~g")
    tooltip = [
        alt.Tooltip("name:N").title("Line"),
        alt.Tooltip("x:Q").title(axes.x).format(",.4~g"),
        alt.Tooltip("y:Q").title(axes.y).format(".4~g"),
    ]
    width = alt.StrokeWidth("order:O").scale(domain=[0, 1, 2, 3], range=list(WIDTHS)).legend(None)
    chart = alt.Chart(alt.NamedData("lines")).encode(x=x, y=y, color=_colour("stroke"), tooltip=tooltip)
    marks: list[alt.Chart] = [chart.mark_line(strokeJoin="round").encode(strokeWidth=width)]
    if axes.dots:
        size = alt.Size("order:O").scale(domain=[0, 1, 2, 3], range=[140, 45, 45, 45]).legend(None)
        marks.append(chart.mark_circle(opacity=1).encode(size=size))
    spec: dict[str, Any] = alt.layer(*marks).configure(aria=False).to_dict()
    return spec


@cache
def _bars_spec(axes: Axes) -> dict[str, Any]:
    x = alt.X("place:N").title(axes.x).sort(field="row", op="min").axis(labelAngle=0, labelOverlap=True)
    y = alt.Y("value:Q").title(axes.y).scale(zero=True).axis(format="~g", tickCount=6)
    beside = alt.XOffset("order:O")
    tooltip = [
        alt.Tooltip("place:N").title(axes.x),
        alt.Tooltip("name:N").title("Bar"),
        alt.Tooltip("value:Q").title(axes.y).format(".5~g"),
    ]
    chart = alt.Chart(alt.NamedData("bars")).encode(x=x, y=y, xOffset=beside)
    number = chart.transform_filter("datum.number").transform_calculate(
        shown="abs(datum.value) < 1e-9 ? '0' : format(datum.value, abs(datum.value) < 0.01 ? '.1e' : '.3~f')"
    )
    side = {"expr": "datum.value < 0 ? 'top' : 'bottom'"}
    words = number.mark_text(
        baseline=side,
        dy={"expr": "datum.value < 0 ? 3 : -3"},
        fontSize=11,
        color={"expr": INK},
        opacity={"expr": f"bandwidth('xOffset') < {NARROWEST} ? 0 : 1"},
    )
    box = chart.mark_bar().encode(color=_colour("square"), tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(box, words.encode(text="shown:N")).configure(aria=False).to_dict()
    return spec


def _colour(symbol: str) -> alt.Color:
    colour = alt.Color("name:N").title(None).sort(field="order", op="min").scale(range=list(_COLOURS))
    return colour.legend(orient="top", columns=1, symbolType=symbol, symbolStrokeWidth=4, labelLimit=320)


_COLOURS = tuple(CATEGORICAL[place] for place in (0, 1, 4, 2, 7, 3, 5, 6))  # far apart for the first few
