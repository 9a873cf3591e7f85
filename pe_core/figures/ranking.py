"""Encodings beside each other: bars, ratios with the range of the seeds, and what two sides say of the same ones."""

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from textwrap import wrap
from typing import Any, Literal

import altair as alt
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Figure, Tip, built_once, chart_of, spec_of, tips
from pe_core.figures.looks.palette import (
    CATEGORICAL,
    DASHED,
    GREY,
    GROWTH,
    INK,
    MIN_SIZE,
    area,
    colour_of,
    dashes_of,
    grown,
    inked,
)
from pe_core.lab.results.gallery import Standing
from pe_core.lab.results.papers import Comparison, order
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import BREAKS_FROM, HOLDS_UP_TO, NOT_LEARNED
from pe_core.lab.results.table import measures, pair_of
from pe_core.wrapping import spelt

FAMILIES = ("none", "absolute", "relative", "bias", "rotary")
FAMILY_COLOURS = (GREY, CATEGORICAL[0], CATEGORICAL[2], CATEGORICAL[1], CATEGORICAL[4])
REPAIR_GROUPS, REPAIR_COLOURS = ("as trained", "repaired"), (GREY, CATEGORICAL[0])
SIDES = ("paper", "here")
SHAPES = ("cross", "square", "diamond", "triangle-up", "circle")  # of the families: colours alone are lost in grey
MAX_LETTERS = 13  # letters of a line for which a telephone has room beside the picture
RATIO = "Ratio of the losses"
NEAR = 0.03  # of the axis: dots that are nearer are stacked
BETWEEN, LIFTED = 1.6, 1.4  # dots: from the highest one of a family to the next, and from one to a name above it
_ROW_SIZE = {"expr": f"min({MIN_SIZE} * {GROWTH}, 0.95 * height / length(domain('y')))"}  # names keep apart


def ranking(
    values: Mapping[str, float], families: Mapping[str, str], title: Sequence[str], *, chosen: str, descending: bool
) -> Figure:
    """Return a bar for each of the named `values` in the colour of its family, in order, with a mark at `chosen`."""
    frame = pd.DataFrame({"name": list(values), "value": list(values.values())})
    frame["family"] = [families[name] for name in values]
    frame = frame.sort_values("value", ascending=not descending, kind="stable", ignore_index=True)
    numbers = [spelt(value, ".3g") for value in frame.value]
    frame["chosen"] = frame.name == chosen
    marks = frame.chosen.map({True: "▶ ", False: ""})
    label = [f"{mark}{name}   {shown}" for mark, name, shown in zip(marks, frame.name, numbers, strict=True)]
    drawn = tuple(family for family in FAMILIES if family in {*frame.family})  # the legend names no other
    frames = {"bars": frame.assign(place=frame.index, label=label)}
    return Figure(_ranking_spec(tuple(title), drawn), frames, height=140 + 22 * len(frame))


@built_once
def _ranking_spec(title: tuple[str, ...], drawn: tuple[str, ...]) -> dict[str, Any]:
    # So few ticks that all have room: Vega would leave out every second one, and 0, where bars start, might be among
    # those.
    x = alt.X("value:Q").title(list(title)).axis(tickCount=alt.ExprRef("max(2, floor(width / 75))"), labelOverlap=False)
    colours = [FAMILY_COLOURS[FAMILIES.index(family)] for family in drawn]
    colour = alt.Color("family:N").title(None).scale(domain=list(drawn), range=colours)
    tooltip = tips(("name:N", "Encoding"), ("family:N", "Family"), ("value:Q", "Measured", ".5~g"))
    outline = {"expr": f"datum.chosen ? ({INK}) : 'transparent'"}
    bars = chart_of("bars").mark_bar(stroke=outline, strokeWidth=1.5)
    return spec_of(bars.encode(x=x, y=_names(200), color=colour.legend(orient="top", columns=2), tooltip=tooltip))


def _verdicts(degrades: str = "after") -> dict[str, pd.DataFrame]:
    """Return the ratios at which a verdict changes, and the word of each verdict with its side of one of them."""
    zones = {
        "level": [HOLDS_UP_TO, HOLDS_UP_TO, BREAKS_FROM],
        "word": ["holds", "degrades", "breaks"],
        "side": ["before", degrades, "after"],
    }
    return {"rules": pd.DataFrame({"level": [HOLDS_UP_TO, BREAKS_FROM]}), "zones": pd.DataFrame(zones)}


def _zones(y: Any, dx: float, dy: Any, baseline: Literal["top", "middle", "bottom"]) -> list[alt.Chart]:
    """Return the rules at which a verdict changes, and at `y` the word of each verdict, `dx` pixels beside its rule."""
    before = "datum.side === 'before'"
    sides: dict[str, Any] = {
        "align": {"expr": f"{before} ? 'right' : 'left'"},
        "dx": {"expr": f"{before} ? {-dx} : {dx}"},
    }
    words = chart_of("zones").mark_text(**sides, dy=dy, baseline=baseline, **inked(12))
    rule = chart_of("rules").mark_rule(strokeDash=DASHED, color=GREY)
    return [rule.encode(x="level:Q"), words.encode(x="level:Q", y=y, text="word:N")]


def _names(limit: int) -> alt.Y:
    """Return the rows with their names, each in `limit` pixels of a narrow picture, in their order."""
    plain: dict[str, Any] = {"labelOverlap": False, "labelFlush": False, "ticks": False, "domain": False}
    y = alt.Y("label:N").title(None).sort(field="place", op="min")
    return y.axis(labelLimit=grown(limit), labelFontSize=_ROW_SIZE, **plain)


def _of_families() -> alt.Color:
    return alt.Color("group:N").scale(domain=list(FAMILIES), range=list(FAMILY_COLOURS))


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
            "min": min(one.grades.values()),
            "max": max(one.grades.values()),
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
        **_verdicts(degrades="below"),
    }
    groups = (REPAIR_GROUPS, REPAIR_COLOURS) if repairs else (FAMILIES, FAMILY_COLOURS)
    return Figure(_ratios_spec(*groups), frames, height=130 + 21 * len(rows))


@built_once
def _ratios_spec(groups: tuple[str, ...], colours: tuple[str, ...]) -> dict[str, Any]:
    y, x_axis = _names(230), alt.Axis(orient="top", grid=False, tickCount=5)
    x = alt.X("mean:Q").title(RATIO).scale(zero=False, nice=False, padding=8).axis(x_axis)
    colour = alt.Color("group:N").title(None).scale(domain=list(groups), range=list(colours))
    columns = alt.ExprRef("width < 260 ? 2 : width < 400 ? 3 : 5")
    colour = colour.legend(orient="top", columns=columns, columnPadding=8, symbolOpacity=1, symbolType="circle")
    tooltip = tips(
        ("name:N", "System"),
        ("mean:Q", "Ratio, mean", ".3f"),
        ("min:Q", "Smallest", ".3f"),
        ("max:Q", "Largest", ".3f"),
        ("n:Q", "Seeds"),
        ("bits:N", "Bits per character more"),
        ("interval:N", "95% interval"),
        ("verdict:N", "Verdict"),
    )
    rows = chart_of("rows")
    # An edge, since light colours are too faint on a light ground, and dark ones on a dark one.
    bars = rows.mark_bar(size=grown(6), fillOpacity=0.45, cornerRadius=grown(3), stroke=GREY, strokeWidth=1)
    # two layers, not one with an opacity by field: the legend would fade with it
    filled = rows.transform_filter("datum.learned").mark_point(filled=True, size=area(75), opacity=1)
    # unseen, not left out: of a layer without marks the browser warns
    hollow = rows.mark_point(filled=False, size=area(60), strokeWidth=2, opacity=alt.ExprRef("datum.learned ? 0 : 1"))
    joined = chart_of("joined").mark_line(color=GREY, strokeWidth=grown(1.5), strokeDash=[3, 2])
    # in two lines below the rows, since on a narrow screen the two rules stand close together
    down = {"expr": f"datum.side === 'below' ? 18 * {GROWTH} : 4"}
    return spec_of(
        alt.layer(
            *_zones(alt.value(alt.expr("height")), -3, down, "top"),
            joined.encode(x=x, y=y, detail="pair:N"),
            bars.encode(x=alt.X("min:Q"), x2="max:Q", y=y, color=colour, tooltip=tooltip),
            filled.encode(x=x, y=y, color=colour, tooltip=tooltip),
            hollow.encode(x=x, y=y, color=colour, tooltip=tooltip),
        )
    )


def families(found: Sequence[Standing], reach: tuple[float, float], named: Collection[str]) -> Figure:
    """Return a dot for each encoding at the ratio of its losses, in the row of its family; near ones are stacked.

    The axis goes over `reach`. Those whose keys are in `named` have an outline, and their names stand above the dots.
    """
    near, floor = NEAR * (reach[1] - reach[0]), 0.0
    rows, labels, heads = [], [], []
    for family in reversed(FAMILIES):
        own = sorted((one for one in found if one.group == family), key=lambda one: (one.key in named, one.mean))
        floor += family == FAMILIES[0]  # a name of two lines
        taken: list[tuple[float, float, float]] = []  # ratio, half of the width and level of what stands there
        for one in own:
            level = _free(taken, one.mean, near / 2)
            rows.append(
                {
                    "name": one.title,
                    "group": family,
                    "mean": one.mean,
                    "level": floor + level,
                    "verdict": one.verdict,
                    "learned": one.verdict != NOT_LEARNED,
                    "named": one.key in named,
                }
            )
            taken.append((one.mean, near / 2, level))
        if own:
            head = "\n".join(wrap(own[0].title, MAX_LETTERS - 3)) if family == FAMILIES[0] else family
            heads.append({"head": head, "mean": reach[0], "level": floor + max(level for *_, level in taken) / 2})
        for one, (*_, dot) in zip(own, taken[: len(own)], strict=True):
            if one.key in named:
                half = near * len(one.title) / 3
                above = max(there for x, wide, there in taken if abs(one.mean - x) < half + wide) + LIFTED
                labels.append({"name": one.title, "mean": one.mean, "level": floor + above, "dot": floor + dot})
                taken.append((one.mean, half, above))
        floor += max((level for *_, level in taken), default=-BETWEEN) + BETWEEN
    verdicts = _verdicts()
    counted = [f"{word}: {sum(one.verdict == word for one in found)}" for word in verdicts["zones"].word]
    frames = {
        "dots": pd.DataFrame(rows),
        "labels": pd.DataFrame(labels, columns=["name", "mean", "level", "dot"]),
        "families": pd.DataFrame(heads),
        "ends": pd.DataFrame({"mean": reach, "level": [-1.0, floor - 0.5]}),
        **verdicts,
        "zones": verdicts["zones"].assign(word=counted),
    }
    return Figure(_families_spec(), frames)


def _free(taken: Collection[tuple[float, float, float]], ratio: float, half: float) -> int:
    """Return the lowest level, from 0, on which nothing stands nearer to a ratio than its halves of the widths."""
    levels = {level for x, wide, level in taken if abs(ratio - x) < half + wide}
    return next(level for level in count() if level not in levels)


@built_once
def _families_spec() -> dict[str, Any]:
    x = alt.X("mean:Q").title(RATIO).scale(zero=False, nice=False, padding=8).axis(grid=False, tickCount=5)
    y = alt.Y("level:Q").title(None).scale(zero=False, nice=False).axis(None)
    colour = _of_families().legend(None)
    tooltip = tips(("name:N", "Encoding"), ("mean:Q", "Ratio, mean", ".3f"), ("verdict:N", "Verdict"))
    side = f"min(11 * {GROWTH}, height / (domain('y')[1] - domain('y')[0]))"  # so that stacked dots touch
    words = inked(12)
    dots = chart_of("dots").encode(x=x, y=y, color=colour, tooltip=tooltip)
    outline: dict[str, Any] = {"stroke": {"expr": f"datum.named ? ({INK}) : 'transparent'"}, "strokeWidth": grown(1.5)}
    filled = dots.transform_filter("datum.learned").mark_circle(size={"expr": f"pow({side}, 2)"}, opacity=1, **outline)
    hollow = dots.mark_point(
        size={"expr": f"pow(0.8 * {side}, 2)"}, strokeWidth=2, opacity=alt.ExprRef("datum.learned ? 0 : 1")
    )
    labels = chart_of("labels").mark_text(**words)
    # From a name to its dot, where others stand between them; else of no length.
    stems = chart_of("labels").transform_calculate(foot="datum.dot + 0.6", head=f"datum.level - {LIFTED - 0.6:g}")
    stems = stems.mark_rule(color={"expr": INK}, strokeWidth=grown(1))
    heads = chart_of("families").mark_text(align="right", dx=-14, fontWeight="bold", lineBreak="\n", **words)
    ends = chart_of("ends").mark_point(opacity=0)
    return spec_of(
        alt.layer(
            ends.encode(x=x, y=y),
            *_zones(alt.value(0), 4, -6, "middle"),
            heads.encode(x=x, y=y, text="head:N"),
            filled,
            hollow,
            stems.encode(x=x, y=alt.Y("foot:Q", axis=None), y2="head:Q"),
            labels.encode(x=x, y=y, text="name:N"),
        )
    )


def orders(found: Comparison, titles: Sequence[str]) -> Figure:
    """Return the order of the paper on the left and ours on the right, a line for each system, the best one above."""
    rows = []
    for side, values in zip(SIDES, (found.paper, found.ours), strict=True):
        for rank, place in enumerate(order(values), start=1):
            row = {"side": side, "rank": rank, "name": titles[place], "value": values[place]}
            lines = [*wrap(titles[place], MAX_LETTERS), spelt(values[place], ".3g")]
            rows.append({**row, "label": "\n".join(lines), "system": place})
    return Figure(_orders_spec(tuple(titles)), {"ranks": pd.DataFrame(rows)}, height=90 + 62 * len(titles))


@built_once
def _orders_spec(titles: tuple[str, ...]) -> dict[str, Any]:
    x = alt.X("side:N").title(None).scale(alt.Scale(type="point", domain=list(SIDES), padding=0.75))
    x = x.axis(orient="top", labelAngle=0, labelFontSize=grown(14), labelFontWeight="bold", ticks=False, domain=False)
    y = alt.Y("rank:O").title(None).axis(None)
    places, colours = list(range(len(titles))), [colour_of(title) for title in titles]
    colour = alt.Color("system:O").scale(domain=places, range=colours).legend(None)
    dash = alt.StrokeDash("system:O").scale(domain=places, range=[list(dash) for dash in dashes_of(colours)])
    tooltip = tips(("name:N", "System"), ("side:N", "Where"), ("rank:O", "Place"), ("value:Q", "Number", ".4~g"))
    ranks = chart_of("ranks").encode(x=x, y=y)
    words: dict[str, Any] = {**inked(13), "lineBreak": "\n"}
    left = ranks.transform_filter(f"datum.side == '{SIDES[0]}'").mark_text(align="right", dx=-10, **words)
    right = ranks.transform_filter(f"datum.side == '{SIDES[1]}'").mark_text(align="left", dx=10, **words)
    return spec_of(
        alt.layer(
            ranks.mark_line(strokeWidth=grown(3)).encode(color=colour, strokeDash=dash.legend(None)),
            ranks.mark_point(filled=True, size=area(90), opacity=1).encode(color=colour, tooltip=tooltip),
            left.encode(text="label:N"),
            right.encode(text="label:N"),
        ),
        framed=False,
    )


def pair(record: RunRecord, first: str, second: str, measure: str) -> Figure:
    """Return two encodings of a run by one of its `measures`, a line for each seed; errors are those of `pair_of`."""
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
    told: tuple[Tip, ...] = (("encoding:N", "Encoding"), ("value:Q", title, ".1%" if is_fraction else ".4f"))
    lines = chart_of("lines").mark_line(color=GREY, strokeWidth=grown(2), point={"color": GREY, "size": 50})
    means = chart_of("means").mark_point(shape="diamond", filled=True, size=area(170), color=CATEGORICAL[0], opacity=1)
    spec: dict[str, Any] = alt.layer(
        lines.encode(x=x, y=y, detail="seed:N", tooltip=tips(*told, ("seed:Q", "Seed"))),
        means.encode(x=x, y=y, tooltip=tips(*told, ("n:Q", "Mean of runs"))),
    ).to_dict()
    return spec


TEXTS = ("first text", "second text")
SIZES = ("small models", "larger models")


def points(
    pairs: Sequence[tuple[Standing, Standing]], named: Collection[str], between: tuple[str, str] = TEXTS
) -> Figure:
    """Return a point for each encoding: its ratio of the losses on one side from left to right, on the other upwards.

    `pairs` hold what both sides, `TEXTS` or `SIZES`, say of it; the names of the keys `named` stand in the picture.
    """
    rows = [
        {
            "name": first.title,
            "group": first.group,
            "first": first.mean,
            "second": second.mean,
            "verdict": first.verdict,
            "other": second.verdict,
            "label": first.title if first.key in named else "",
        }
        for first, second in pairs
    ]
    ratios = [[one.mean for one in side] for side in zip(*pairs, strict=True)]
    ends = [min(map(min, ratios)), min(map(max, ratios))]  # no farther than both sides: else it would widen an axis
    frames = {"points": pd.DataFrame(rows), "same": pd.DataFrame({"first": ends, "second": ends}), **_verdicts()}
    return Figure(_points_spec(*between), frames)


@built_once
def _points_spec(first: str, second: str) -> dict[str, Any]:
    scale = alt.Scale(zero=False, nice=False, padding=12)
    x = alt.X("first:Q").title(f"Ratio of the losses, {first}").scale(scale).axis(grid=False, tickCount=5)
    y = alt.Y("second:Q").title(f"Ratio of the losses, {second}").scale(scale).axis(grid=False, tickCount=5)
    legend = alt.Legend(title=None, orient="top", columns=alt.ExprRef("width < 420 ? 3 : 5"), symbolOpacity=1)
    colour = _of_families().legend(legend)
    shape = alt.Shape("group:N").scale(domain=list(FAMILIES), range=list(SHAPES)).legend(legend)
    tooltip = tips(
        ("name:N", "Encoding"),
        ("first:Q", first.capitalize(), ".3f"),
        ("verdict:N", f"Verdict, {first}"),
        ("second:Q", second.capitalize(), ".3f"),
        ("other:N", f"Verdict, {second}"),
    )
    points = chart_of("points").encode(x=x, y=y)
    return spec_of(
        alt.layer(
            *_zones(alt.value(0), 4, -3, "bottom"),
            chart_of("rules").mark_rule(strokeDash=DASHED, color=GREY).encode(y="level:Q"),
            chart_of("same").mark_line(color=GREY, strokeWidth=grown(1.5)).encode(x=x, y=y),
            points.mark_point(filled=True, size=area(80), opacity=0.9).encode(
                color=colour, shape=shape, tooltip=tooltip
            ),
            points.mark_text(align="right", dx=-9, **inked(12)).encode(text="label:N"),
        )
    )
