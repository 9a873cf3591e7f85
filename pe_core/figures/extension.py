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


@dataclass(frozen=True)
class Axes:
    """The words of the two axes and of a tooltip, and which of the axes is logarithmic."""

    x: str
    y: str
    log_x: bool = False
    log_y: bool = False
    dots: bool = False


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
    x = x.axis(grid=False, format="~s") if axes.log_x else x.axis(grid=False, format="d", tickMinStep=1)
    y = y.axis(format="~s", tickCount=6) if axes.log_y else y
    colour = alt.Color("name:N").title(None).sort(field="order", op="min").scale(range=list(CATEGORICAL))
    tooltip = [
        alt.Tooltip("name:N").title("Rule"),
        alt.Tooltip("x:Q").title(axes.x).format(",.4~g"),
        alt.Tooltip("y:Q").title(axes.y).format(",.4~g"),
    ]
    point: Any = {"size": 22} if axes.dots else False
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2, point=point)
    colour = colour.legend(orient="top", columns=2, symbolStrokeWidth=4, symbolType="stroke")
    layers: list[alt.Chart] = [lines.encode(x=x, y=y, color=colour, tooltip=tooltip)]
    if marked:
        level = alt.Chart(alt.NamedData("levels")).encode(y="level:Q")
        rule = level.mark_rule(strokeDash=[6, 4], color=CATEGORICAL[7])
        words = level.mark_text(align="left", baseline="bottom", dx=4, dy=-2, fontSize=12, color=alt.ExprRef(INK))
        layers = [rule, *layers, words.encode(x=alt.value(0), text="label:N")]
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
