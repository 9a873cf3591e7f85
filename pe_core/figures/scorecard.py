"""One criterion over all encodings, as bars from the best to the worst."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import altair as alt
import pandas as pd

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

FAMILIES = ("none", "absolute", "relative", "bias", "rotary")


def ranking(values: Mapping[str, float], families: Mapping[str, str], *, chosen: str, descending: bool) -> Figure:
    """Return a bar for each of the named `values`, coloured by its family, the largest first or the smallest first.

    The bar of the name `chosen`, if it is there, has a mark at its name and an outline.
    """
    frame = pd.DataFrame({"name": list(values), "value": list(values.values())})
    frame["family"] = [families[name] for name in values]
    frame = frame.sort_values("value", ascending=not descending, kind="stable", ignore_index=True)
    numbers = [f"{value:.3g}".replace("-", "−") for value in frame.value]
    frame["chosen"] = frame.name == chosen
    marks = frame.chosen.map({True: "▶ ", False: ""})
    label = [f"{mark}{name}   {shown}" for mark, name, shown in zip(marks, frame.name, numbers, strict=True)]
    return Figure(_spec(), {"bars": frame.assign(place=frame.index, label=label)})


@cache
def _spec() -> dict[str, Any]:
    y = (
        alt.Y("label:N")
        .title(None)
        .sort(field="place", op="min")
        .axis(labelLimit=200, labelOverlap=False, labelFlush=False, ticks=False, domain=False)
    )
    colours = [CATEGORICAL[7], CATEGORICAL[0], CATEGORICAL[2], CATEGORICAL[1], CATEGORICAL[4]]
    colour = alt.Color("family:N").title(None).scale(domain=list(FAMILIES), range=colours)
    tooltip = [
        alt.Tooltip("name:N").title("Encoding"),
        alt.Tooltip("family:N").title("Family"),
        alt.Tooltip("value:Q").title("Measured").format(".5~g"),
    ]
    outline = {"expr": f"datum.chosen ? ({INK}) : 'transparent'"}
    bars = alt.Chart(alt.NamedData("bars")).mark_bar(stroke=outline, strokeWidth=1.5)
    chart = bars.encode(
        x=alt.X("value:Q").title(None), y=y, color=colour.legend(orient="top", columns=2), tooltip=tooltip
    )
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return spec
