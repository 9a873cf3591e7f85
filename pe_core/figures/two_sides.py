"""Two sides compared: a paper's order beside ours, two encodings by seed, and what two texts say of each encoding."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import altair as alt
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks.growth import area, grown
from pe_core.figures.looks.palette import CATEGORICAL, DASHED, GREY, INK, colour_of, dashes_of
from pe_core.figures.ranking import FAMILIES, FAMILY_COLOURS
from pe_core.lab.results.gallery import Standing
from pe_core.lab.results.papers import Comparison, order
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import BREAKS_FROM, HOLDS_UP_TO
from pe_core.lab.results.table import measures, pair_of

SIDES = ("paper", "here")
SHAPES = ("cross", "square", "diamond", "triangle-up", "circle")  # of the families: colours alone are lost in grey
MAX_LETTERS = 13  # letters of a line for which a telephone has room beside the picture


def orders(found: Comparison, titles: Sequence[str]) -> Figure:
    """Return the order of the paper on the left and ours on the right, a line for each system, the best one above."""
    rows = []
    for side, values in zip(SIDES, (found.paper, found.ours), strict=True):
        for rank, place in enumerate(order(values), start=1):
            row = {"side": side, "rank": rank, "name": titles[place], "value": values[place]}
            lines = [*wrap(titles[place], MAX_LETTERS), f"{values[place]:.3g}"]
            rows.append({**row, "label": "\n".join(lines), "system": place})
    return Figure(_orders_spec(tuple(titles)), {"ranks": pd.DataFrame(rows)})


@built_once
def _orders_spec(titles: tuple[str, ...]) -> dict[str, Any]:
    x = alt.X("side:N").title(None).scale(alt.Scale(type="point", domain=list(SIDES), padding=0.75))
    x = x.axis(orient="top", labelAngle=0, labelFontSize=grown(14), labelFontWeight="bold", ticks=False, domain=False)
    y = alt.Y("rank:O").title(None).axis(None)
    places, colours = list(range(len(titles))), [colour_of(title) for title in titles]
    colour = alt.Color("system:O").scale(domain=places, range=colours).legend(None)
    dash = alt.StrokeDash("system:O").scale(domain=places, range=[list(dash) for dash in dashes_of(colours)])
    tooltip = [
        alt.Tooltip("name:N").title("System"),
        alt.Tooltip("side:N").title("Where"),
        alt.Tooltip("rank:O").title("Place"),
        alt.Tooltip("value:Q").title("Number").format(".4~g"),
    ]
    ranks = alt.Chart(alt.NamedData("ranks")).encode(x=x, y=y)
    words: dict[str, Any] = {"fontSize": grown(13), "color": alt.ExprRef(INK), "lineBreak": "\n"}
    left = ranks.transform_filter(f"datum.side == '{SIDES[0]}'").mark_text(align="right", dx=-10, **words)
    right = ranks.transform_filter(f"datum.side == '{SIDES[1]}'").mark_text(align="left", dx=10, **words)
    spec: dict[str, Any] = (
        alt.layer(
            ranks.mark_line(strokeWidth=grown(3)).encode(color=colour, strokeDash=dash.legend(None)),
            ranks.mark_point(filled=True, size=area(90), opacity=1).encode(color=colour, tooltip=tooltip),
            left.encode(text="label:N"),
            right.encode(text="label:N"),
        )
        .configure(aria=False)
        .configure_view(stroke=None)
        .to_dict()
    )
    return spec


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
    return Figure(_pair_spec(measures(record)[measure], record.text.is_task), frames)


@built_once
def _pair_spec(title: str, is_fraction: bool) -> dict[str, Any]:
    x = alt.X("encoding:N").title(None).sort(field="place", op="min")
    x = x.axis(labelAngle=0, labelLimit=grown(260), grid=False).scale(padding=0.5)
    y = alt.Y("value:Q").title(title).scale(zero=False, nice=True)
    if is_fraction:
        y = y.axis(format=".1%")
    told = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("value:Q").title(title).format(".1%" if is_fraction else ".4f"),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(
        color=GREY, strokeWidth=grown(2), point={"color": GREY, "size": 50}
    )
    means = alt.Chart(alt.NamedData("means")).mark_point(
        shape="diamond", filled=True, size=area(170), color=CATEGORICAL[0], opacity=1
    )
    spec: dict[str, Any] = alt.layer(
        lines.encode(x=x, y=y, detail="seed:N", tooltip=[*told, alt.Tooltip("seed:Q").title("Seed")]),
        means.encode(x=x, y=y, tooltip=[*told, alt.Tooltip("n:Q").title("Mean of runs")]),
    ).to_dict()
    return spec


def texts(pairs: Sequence[tuple[Standing, Standing]], named: str) -> Figure:
    """Return a point for each encoding: its ratio of the losses with one text from left to right, with another upwards.

    `pairs` hold what both texts say of the same encoding. The name of the one whose key is `named` stands in the
    picture. On the diagonal both texts say the same; at the dashed lines the verdict changes.
    """
    points = [
        {
            "name": first.title,
            "group": first.group,
            "first": first.mean,
            "second": second.mean,
            "verdict": first.verdict,
            "other": second.verdict,
            "label": first.title if first.key == named else "",
        }
        for first, second in pairs
    ]
    ratios = [one.mean for pair in pairs for one in pair]
    ends = [min(ratios), max(ratios)]
    frames = {
        "points": pd.DataFrame(points),
        "same": pd.DataFrame({"first": ends, "second": ends}),
        "rules": pd.DataFrame({"level": [HOLDS_UP_TO, BREAKS_FROM]}),
        "zones": pd.DataFrame(
            {
                "level": [HOLDS_UP_TO, HOLDS_UP_TO, BREAKS_FROM],
                "word": ["holds", "degrades", "breaks"],
                "above": [False, True, True],
            }
        ),
    }
    return Figure(_texts_spec(), frames)


@built_once
def _texts_spec() -> dict[str, Any]:
    scale = alt.Scale(zero=False, nice=False, padding=12)
    x = alt.X("first:Q").title("Ratio of the losses, first text").scale(scale).axis(grid=False, tickCount=5)
    y = alt.Y("second:Q").title("Ratio of the losses, second text").scale(scale).axis(grid=False, tickCount=5)
    legend = alt.Legend(title=None, orient="top", columns=alt.ExprRef("width < 420 ? 3 : 5"), symbolOpacity=1)
    colour = alt.Color("group:N").scale(domain=list(FAMILIES), range=list(FAMILY_COLOURS)).legend(legend)
    shape = alt.Shape("group:N").scale(domain=list(FAMILIES), range=list(SHAPES)).legend(legend)
    tooltip = [
        alt.Tooltip("name:N").title("Encoding"),
        alt.Tooltip("first:Q").title("First text").format(".3f"),
        alt.Tooltip("verdict:N").title("Verdict, first text"),
        alt.Tooltip("second:Q").title("Second text").format(".3f"),
        alt.Tooltip("other:N").title("Verdict, second text"),
    ]
    rules = alt.Chart(alt.NamedData("rules")).mark_rule(strokeDash=DASHED, color=GREY)
    zones = alt.Chart(alt.NamedData("zones")).encode(x="level:Q", y=alt.value(0), text="word:N")
    words: dict[str, Any] = {"fontSize": grown(12), "color": alt.ExprRef(INK)}
    left = zones.transform_filter("!datum.above").mark_text(align="right", dx=-4, baseline="bottom", dy=-3, **words)
    right = zones.transform_filter("datum.above").mark_text(align="left", dx=4, baseline="bottom", dy=-3, **words)
    points = alt.Chart(alt.NamedData("points")).encode(x=x, y=y)
    spec: dict[str, Any] = (
        alt.layer(
            rules.encode(x="level:Q"),
            rules.encode(y="level:Q"),
            left,
            right,
            alt.Chart(alt.NamedData("same")).mark_line(color=GREY, strokeWidth=grown(1.5)).encode(x=x, y=y),
            points.mark_point(filled=True, size=area(80), opacity=0.9).encode(
                color=colour, shape=shape, tooltip=tooltip
            ),
            points.mark_text(align="right", dx=-9, **words).encode(text="label:N"),
        )
        .configure(aria=False)
        .to_dict()
    )
    return spec
