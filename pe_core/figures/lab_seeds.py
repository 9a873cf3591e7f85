"""Figures of a run with several seeds: two encodings, a line for each seed that both were trained with."""

from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import CATEGORICAL
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.table import measures, pair_of

GREY = CATEGORICAL[7]


def pair(record: RunRecord, first: str, second: str, measure: str) -> Figure:
    """Return two encodings of a run by one of its `measures`: a line for each common seed, a diamond at each mean.

    Lines that all rise or all fall are a difference that every seed shows. Errors are those of `pair_of`.
    """
    found = pair_of(record, first, second, measure)
    sides = ((ENCODINGS[first].title, found.first), (ENCODINGS[second].title, found.second))
    lines = [
        (place, title, seed, value)
        for place, (title, values) in enumerate(sides)
        for seed, value in zip(found.seeds, values, strict=True)
    ]
    means = [
        (place, title, sum(values) / len(values), len(values)) for place, (title, values) in enumerate(sides) if values
    ]
    frames = {
        "lines": pd.DataFrame(lines, columns=["place", "encoding", "seed", "value"]),
        "means": pd.DataFrame(means, columns=["place", "encoding", "value", "n"]),
    }
    return Figure(_spec(measures(record)[measure], record.text.is_task), frames)


@lru_cache(MOST_SPECS)
def _spec(title: str, is_share: bool) -> dict[str, Any]:
    x = alt.X("encoding:N").title(None).sort(field="place", op="min")
    x = x.axis(labelAngle=0, labelLimit=260, grid=False).scale(padding=0.5)
    y = alt.Y("value:Q").title(title).scale(zero=False, nice=True)
    if is_share:
        y = y.axis(format=".1%")
    told = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("value:Q").title(title).format(".1%" if is_share else ".4f"),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(color=GREY, strokeWidth=2, point={"color": GREY, "size": 50})
    means = alt.Chart(alt.NamedData("means")).mark_point(
        shape="diamond", filled=True, size=170, color=CATEGORICAL[0], opacity=1
    )
    spec: dict[str, Any] = alt.layer(
        lines.encode(x=x, y=y, detail="seed:N", tooltip=[*told, alt.Tooltip("seed:Q").title("Seed")]),
        means.encode(x=x, y=y, tooltip=[*told, alt.Tooltip("n:Q").title("Mean of trainings")]),
    ).to_dict()
    return spec
