"""Pictures of the gallery: who keeps its loss on longer texts, and the losses by length."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.lab import LENGTH, LOSS
from pe_core.figures.lab_lines import at_training_length
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.figures.scorecard import FAMILIES
from pe_core.lab.results.gallery import Standing
from pe_core.lab.results.statistics import NOT_LEARNED, Losses, mean_losses
from pe_core.lab.results.verdicts import BREAKS_FROM, HOLDS_UP_TO

GREY = CATEGORICAL[7]
FAMILY_COLOURS = (GREY, CATEGORICAL[0], CATEGORICAL[2], CATEGORICAL[1], CATEGORICAL[4])
REPAIR_GROUPS, REPAIR_COLOURS = ("as trained", "repaired"), (GREY, CATEGORICAL[0])
RATIO = "Ratio of the losses"


def ranking(found: Sequence[Standing], next_apart: Sequence[bool | None], *, repairs: bool = False) -> Figure:
    """Return a row for each system in the given order: a dot at the ratio of its mean losses, a bar over its seeds.

    A grey line joins neighbours that `next_apart` does not tell apart. What has not learned stands hollow.
    """
    rows = [
        {
            "place": place,
            "label": f"{one.title}  {one.mean:.2f}  n={one.n}",
            "name": one.title,
            "group": one.group,
            "mean": one.mean,
            "least": min(one.ratios.values()),
            "greatest": max(one.ratios.values()),
            "n": one.n,
            "verdict": one.verdict,
            "learned": one.verdict != NOT_LEARNED,
        }
        for place, one in enumerate(found)
    ]
    joined = [
        {"pair": place, "place": end, "label": rows[end]["label"], "mean": rows[end]["mean"]}
        for place, told in enumerate(next_apart)
        if told is False
        for end in (place, place + 1)
    ]
    frames = {
        "rows": pd.DataFrame(rows),
        "joined": pd.DataFrame(joined, columns=["pair", "place", "label", "mean"]),
        "rules": pd.DataFrame({"level": [HOLDS_UP_TO, BREAKS_FROM]}),
        "zones": pd.DataFrame(
            {
                "level": [HOLDS_UP_TO, HOLDS_UP_TO, BREAKS_FROM],
                "word": ["holds", "degrades", "breaks"],
                "line": ["before", "below", "after"],
            }
        ),
    }
    groups = (REPAIR_GROUPS, REPAIR_COLOURS) if repairs else (FAMILIES, FAMILY_COLOURS)
    return Figure(_ranking_spec(*groups), frames)


@lru_cache(MOST_SPECS)
def _ranking_spec(groups: tuple[str, ...], colours: tuple[str, ...]) -> dict[str, Any]:
    x_axis = alt.Axis(orient="top", grid=False, tickCount=5)
    x = alt.X("mean:Q").title(RATIO).scale(zero=False, nice=False, padding=8).axis(x_axis)
    y = alt.Y("label:N").title(None).sort(field="place", op="min")
    y = y.axis(labelLimit=230, labelOverlap=False, labelFlush=False, ticks=False, domain=False)
    colour = alt.Color("group:N").title(None).scale(domain=list(groups), range=list(colours))
    colour = colour.legend(orient="top", columns=2, symbolOpacity=1, symbolType="circle")
    tooltip = [
        alt.Tooltip("name:N").title("System"),
        alt.Tooltip("mean:Q").title("Ratio, mean").format(".3f"),
        alt.Tooltip("least:Q").title("Least").format(".3f"),
        alt.Tooltip("greatest:Q").title("Greatest").format(".3f"),
        alt.Tooltip("n:Q").title("Seeds"),
        alt.Tooltip("verdict:N").title("Verdict"),
    ]
    rows = alt.Chart(alt.NamedData("rows"))
    bars = rows.mark_rule(strokeWidth=6, opacity=0.45, strokeCap="round")
    # two layers, not one with an opacity by field: the legend would fade with it
    filled = rows.transform_filter("datum.learned").mark_point(filled=True, size=75, opacity=1)
    hollow = rows.transform_filter("!datum.learned").mark_point(filled=False, size=60, strokeWidth=2)
    joined = alt.Chart(alt.NamedData("joined")).mark_line(color=GREY, strokeWidth=1.5, strokeDash=[3, 2])
    rule = alt.Chart(alt.NamedData("rules")).mark_rule(strokeDash=[6, 4], color=GREY).encode(x="level:Q")
    zones = alt.Chart(alt.NamedData("zones")).encode(x="level:Q", y=alt.value(alt.expr("height")), text="word:N")
    # in two lines below the rows, since on a narrow screen the two rules stand close together
    words: dict[str, Any] = {"fontSize": 12, "baseline": "top", "color": alt.ExprRef(INK)}
    before = zones.transform_filter("datum.line == 'before'").mark_text(align="right", dx=3, dy=4, **words)
    below = zones.transform_filter("datum.line == 'below'").mark_text(align="left", dx=-3, dy=18, **words)
    after = zones.transform_filter("datum.line == 'after'").mark_text(align="left", dx=-3, dy=4, **words)
    spec: dict[str, Any] = (
        alt.layer(
            rule,
            before,
            below,
            after,
            joined.encode(x=x, y=y, detail="pair:N"),
            bars.encode(x=alt.X("least:Q"), x2="greatest:Q", y=y, color=colour, tooltip=tooltip),
            filled.encode(x=x, y=y, color=colour, tooltip=tooltip),
            hollow.encode(x=x, y=y, color=colour, tooltip=tooltip),
        )
        .configure(aria=False)
        .to_dict()
    )
    return spec


def by_length(losses: Mapping[str, Sequence[Losses]], *, train_length: int, guess: float) -> Figure:
    """Return a line of the mean loss over the length for each name, in a band from the least to the greatest seed.

    `losses` has the losses with each seed; `guess` is the loss of guessing by frequency.
    """
    rows = []
    for name, by_seed in losses.items():
        for place, mean in enumerate(mean_losses(list(by_seed))):
            here = [one[place].loss for one in by_seed]
            rows.append((mean.length, mean.loss, min(here), max(here), len(here), f"{name} (n={len(here)})"))
    columns = ["length", "mean", "least", "greatest", "n", "name"]
    frames = {
        "lines": pd.DataFrame(rows, columns=columns),
        "marks": pd.DataFrame({"trained": [train_length], "label": ["training length"]}),
        "levels": pd.DataFrame({"level": [guess], "label": ["guess by frequency"]}),
    }
    return Figure(_length_spec(tuple(sorted({row[0] for row in rows}))), frames)


@lru_cache(MOST_SPECS)
def _length_spec(lengths: tuple[int, ...]) -> dict[str, Any]:
    x = alt.X("length:Q").title(LENGTH).scale(type="log", base=2, nice=False)
    x = x.axis(grid=False, format=",d", values=list(lengths))
    y = alt.Y("mean:Q").title(LOSS).scale(zero=False)
    colour = alt.Color("name:N").title(None).sort(None).scale(range=list(CATEGORICAL))
    colour = colour.legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=4, symbolOpacity=1)
    tooltip = [
        alt.Tooltip("name:N").title("Encoding"),
        alt.Tooltip("length:Q").title("Length").format(",d"),
        alt.Tooltip("mean:Q").title("Loss, mean").format(".3f"),
        alt.Tooltip("least:Q").title("Least").format(".3f"),
        alt.Tooltip("greatest:Q").title("Greatest").format(".3f"),
    ]
    lines = alt.Chart(alt.NamedData("lines"))
    levels = alt.Chart(alt.NamedData("levels")).encode(y="level:Q")
    word = levels.mark_text(align="left", baseline="bottom", dx=4, dy=-2, fontSize=12, color=alt.ExprRef(INK))
    spec: dict[str, Any] = (
        alt.layer(
            levels.mark_rule(strokeDash=[2, 3], color=GREY),
            word.encode(x=alt.value(0), text="label:N"),
            *at_training_length(),
            lines.mark_area(opacity=0.2).encode(x=x, y=alt.Y("least:Q"), y2="greatest:Q", color=colour),
            lines.mark_line(strokeWidth=2.5, point=True).encode(x=x, y=y, color=colour, tooltip=tooltip),
        )
        .configure(aria=False)
        .to_dict()
    )
    return spec
