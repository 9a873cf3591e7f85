"""Bars in groups, with their numbers while they are few."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.curves import Y, along, legend, long
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks.palette import FAR_APART, inked

MAX_NUMBERED = 16  # bars in a picture that have their numbers written on them
MIN_WIDTH = 36  # pixels of a bar below which numbers would stand in each other


def bars(
    places: Sequence[str], named: Mapping[str, Tensor], x: str, y: Y, *, bar: str = "Bar", numbered: bool = True
) -> Figure:
    """Return groups of bars, a group for each of `places` and in it a bar for each of `named` (places,).

    Places are called `x`, and `y` is the axis of the numbers. `bar` is what a tooltip calls a bar. With `numbered`,
    every bar has its number where there are few of them.
    """
    rows = [
        {"place": place, "row": row, "name": name, "order": order, "value": float(values[row])}
        for order, (name, values) in enumerate(named.items())
        for row, place in enumerate(places)
    ]
    frame = pd.DataFrame(rows).assign(number=numbered and len(rows) <= MAX_NUMBERED)
    words = {"place": x, "name": bar, "value": y["title"]}
    table = frame[list(words)].rename(columns=words)
    return Figure(_spec(x, y, tuple(named), bar), {"bars": frame}, behind={"bars": lambda: table})


@built_once
def _spec(x_title: str, y: Y, names: tuple[str, ...], bar: str) -> dict[str, Any]:
    x = alt.X("place:N").title(x_title).sort(field="row", op="min").axis(labelAngle=0, labelOverlap=True)
    tooltip = tips(("place:N", x_title), ("name:N", bar), ("value:Q", y["title"], ".5~g"))
    # A domain of its own: Vega warns of two layers whose tables it would have to put in one order.
    offset = alt.XOffset("order:O").scale(domain=list(range(len(names))))
    chart = chart_of("bars").encode(x=x, y=along(y, "value"), xOffset=offset)
    number = chart.transform_filter("datum.number").transform_calculate(
        shown="abs(datum.value) < 1e-9 ? '0' : format(datum.value, abs(datum.value) < 0.01 ? '.1e' : '.3~f')"
    )
    words = number.mark_text(
        baseline={"expr": "datum.value < 0 ? 'top' : 'bottom'"},
        dy={"expr": "datum.value < 0 ? 3 : -3"},
        **inked(12),
        opacity={"expr": f"bandwidth('xOffset') < {MIN_WIDTH} ? 0 : 1"},
    )
    colour = alt.Color("name:N").scale(domain=list(names), range=list(FAR_APART[: len(names)]))
    key = legend("square", is_long=long(names))
    box = chart.mark_bar().encode(color=colour.legend(key), tooltip=tooltip)
    return spec_of(alt.layer(box, words.encode(text="shown:N")))
