"""What a sink takes and leaves: the attention of one query with and without it, and the ids of the keys in a cache."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL
from pe_core.measures.sinks import Cache, Row

WITH, WITHOUT = "sink in view", "sink gone"
MET, NOT_MET = "met in training", "never met"
FILLS = {MET: "#BFDDF2", NOT_MET: "#F5C38A"}
NUMBER_WIDTH = 28  # pixels of a cell below which its number stands upright
ROWS = ("Text: id", "Text: distance", "Cache: id", "Cache: distance")


def attention(row: Row) -> Figure:
    """Return two bars per key, the sink first: its weight while the sink is in view, and once it is gone."""
    frame = pd.DataFrame(
        [
            {"key": "sink" if place == 0 else str(place), "place": place, "when": when, "weight": float(weight)}
            for when, weights in ((WITH, row.with_sink), (WITHOUT, row.without))
            for place, weight in enumerate(weights)
        ]
    )
    return Figure(_attention_spec(), {"weights": frame})


def cache_ids(cache: Cache, longest: int) -> Figure:
    """Return a table of the keys in `cache`: their ids and distances to the query, by places in the text and the cache.

    Distances of `longest` tokens or more are coloured as never met in training.
    """
    numbers: Mapping[str, Tensor] = dict(
        zip(ROWS, (cache.in_text, cache.text_distances, cache.in_cache, cache.cache_distances), strict=True)
    )
    frame = pd.DataFrame(
        [
            {"row": row, "column": column, "number": int(number), "meaning": MET if met else NOT_MET, "order": order}
            for order, (row, values) in enumerate(numbers.items())
            for column, number in enumerate(values)
            for met in [int(number) < longest]
        ]
    )
    return Figure(_ids_spec(), {"ids": frame})


@cache
def _attention_spec() -> dict[str, Any]:
    whens = [WITH, WITHOUT]
    x = alt.X("key:N").title("Key").sort(field="place", op="min").axis(labelAngle=0, labelOverlap=True)
    y = alt.Y("weight:Q").title("Attention").scale(domain=[0, 1], nice=False)
    colour = alt.Color("when:N").title(None).scale(domain=whens, range=[CATEGORICAL[0], CATEGORICAL[1]])
    tooltip = [
        alt.Tooltip("key:N").title("Key"),
        alt.Tooltip("when:N").title("When"),
        alt.Tooltip("weight:Q").title("Attention").format(".4f"),
    ]
    bars = alt.Chart(alt.NamedData("weights")).mark_bar()
    chart = bars.encode(
        x=x, y=y, xOffset=alt.XOffset("when:N").sort(whens), color=colour.legend(orient="top"), tooltip=tooltip
    )
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return spec


@cache
def _ids_spec() -> dict[str, Any]:
    x = alt.X("column:O").title("Key in the cache, the query last").axis(labels=False, ticks=False, domain=False)
    y = alt.Y("row:N").title(None).sort(field="order", op="min").axis(ticks=False, domain=False, labelLimit=150)
    meanings = [MET, NOT_MET]
    colour = alt.Color("meaning:N").title(None).scale(domain=meanings, range=[FILLS[name] for name in meanings])
    cells = alt.Chart(alt.NamedData("ids")).encode(x=x, y=y)
    tooltip = [alt.Tooltip("row:N").title("Row"), alt.Tooltip("number:Q").title("Number")]
    boxes = cells.mark_rect(stroke="#7F7F7F", strokeWidth=0.5).encode(
        color=colour.legend(orient="top", symbolType="square", symbolSize=150, symbolStrokeWidth=1), tooltip=tooltip
    )
    upright = alt.ExprRef(f"bandwidth('x') < {NUMBER_WIDTH} ? -90 : 0")
    numbers = cells.mark_text(fontSize=12, angle=upright, color="#1B2430").encode(text="number:Q")
    spec: dict[str, Any] = alt.layer(boxes, numbers).configure(aria=False).configure_view(stroke=None).to_dict()
    return spec
