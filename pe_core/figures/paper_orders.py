"""The order of a paper beside ours: two columns of names, and a line from each name to itself."""

from collections.abc import Sequence
from functools import cache
from textwrap import wrap
from typing import Any

import altair as alt
import pandas as pd

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.lab.results.papers import Comparison, order

SIDES = ("paper", "here")
WIDEST = 13  # letters of a line for which a telephone has room beside the picture


def orders(found: Comparison, titles: Sequence[str]) -> Figure:
    """Return the order of the paper on the left and ours on the right, a line for each system, the best one above."""
    rows = []
    for side, values in zip(SIDES, (found.paper, found.ours), strict=True):
        for rank, place in enumerate(order(values), start=1):
            row = {"side": side, "rank": rank, "name": titles[place], "value": values[place]}
            lines = [*wrap(titles[place], WIDEST), f"{values[place]:.3g}"]
            rows.append({**row, "label": "\n".join(lines), "system": place})
    return Figure(_orders_spec(), {"ranks": pd.DataFrame(rows)})


@cache
def _orders_spec() -> dict[str, Any]:
    x = alt.X("side:N").title(None).scale(alt.Scale(type="point", domain=list(SIDES), padding=0.75))
    x = x.axis(orient="top", labelAngle=0, labelFontSize=14, labelFontWeight="bold", ticks=False, domain=False)
    y = alt.Y("rank:O").title(None).axis(None)
    colour = alt.Color("system:O").scale(domain=list(range(len(CATEGORICAL))), range=list(CATEGORICAL)).legend(None)
    tooltip = [
        alt.Tooltip("name:N").title("System"),
        alt.Tooltip("side:N").title("Where"),
        alt.Tooltip("rank:O").title("Place"),
        alt.Tooltip("value:Q").title("Number").format(".4~g"),
    ]
    ranks = alt.Chart(alt.NamedData("ranks")).encode(x=x, y=y)
    words: dict[str, Any] = {"fontSize": 13, "color": alt.ExprRef(INK), "lineBreak": "\n"}
    left = ranks.transform_filter(f"datum.side == '{SIDES[0]}'").mark_text(align="right", dx=-10, **words)
    right = ranks.transform_filter(f"datum.side == '{SIDES[1]}'").mark_text(align="left", dx=10, **words)
    spec: dict[str, Any] = (
        alt.layer(
            ranks.mark_line(strokeWidth=3).encode(color=colour, detail="system:O"),
            ranks.mark_point(filled=True, size=90, opacity=1).encode(color=colour, tooltip=tooltip),
            left.encode(text="label:N"),
            right.encode(text="label:N"),
        )
        .configure(aria=False)
        .configure_view(stroke=None)
        .to_dict()
    )
    return spec
