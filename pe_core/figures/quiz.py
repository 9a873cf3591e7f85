"""The answer to a question with numbers, where it lies on the curve of all such answers."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.extension import Axes
from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

_NUMBER = "abs(datum.value) >= 10000 ? format(datum.value, '~s') : format(datum.value, ',.4~f')"
_POWERS = [10.0**power for power in range(-4, 9)]
_TOP = 0.97  # share of the highest value above which the words stand below their point, within the picture
PAPER = "background || '#FFFFFF'"  # behind words that may stand on a curve


def answered(where: Tensor, curves: Mapping[str, Tensor], x: float, y: float, label: str, axes: Axes) -> Figure:
    """Return named `curves` (N,) over `where` (N,), with the answer `y` at `x` marked and called `label`."""
    frames = [
        pd.DataFrame({"x": where.numpy(), "y": values.numpy(), "name": name, "order": place})
        for place, (name, values) in enumerate(curves.items())
    ]
    middle = (float(where.min()) + float(where.max())) / 2
    high = y >= _TOP * max(float(values.max()) for values in curves.values())
    answer = pd.DataFrame([{"x": float(x), "y": float(y), "label": label, "left": x > middle, "high": high}])
    return Figure(_spec(axes), {"curves": pd.concat(frames, ignore_index=True), "answer": answer})


@cache
def _spec(axes: Axes) -> dict[str, Any]:
    x = alt.X("x:Q").title(axes.x).scale(nice=False, zero=False).axis(grid=False, format="d", tickMinStep=1)
    y = alt.Y("y:Q").title(axes.y).scale(alt.Scale(type="log") if axes.log_y else alt.Scale(zero=True))
    y = y.axis(values=_POWERS, labelExpr=_NUMBER) if axes.log_y else y.axis(tickCount=6, labelExpr=_NUMBER)
    colour = alt.Color("name:N").title(None).sort(field="order", op="min").scale(range=list(CATEGORICAL))
    colour = colour.legend(orient="top", columns=2, symbolStrokeWidth=4, symbolType="stroke")
    tooltip = [alt.Tooltip("x:Q").title(axes.x).format(",.4~g"), alt.Tooltip("y:Q").title(axes.y).format(",.5~g")]
    point: Any = {"size": 24} if axes.dots else False
    curves = alt.Chart(alt.NamedData("curves")).mark_line(strokeWidth=2, point=point)
    answer = alt.Chart(alt.NamedData("answer")).encode(x="x:Q", y="y:Q")
    dashed: Any = {"strokeDash": [4, 4], "strokeWidth": 1.5, "color": CATEGORICAL[7]}
    down = answer.mark_rule(**dashed).encode(y2=alt.value({"expr": "height"}))
    across = answer.mark_rule(**dashed).encode(x2=alt.value(0))
    mark = answer.mark_point(filled=True, size=130, color=CATEGORICAL[4], opacity=1)
    font: Any = {
        "align": {"expr": "datum.left ? 'right' : 'left'"},
        "dx": {"expr": "datum.left ? -9 : 9"},
        "dy": {"expr": "datum.high ? 16 : -14"},
        "fontSize": 13,
        "fontWeight": "bold",
    }
    named = answer.encode(text="label:N")
    halo = named.mark_text(**font, stroke=alt.ExprRef(PAPER), strokeWidth=5, strokeJoin="round", fill=None)
    words = named.mark_text(**font, color=alt.ExprRef(INK))
    layers = curves.encode(x=x, y=y, color=colour, tooltip=tooltip), down, across, mark, halo, words
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
