"""Named series over x as lines, with rules to compare them with, marks across either axis, bands and dots."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.figures import marked_place
from pe_core.figures.across import across_x, across_y
from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks import motion
from pe_core.figures.looks.growth import GROWTH, area, grown
from pe_core.figures.looks.in_order import edges, in_order, told, without_straight
from pe_core.figures.looks.palette import CATEGORICAL, DASHED, FAR_APART, GREY, SOLID
from pe_core.figures.looks.paper import UNSEEN
from pe_core.figures.looks.tables import worded
from pe_core.figures.marked_values import AT, answer_marked, values_read

POWERS = tuple(10.0**power for power in range(-4, 10))
NARROW = 550  # pixels of width below which long names of lines stand one below the other
MAX_LINES = len(CATEGORICAL)
BAND_OPACITY = 0.18
DOTTED = (1.5, 3)  # of a level among dashed lines
LONG = 576  # area of the key of a line with dashes in the legend: so long that a few of them are seen
_WIDE, _PLAIN = 5, 2  # pixels of a line that others may lie on, and of any other
_WHOLE = "datum.value % 1 ? '' : format(datum.value, ',d')"  # Vega puts a tick between 0 and 1 where there is no other
_SHORT = "format(datum.value, datum.value < 1 ? '~g' : '~s')"
_HIGH = 0.97  # fraction of the highest value above which the words of an answer stand below their point


@dataclass(frozen=True)
class Axes:
    """The words of both axes, how the axes run, and what the lines look like.

    An axis starts and ends at its `ends`, where lines are cut; y reaches from the one number of `reach` to the other at
    least, so that it stays while lines move within it, and holds 0 unless `zero` is False. Ticks are Vega's choice
    unless given, and so is `y_format`, a number format (d3) or an expression of Vega for the labels. With `dots` every
    value has one; with `step` a line jumps half-way between two values. Where lines may lie on each other, `wide_first`
    draws the first one wide below the others, or the lines have `dashes`, one after the other. The legend has so many
    `columns`, and with `long_names` a single one in a narrow picture. `line` is what a tooltip calls a line. With
    `read` a line is dragged over whole numbers, from where it starts up to the last one, and tells all values there.
    Pictures of a page mark `together` the whole number that is pointed at in one of them.
    """

    x: str
    y: str
    y_ends: tuple[float, float] | None = None
    x_ends: tuple[float, float] | None = None
    reach: tuple[float, float] | None = None
    log_x: bool = False
    log_y: bool = False
    zero: bool = True
    x_ticks: tuple[float, ...] = ()
    y_ticks: tuple[float, ...] = ()
    y_format: str = ""
    dots: bool = False
    step: bool = False
    wide_first: bool = False
    dashes: tuple[tuple[int, ...], ...] = ()
    colours: tuple[str, ...] = CATEGORICAL
    columns: int = 2
    long_names: bool = False
    line: str = "Line"
    read: tuple[int, int] | None = None
    together: bool = False


def lines(
    where: Tensor,
    named: Mapping[str, Tensor],
    axes: Axes,
    *,
    rules: Sequence[str] = (),
    marks: Sequence[tuple[str, float]] = (),
    levels: Sequence[tuple[str, float]] = (),
    chosen: float | None = None,
    dotted: float | None = None,
) -> Figure:
    """Return a line for each of `named` (N,) over `where` (N,); those of the names in `rules` are grey and dashed.

    `marks` are named places on the x axis and `levels` named heights, each with a dashed line across the picture. A
    line stands at the `chosen` x, if any; every line has a dot at x = `dotted`. What is not finite, or not positive on
    a logarithmic axis, is left out.
    """
    frame = series(where, named)
    frame = frame[frame.y.between(0.0 if axes.log_y else -np.inf, np.inf, inclusive="neither")]
    frames = {"lines": frame}
    if marks:
        frames["marks"] = pd.DataFrame(marks, columns=["label", "x"])
    if levels:
        frames["levels"] = pd.DataFrame(levels, columns=["label", "y"])
    if chosen is not None:
        frames["chosen"] = pd.DataFrame({"x": [chosen]})
    if dotted is not None:
        frames["dotted"] = frame[frame.x == dotted]
    return _figure(axes, named, rules, frames)


def moved(figure: Figure, axes: Axes, marks: Sequence[tuple[str, float]]) -> Figure:
    """Return a figure of `lines` that has marks with others in their place: its lines are those that were sent."""
    frames = {**figure.frames, "marks": pd.DataFrame(marks, columns=["label", "x"])}
    return replace(figure, frames=frames, behind=_behind(axes, frames))


def overlaid(where: Tensor, named: Mapping[str, Tensor], axes: Axes) -> Figure:
    """Return a line for each of `named` (N,) over `where` (N,), which may lie on each other: the first is wide.

    Values are rounded to 13 digits after the point: a line that is straight but for rounding is drawn straight.
    """
    rounded = {name: values.double().round(decimals=13) for name, values in named.items()}
    looks = replace(axes, zero=False, y_format="~g", wide_first=True, long_names=True, colours=FAR_APART)
    return lines(where, rounded, looks)


def answered(where: Tensor, named: Mapping[str, Tensor], x: float, y: float, label: str, axes: Axes) -> Figure:
    """Return a line for each of `named` (N,) over `where` (N,), with the answer `y` at `x` marked by its `label`."""
    middle = (float(where.min()) + float(where.max())) / 2
    high = y >= _HIGH * max(float(values.max()) for values in named.values())
    answer = pd.DataFrame([{"x": float(x), "y": float(y), "label": label, "left": x > middle, "high": high}])
    return _figure(axes, named, (), {"lines": series(where, named), "answer": answer})


def banded(curves: Mapping[str, tuple[Tensor, Tensor, Tensor, Tensor]], axes: Axes) -> Figure:
    """Return a line for each of `curves`, which are x, mean, lowest and highest value (N,) each, in its whole band.

    A file has all values, the browser gets those that it needs.
    """
    columns = zip(("x", "y", "low", "high"), zip(*curves.values(), strict=True), strict=True)
    frame = pd.DataFrame({column: torch.cat(parts).numpy() for column, parts in columns})
    frame["name"] = pd.Index(list(curves)).repeat([len(x) for x, *_ in curves.values()])
    figure = _figure(axes, curves, (), {"lines": frame}, banded=True)
    drawn = figure.frames["lines"]
    drawn = drawn if axes.dots or axes.log_x or axes.log_y else without_straight(drawn)
    return replace(figure, frames={"lines": drawn, "bands": edges(frame)})


def series(where: Tensor, named: Mapping[str, Tensor]) -> pd.DataFrame:
    """Return the rows x, y, name of each of `named` (N,) over `where` (N,), in this order."""
    y = torch.cat([values.double() for values in named.values()]).numpy()
    x, name = np.tile(where.numpy(), len(named)), pd.Index(list(named)).repeat(len(where))
    return pd.DataFrame({"x": x, "y": y, "name": name})


def decades(low: float, high: float) -> list[float]:
    """Return powers of ten from `low` to `high`, at most six of them, evenly spread."""
    powers = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
    return [10.0**power for power in powers[:: 1 + (len(powers) - 1) // 6]]


def x_axis(axes: Axes, field: str = "x") -> alt.X:
    """Return the horizontal axis, which the frame's column `field` is drawn on."""
    domain = list(axes.x_ends) if axes.x_ends else alt.Undefined
    x = alt.X(f"{field}:Q").title(axes.x)
    if axes.log_x:
        ticks = list(axes.x_ticks or POWERS)
        form = ",d" if axes.x_ticks else "~s"
        return x.scale(type="log", domain=domain, nice=False).axis(grid=False, format=form, values=ticks)
    return x.scale(domain=domain, nice=False, zero=False).axis(grid=False, labelExpr=_WHOLE, tickMinStep=1)


def y_axis(axes: Axes, field: str = "y") -> alt.Y:
    """Return the vertical axis, which the frame's column `field` is drawn on."""
    y = alt.Y(f"{field}:Q").title(axes.y)
    ticks: Any = list(axes.y_ticks) or alt.Undefined
    form: dict[str, Any] = {"labelExpr" if "datum" in axes.y_format else "format": axes.y_format or alt.Undefined}
    if axes.log_y:
        form = form if axes.y_format else {"labelExpr": _SHORT}
        if axes.y_ends:
            ticks = list(axes.y_ticks) or decades(*axes.y_ends)
            y = y.scale(type="log", domain=list(axes.y_ends), nice=False)
        else:
            y = y.scale(type="log")
    else:
        y = y.scale(domain=list(axes.y_ends), nice=False) if axes.y_ends else y.scale(zero=axes.zero)
    few: Any = 6 if axes.log_y and not axes.y_ticks else alt.Undefined
    return y.axis(**form, values=ticks, tickCount=few)


def legend(axes: Axes, symbol: str, size: float | None = None) -> alt.Legend:
    """Return the legend of named lines or bars, above the picture; `symbol` is that of Vega, of this area if given."""
    columns = alt.ExprRef(f"width < {NARROW} ? 1 : {axes.columns}") if axes.long_names else axes.columns
    limit = grown(340 if axes.long_names else 260)
    return alt.Legend(
        title=None,
        orient="top",
        columns=columns,
        symbolType=symbol,
        symbolSize=area(size) if size else alt.Undefined,
        symbolStrokeWidth=grown(2.5 if size else 4),
        symbolOpacity=1,
        labelLimit=limit,
    )


def _figure(
    axes: Axes, names: Iterable[str], rules: Sequence[str], frames: dict[str, pd.DataFrame], *, banded: bool = False
) -> Figure:
    spec = _spec(axes, tuple(names), tuple(rules), tuple(frames), banded)
    rows = frames["lines"]
    drawn = frames if axes.dots else {**frames, "lines": rows.assign(told=told(rows.name))}
    return Figure(spec, drawn, behind=_behind(axes, frames))


def _behind(axes: Axes, frames: Mapping[str, pd.DataFrame]) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return the tables for a file, whose columns have the words of the axes."""
    return worded(frames, {"x": axes.x, "y": axes.y, "name": axes.line})


@built_once
def _spec(
    axes: Axes, names: tuple[str, ...], rules: tuple[str, ...], frames: tuple[str, ...], banded: bool
) -> dict[str, Any]:
    x, y = x_axis(axes), y_axis(axes)
    looks = _looks(axes, names, rules)
    tooltip = [
        alt.Tooltip("name:N").title(axes.line),
        alt.Tooltip("x:Q").title(axes.x).format(",.5~g"),
        alt.Tooltip("y:Q").title(axes.y if not banded else "Mean").format(",.5~g"),
    ]
    chart = in_order("lines")
    is_first = f"datum.name === {json.dumps(names[0])}" if axes.wide_first else "false"
    # Not of the mark itself: keys in the legend would be as thin as the line.
    width: Any = alt.condition(is_first, alt.value(grown(_WIDE)), alt.value(grown(_PLAIN)))
    size = {"expr": f"({is_first} ? 140 : {36 if axes.dots else 100}) * pow({GROWTH}, 2)"}
    cut = axes.y_ends is not None or axes.x_ends is not None
    line = chart.mark_line(clip=cut, interpolate="step" if axes.step else "linear", strokeJoin="round", order=False)
    # A line on its own would tell its first value only.
    # Those of a dashed line are not seen: its dashes would look like dots.
    seen = {"expr": f"indexof({json.dumps(rules)}, datum.name) < 0 ? 1 : 0"} if rules else 1
    dots = chart.mark_circle(clip=cut, opacity=seen if axes.dots else 0, size=size)
    dots = dots if axes.dots else dots.transform_filter("datum.told").properties(name=UNSEEN)
    below, above = [], []
    if axes.reach:
        low, high = axes.reach
        ends = alt.Chart(alt.sequence(low, high + (high - low) / 2, high - low, as_="end"))
        below.append(ends.mark_rule(opacity=0).encode(y="end:Q"))
    crossing = [across_x()] if "marks" in frames else []
    crossing += [across_y(DOTTED if rules else DASHED)] if "levels" in frames else []
    below += [rule for rule, _ in crossing]
    above += [label for _, label in crossing]
    if "chosen" in frames:
        below.append(alt.Chart(alt.NamedData("chosen")).mark_rule(color=CATEGORICAL[4]).encode(x="x:Q"))
    if banded:
        tooltip += [alt.Tooltip(f"{end}:Q").title(end.capitalize()).format(",.5~g") for end in ("low", "high")]
        band = in_order("bands").mark_area(opacity=BAND_OPACITY, order=False).encode(color=looks["color"])
        below.append(band.encode(x=x_axis(axes, "left"), y=y_axis(axes, "bottom"), y2="top:Q"))
    if "dotted" in frames:
        dotted = alt.Chart(alt.NamedData("dotted")).mark_circle(size=area(90), opacity=1)
        above.append(dotted.encode(x=x, y=y, color=looks["color"], tooltip=tooltip))
    if "answer" in frames:
        above += answer_marked()
    if axes.read:
        above += values_read(x, y, looks["color"], axes.read[1])
    layers = [
        *below,
        line.encode(x=x, y=y, strokeWidth=width, **looks),
        dots.encode(x=x, y=y, color=looks["color"], tooltip=tooltip),
        *above,
    ]
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    if axes.read:
        start, last = axes.read
        spec["config"]["signals"] = [motion.dragged(AT, axes.x, last=last, start=start)]
    spec = marked_place.x_together(spec) if axes.together else spec
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}  # hundreds of dots as elements are slow


def _looks(axes: Axes, names: tuple[str, ...], rules: tuple[str, ...]) -> dict[str, Any]:
    """Return the colour of each line, and its dash where some have one, with one legend for both."""
    own = [name for name in names if name not in rules]
    colours = {name: axes.colours[place % len(axes.colours)] for place, name in enumerate(own)}
    dashes: dict[str, Sequence[int]] = dict(zip(own, axes.dashes, strict=False))
    dashed = bool(rules or axes.dashes)
    key = legend(axes, "stroke", LONG if dashed else None)
    colour = alt.Color("name:N").legend(key)
    looks: dict[str, Any] = {
        "color": colour.scale(domain=list(names), range=[colours.get(name, GREY) for name in names])
    }
    if dashed:
        drawn = [DASHED if name in rules else dashes.get(name, SOLID) for name in names]
        dash = alt.StrokeDash("name:N").legend(key)
        looks["strokeDash"] = dash.scale(domain=list(names), range=[list(dash) for dash in drawn])
    return looks
