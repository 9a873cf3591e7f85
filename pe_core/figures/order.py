"""How much the output of each word changes when the words stand in another order: one row per reader."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import DIVERGING

BLIND = 1e-9  # changes below this are rounding


def changes(words: Sequence[str], moved: Mapping[str, Tensor]) -> Figure:
    """Return a table of changes: `moved` has one (T,) per reader, for the `words` (T,) in their first order.

    A change below 1e-9 is drawn as exactly none.
    """
    rows = [
        {
            "reader": reader,
            "row": row,
            "place": place,
            "word": word,
            "change": float(value),
            "seen": float(value) > BLIND,
        }
        for row, (reader, values) in enumerate(moved.items())
        for place, (word, value) in enumerate(zip(words, values, strict=True))
    ]
    return Figure(_spec(), {"changes": pd.DataFrame(rows)})


@cache
def _spec() -> dict[str, Any]:
    x = alt.X("place:O").title(None).axis(orient="top", labelAngle=0, labelExpr="''", ticks=False, domain=False)
    y = alt.Y("reader:N").title(None).sort(field="row", op="min")
    y = y.axis(ticks=False, domain=False, labelLimit=210, labelFontSize=12)
    scale = alt.Scale(domain=[0, 1.5], range=list(DIVERGING[4:]), clamp=True)
    cells = alt.Chart(alt.NamedData("changes")).encode(x=x, y=y)
    tooltip = [
        alt.Tooltip("reader:N").title("Reader"),
        alt.Tooltip("word:N").title("Word"),
        alt.Tooltip("change:Q").title("Change of its output").format(".3g"),
    ]
    colour = alt.Color("change:Q").title("Change").scale(scale)
    colour = colour.legend(
        orient="bottom",
        titleOrient="left",
        gradientLength=110,
        gradientThickness=10,
        values=[0, 0.5, 1, 1.5],
        format=".1f",
    )
    box = cells.mark_rect(stroke="#7F7F7F", strokeWidth=0.5).encode(color=colour, tooltip=tooltip)
    words = cells.mark_text(dy=-8, fontSize=12, fontWeight="bold", limit=70, color=_ink()).encode(text="word:N")
    number = cells.transform_calculate(shown="datum.seen ? format(datum.change, '.2f') : '0'")
    numbers = number.mark_text(dy=8, fontSize=12, color=_ink()).encode(text="shown:N")
    spec: dict[str, Any] = alt.layer(box, words, numbers).configure(aria=False).configure_view(stroke=None).to_dict()
    return spec


def _ink() -> alt.ExprRef:
    return alt.ExprRef("datum.change > 0.9 ? '#FFFFFF' : '#1B2430'")
