"""What rules for longer contexts do to the pairs of RoPE: one line per rule, over pairs, distances or bases."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

MOST_RULES = len(CATEGORICAL)
WHOLE = "datum.value % 1 ? '' : format(datum.value, ',d')"  # Vega puts a tick between 0 and 1 where there is no other
_SHORT = "format(datum.value, datum.value < 1 ? '~g' : '~s')"
_POWERS = [10**power for power in range(10)]


@dataclass(frozen=True)
class Axes:
    """The words of the two axes and of a tooltip, which of the axes is logarithmic, and what the lines look like.

    `dots` puts one on each value; with `reference` the first line is what the others are compared with, grey and
    dashed; y goes `at_least` from the one number to the other, so that the frame stays while lines move within it.
    """

    x: str
    y: str
    log_x: bool = False
    log_y: bool = False
    dots: bool = False
    reference: bool = False
    at_least: tuple[float, float] | None = None


def curves(where: Tensor, lines: Mapping[str, Tensor], axes: Axes, marks: Sequence[tuple[str, float]] = ()) -> Figure:
    """Return a line for each of `lines` (N,) over `where` (N,), and named levels across it, as `marks` on the y axis.

    A value that is not finite, or not positive on a logarithmic axis, is left out.
    """
    frames = [
        pd.DataFrame({"x": where.numpy(), "y": values.numpy(), "name": name, "order": place})
        for place, (name, values) in enumerate(lines.items())
    ]
    frame = pd.concat(frames, ignore_index=True)
    least = 0.0 if axes.log_y else -math.inf
    drawn = frame[frame.y.between(least, math.inf, inclusive="neither")]
    levels = pd.DataFrame({"label": [name for name, _ in marks], "level": [level for _, level in marks]})
    return Figure(_spec(axes, bool(marks)), {"lines": drawn, "levels": levels} if marks else {"lines": drawn})


@cache
def _spec(axes: Axes, marked: bool) -> dict[str, Any]:
    x = alt.X("x:Q").title(axes.x).scale(type="log" if axes.log_x else "linear", nice=False)
    y = alt.Y("y:Q").title(axes.y).scale(alt.Scale(type="log") if axes.log_y else alt.Scale(zero=False))
    if axes.log_x:
        x = x.axis(grid=False, format="~s", values=_POWERS)
    else:
        x = x.axis(grid=False, labelExpr=WHOLE, tickMinStep=1)
    y = y.axis(labelExpr=_SHORT, tickCount=6) if axes.log_y else y
    colours = [CATEGORICAL[7], *CATEGORICAL] if axes.reference else list(CATEGORICAL)
    colour = alt.Color("name:N").title(None).sort(field="order", op="min").scale(range=colours)
    tooltip = [
        alt.Tooltip("name:N").title("Rule"),
        alt.Tooltip("x:Q").title(axes.x).format(",.4~g"),
        alt.Tooltip("y:Q").title(axes.y).format(",.4~g"),
    ]
    point: Any = {"size": 22} if axes.dots else False
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2, point=point)
    colour = colour.legend(orient="top", columns=2, symbolStrokeWidth=4, symbolType="stroke")
    drawn = lines.encode(x=x, y=y, color=colour, tooltip=tooltip)
    if axes.reference:
        dash = alt.StrokeDash("order:O").scale(range=[[6, 3], *[[1, 0]] * MOST_RULES]).legend(None)
        drawn = drawn.encode(strokeDash=dash)
    layers: list[alt.Chart] = [drawn]
    if marked:
        level = alt.Chart(alt.NamedData("levels")).encode(y="level:Q")
        rule = level.mark_rule(strokeDash=[6, 4], color=CATEGORICAL[7])
        words = level.mark_text(align="left", baseline="bottom", dx=4, dy=-2, fontSize=12, color=alt.ExprRef(INK))
        layers = [rule, *layers, words.encode(x=alt.value(0), text="label:N")]
    if axes.at_least is not None:  # two unseen marks at its ends
        low, high = axes.at_least
        ends = alt.Chart(alt.sequence(low, 2 * high - low, high - low, as_="end"))
        layers = [ends.mark_rule(opacity=0).encode(y="end:Q"), *layers]
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
