"""Rows from the best to the worst: bars of one number, or dots at a mean with the range of the seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks.growth import GROWTH, MIN_SIZE, area, grown
from pe_core.figures.looks.palette import CATEGORICAL, DASHED, GREY, INK
from pe_core.lab.results.gallery import Standing
from pe_core.lab.results.statistics import BREAKS_FROM, HOLDS_UP_TO, NOT_LEARNED
from pe_core.wrapping import spelt

FAMILIES = ("none", "absolute", "relative", "bias", "rotary")
FAMILY_COLOURS = (GREY, CATEGORICAL[0], CATEGORICAL[2], CATEGORICAL[1], CATEGORICAL[4])
REPAIR_GROUPS, REPAIR_COLOURS = ("as trained", "repaired"), (GREY, CATEGORICAL[0])
RATIO = "Ratio of the losses"
_ROW_SIZE = {"expr": f"min({MIN_SIZE} * {GROWTH}, 0.95 * height / length(domain('y')))"}  # names keep apart


def ranking(
    values: Mapping[str, float], families: Mapping[str, str], title: Sequence[str], *, chosen: str, descending: bool
) -> Figure:
    """Return a bar for each of the named `values`, coloured by its family, the largest first or the smallest first.

    The lines of `title` say what is measured. The bar of the name `chosen`, if it is there, has a mark at its name and
    an outline.
    """
    frame = pd.DataFrame({"name": list(values), "value": list(values.values())})
    frame["family"] = [families[name] for name in values]
    frame = frame.sort_values("value", ascending=not descending, kind="stable", ignore_index=True)
    numbers = [spelt(value, ".3g") for value in frame.value]
    frame["chosen"] = frame.name == chosen
    marks = frame.chosen.map({True: "▶ ", False: ""})
    label = [f"{mark}{name}   {shown}" for mark, name, shown in zip(marks, frame.name, numbers, strict=True)]
    drawn = tuple(family for family in FAMILIES if family in {*frame.family})  # the legend names no other
    return Figure(_ranking_spec(tuple(title), drawn), {"bars": frame.assign(place=frame.index, label=label)})


@built_once
def _ranking_spec(title: tuple[str, ...], drawn: tuple[str, ...]) -> dict[str, Any]:
    # So few ticks that all have room: Vega would leave out every second one, and 0, where bars start, might be among
    # those.
    x = alt.X("value:Q").title(list(title)).axis(tickCount=alt.ExprRef("max(2, floor(width / 75))"), labelOverlap=False)
    y = (
        alt.Y("label:N")
        .title(None)
        .sort(field="place", op="min")
        .axis(
            labelLimit=grown(200),
            labelFontSize=_ROW_SIZE,
            labelOverlap=False,
            labelFlush=False,
            ticks=False,
            domain=False,
        )
    )
    colours = [FAMILY_COLOURS[FAMILIES.index(family)] for family in drawn]
    colour = alt.Color("family:N").title(None).scale(domain=list(drawn), range=colours)
    tooltip = [
        alt.Tooltip("name:N").title("Encoding"),
        alt.Tooltip("family:N").title("Family"),
        alt.Tooltip("value:Q").title("Measured").format(".5~g"),
    ]
    outline = {"expr": f"datum.chosen ? ({INK}) : 'transparent'"}
    bars = alt.Chart(alt.NamedData("bars")).mark_bar(stroke=outline, strokeWidth=1.5)
    chart = bars.encode(x=x, y=y, color=colour.legend(orient="top", columns=2), tooltip=tooltip)
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return spec


def ratios(found: Sequence[Standing], next_apart: Sequence[bool | None], *, repairs: bool = False) -> Figure:
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
            "min": min(one.ratios.values()),
            "max": max(one.ratios.values()),
            "n": one.n,
            "bits": spelt(one.more_bits, "+.3f"),
            "interval": " to ".join(spelt(end, "+.3f") for end in one.interval or ()),
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
    return Figure(_ratios_spec(*groups), frames)


@built_once
def _ratios_spec(groups: tuple[str, ...], colours: tuple[str, ...]) -> dict[str, Any]:
    x_axis = alt.Axis(orient="top", grid=False, tickCount=5)
    x = alt.X("mean:Q").title(RATIO).scale(zero=False, nice=False, padding=8).axis(x_axis)
    y = alt.Y("label:N").title(None).sort(field="place", op="min")
    y = y.axis(
        labelLimit=grown(230), labelFontSize=_ROW_SIZE, labelOverlap=False, labelFlush=False, ticks=False, domain=False
    )
    colour = alt.Color("group:N").title(None).scale(domain=list(groups), range=list(colours))
    columns = alt.ExprRef("width < 260 ? 2 : width < 400 ? 3 : 5")
    colour = colour.legend(orient="top", columns=columns, columnPadding=8, symbolOpacity=1, symbolType="circle")
    tooltip = [
        alt.Tooltip("name:N").title("System"),
        alt.Tooltip("mean:Q").title("Ratio, mean").format(".3f"),
        alt.Tooltip("min:Q").title("Smallest").format(".3f"),
        alt.Tooltip("max:Q").title("Largest").format(".3f"),
        alt.Tooltip("n:Q").title("Seeds"),
        alt.Tooltip("bits:N").title("Bits per character more"),
        alt.Tooltip("interval:N").title("95 % interval"),
        alt.Tooltip("verdict:N").title("Verdict"),
    ]
    rows = alt.Chart(alt.NamedData("rows"))
    # An edge, since light colours are too faint on a light ground, and dark ones on a dark one.
    bars = rows.mark_bar(size=grown(6), fillOpacity=0.45, cornerRadius=grown(3), stroke=GREY, strokeWidth=1)
    # two layers, not one with an opacity by field: the legend would fade with it
    filled = rows.transform_filter("datum.learned").mark_point(filled=True, size=area(75), opacity=1)
    hollow = rows.transform_filter("!datum.learned").mark_point(filled=False, size=area(60), strokeWidth=2)
    joined = alt.Chart(alt.NamedData("joined")).mark_line(color=GREY, strokeWidth=grown(1.5), strokeDash=[3, 2])
    rule = alt.Chart(alt.NamedData("rules")).mark_rule(strokeDash=DASHED, color=GREY).encode(x="level:Q")
    zones = alt.Chart(alt.NamedData("zones")).encode(x="level:Q", y=alt.value(alt.expr("height")), text="word:N")
    # in two lines below the rows, since on a narrow screen the two rules stand close together
    words: dict[str, Any] = {"fontSize": grown(12), "baseline": "top", "color": alt.ExprRef(INK)}
    before = zones.transform_filter("datum.line == 'before'").mark_text(align="right", dx=3, dy=4, **words)
    below = zones.transform_filter("datum.line == 'below'").mark_text(align="left", dx=-3, dy=grown(18), **words)
    after = zones.transform_filter("datum.line == 'after'").mark_text(align="left", dx=-3, dy=4, **words)
    spec: dict[str, Any] = (
        alt.layer(
            rule,
            before,
            below,
            after,
            joined.encode(x=x, y=y, detail="pair:N"),
            bars.encode(x=alt.X("min:Q"), x2="max:Q", y=y, color=colour, tooltip=tooltip),
            filled.encode(x=x, y=y, color=colour, tooltip=tooltip),
            hollow.encode(x=x, y=y, color=colour, tooltip=tooltip),
        )
        .configure(aria=False)
        .to_dict()
    )
    return spec
