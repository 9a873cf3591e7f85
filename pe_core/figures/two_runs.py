"""Two runs of the lab in one picture: what they can do by length, a colour per encoding and a dash per run.

For texts that is the loss, for tasks the share of right answers.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.lab import LOSS_OF_TEXT
from pe_core.figures.lab_lines import Quantity
from pe_core.figures.palette import CATEGORICAL

RUNS = ("first run", "second run")
TIMES = "Evaluated length (training lengths)"

# By encoding: the length in training lengths, and the loss in nats per character, or the share of right answers.
Lines = Mapping[str, list[tuple[float, float]]]


def two_runs(first: Lines, second: Lines, shown: Quantity = LOSS_OF_TEXT) -> Figure:
    """Return what is shown over evaluated length, in multiples of each run's own training length, by encodings' titles.

    With more encodings than colours some share one; the tooltip names each.
    """
    points = [
        (times, value, title, run)
        for run, lines in zip(RUNS, (first, second), strict=True)
        for title, line in lines.items()
        for times, value in line
    ]
    frame = pd.DataFrame(points, columns=["times", shown.column, "encoding", "run"])
    return Figure(_spec(tuple(dict.fromkeys([*first, *second])), shown), {"lines": frame})


@lru_cache(MOST_SPECS)
def _spec(titles: tuple[str, ...], shown: Quantity) -> dict[str, Any]:
    colours = [CATEGORICAL[number % len(CATEGORICAL)] for number in range(len(titles))]
    above = alt.Legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=3)
    below = alt.Legend(
        orient="bottom", symbolType="stroke", symbolStrokeColor="#808080", symbolStrokeWidth=2.5, symbolSize=400
    )
    x = alt.X("times:Q").title(TIMES).scale(type="log", base=2, domain=[1, 8], nice=False)
    colour = alt.Color("encoding:N").title(None).scale(domain=list(titles), range=colours).legend(above)
    dash = alt.StrokeDash("run:N").title(None).scale(domain=list(RUNS), range=[[1, 0], [6, 4]])
    tooltip = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("run:N").title("Run"),
        alt.Tooltip("times:Q").title(TIMES).format("g"),
        *shown.told(spread=False),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5)
    line = lines.encode(
        x=x.axis(grid=False, format="g", values=[1, 2, 3, 4, 6, 8]),
        y=shown.axis(),
        color=colour,
        strokeDash=dash.legend(below),
        tooltip=tooltip,
    )
    # On their own, not as a part of the line: the key of the dashes would be drawn without a colour.
    points = alt.Chart(alt.NamedData("lines")).mark_circle(size=50, opacity=1)
    dots = points.encode(x="times:Q", y=f"{shown.column}:Q", color="encoding:N", tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(line, dots).configure(aria=False).to_dict()
    return spec
