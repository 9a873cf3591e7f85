"""Pictures over an x axis, put together from parts: curves, marks, levels, an answer, a line that is dragged.

`across` and `upwards` are the axes, every other function returns a part, and `layered` makes a figure of the parts.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any, TypedDict, TypeVar, Unpack

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.figures import readout
from pe_core.figures.figure import Figure, Tip, built_once, chart_of, spec_of, tips, worded
from pe_core.figures.looks import motion
from pe_core.figures.looks.in_order import edges, in_order, told, without_straight
from pe_core.figures.looks.palette import (
    CATEGORICAL,
    DASHED,
    FAR_APART,
    GREY,
    GROWTH,
    INK,
    SOLID,
    area,
    grown,
    inked,
    on_ground,
)
from pe_core.figures.looks.paper import UNSEEN

POWERS = tuple(10.0**power for power in range(-4, 10))
NARROW = 550  # pixels of width below which long names of lines stand one below the other
LONG = 24  # letters of a name, beyond which two do not fit beside each other there
MAX_LINES = len(CATEGORICAL)
BAND_OPACITY, FAINT_OPACITY, EDGE_OPACITY = 0.2, 0.12, 0.5  # so that a line is seen through the bands of the others
MAX_CLEAR = 4  # lines, beyond which bands lie on each other so often that they have to be fainter
DOTTED = (1.5, 3)  # of a level among dashed lines
AT = "read_at"  # the x of the line that is dragged: a whole number
_LONG_KEY = 576  # area of the key of a dashed line in the legend: so long that a few dashes are seen
_WIDE, _PLAIN = 5, 2  # pixels of a line that others may lie on, and of any other
_WHOLE = "datum.value % 1 ? '' : format(datum.value, ',d')"  # Vega puts a tick between 0 and 1 where there is no other
_SHORT = "format(datum.value, datum.value < 1 ? '~g' : '~s')"
_HIGH = 0.97  # fraction of the highest value above which the words of an answer stand below their point
_ROW = 17  # pixels from the words of one series to those of the next, in a narrow picture
_WORDS: dict[str, Any] = {"align": "left", "baseline": "bottom", **inked(12)}


class X(alt.X):
    """An x axis that a cache takes for the same where it is the same object."""

    __hash__ = object.__hash__


class Y(alt.Y):
    """A y axis that a cache takes for the same where it is the same object."""

    __hash__ = object.__hash__


Axis = TypeVar("Axis", X, Y, alt.X, alt.Y)


@dataclass(frozen=True, eq=False)
class Layers:
    """Charts under the lines, among them and over them, and signals; for a cache each is equal to itself only."""

    below: Sequence[alt.Chart] = ()
    lines: Sequence[alt.Chart] = ()
    above: Sequence[alt.Chart] = ()
    signals: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class Part:
    """A part of a picture: its layers, and its frames by name.

    `heads` are the words of its columns in a file; where fewer rows are drawn than a file has, those are in `whole`.
    `scales` are those of the names of lines, by channel: names change often, and Altair is slow.
    """

    layers: Layers
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)
    whole: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    scales: Mapping[str, dict[str, Any]] = field(default_factory=dict)


def layered(*parts: Part, canvas: bool = True) -> Figure:
    """Return the figure of some parts, on a canvas or as elements; lines of a later one lie over those before."""
    frames, whole, heads, scales = (
        {key: found for part in parts for key, found in getattr(part, kind).items()}
        for kind in ("frames", "whole", "heads", "scales")
    )
    spec = _spec(*(part.layers for part in parts))
    spec = {**spec, "layer": [_scaled(layer, scales) for layer in spec["layer"]]}
    if canvas:
        spec["usermeta"] = {"embedOptions": {"renderer": "canvas"}}
    return Figure(spec, frames, worded({**frames, **whole}, heads))


@built_once
def _spec(*parts: Layers) -> dict[str, Any]:
    charts = [chart for place in ("below", "lines", "above") for part in parts for chart in getattr(part, place)]
    spec, signals = spec_of(alt.layer(*charts)), [signal for part in parts for signal in part.signals]
    return motion.with_signals(spec, *signals) if signals else spec


def _scaled(layer: dict[str, Any], scales: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a layer with the scale of each of its channels whose legend has the names of lines."""
    channels = {
        channel: {**shown, "scale": scales[channel]}
        for channel, shown in layer.get("encoding", {}).items()
        if channel in scales and shown.get("field") == "name" and "legend" in shown
    }
    return {**layer, "encoding": {**layer["encoding"], **channels}} if channels else layer


@built_once
def across(
    title: str, *, ends: tuple[float, float] | None = None, log: bool = False, ticks: tuple[float, ...] = ()
) -> X:
    """Return the x axis, from one of its `ends` to the other, where lines are cut, or as far as the numbers go."""
    scale: dict[str, Any] = {"domain": list(ends)} if ends else {}
    axis: dict[str, Any] = {"labelExpr": _WHOLE, "tickMinStep": 1}
    if log:
        axis = {"format": ",d" if ticks else "~s", "values": list(ticks or POWERS)}
    scale |= {"nice": False, **({"type": "log"} if log else {"zero": False})}
    return X("x:Q", title=title, scale=alt.Scale(**scale), axis=alt.Axis(grid=False, **axis))


@built_once
def upwards(
    title: str,
    *,
    ends: tuple[float, float] | None = None,
    log: bool = False,
    ticks: tuple[float, ...] = (),
    form: str = "",
    zero: bool = True,
) -> Y:
    """Return the y axis, which holds 0 unless `zero` is False, or goes from one of its `ends` to the other.

    Ticks are Vega's choice unless given, or powers of ten where the axis is logarithmic; and so is `form`, a number
    format (d3) or an expression for the labels.
    """
    axis: dict[str, Any] = {"labelExpr" if "datum" in form else "format": form} if form else {}
    if log:
        scale: dict[str, Any] = {"type": "log", **({"domain": list(ends), "nice": False} if ends else {})}
        axis = axis or {"labelExpr": _SHORT}
        ticks = ticks or (tuple(decades(*ends)) if ends else POWERS)
    else:
        scale = {"domain": list(ends), "nice": False} if ends else {"zero": zero}
    if ticks:
        axis["values"] = list(ticks)
    return Y("y:Q", title=title, scale=alt.Scale(**scale), axis=alt.Axis(**axis))


def along(axis: Axis, column: str) -> Axis:
    """Return the same axis for another column of a frame."""
    other = axis.copy()
    other["shorthand"] = f"{column}:Q"
    return other


def decades(low: float, high: float) -> list[float]:
    """Return powers of ten from `low` to `high`, at most six of them, evenly spread."""
    powers = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
    return [10.0**power for power in powers[:: 1 + (len(powers) - 1) // 6]]


def series(where: Tensor, named: Mapping[str, Tensor]) -> pd.DataFrame:
    """Return the rows x, y, name of each of `named` (N,) over `where` (N,), in this order."""
    y = torch.cat([values.double() for values in named.values()]).numpy()
    x, name = np.tile(where.numpy(), len(named)), pd.Index(list(named)).repeat(len(where))
    return pd.DataFrame({"x": x, "y": y, "name": name})


def ranges(named: Mapping[str, tuple[Tensor, Tensor, Tensor, Tensor]]) -> pd.DataFrame:
    """Return the rows of each of `named`: x, mean y, min and max (N,)."""
    columns = zip(("x", "y", "min", "max"), zip(*named.values(), strict=True), strict=True)
    frame = pd.DataFrame({column: torch.cat(parts).numpy() for column, parts in columns})
    return frame.assign(name=pd.Index(list(named)).repeat([len(x) for x, *_ in named.values()]))


def curves(
    rows: pd.DataFrame,
    x: X,
    y: Y,
    *,
    names: Sequence[str] = (),
    rules: Sequence[str] = (),
    colours: Sequence[str] = CATEGORICAL,
    dashes: Sequence[Sequence[int]] = (),
    dots: bool = False,
    step: bool = False,
    wide_first: bool = False,
    band: bool = False,
    spread: bool = False,
    cut: bool = True,
    columns: int = 2,
    line: str = "Line",
    form: str = ",.5~g",
) -> Part:
    """Return a line for each name among `rows`, which have x, y and name, as `series` makes them.

    Where they have min and max too, a `band` goes from one to the other, and with `spread` a tooltip tells both. The
    `names` of the legend are those of the rows, unless given. Lines have the `colours` and `dashes` in turn; those of
    `rules` are grey and dashed. With `dots` every value has one; with `step` a line jumps half-way between two values.
    Where lines may lie on each other, `wide_first` draws the first one wide below the others. Lines and dots are `cut`
    at the ends of the axes. `line` is what a tooltip calls a line, and `form` how it writes y. What is not finite, or
    not positive on a logarithmic axis, is left out.
    """
    names = tuple(names or rows.name.unique())
    log = [axis["scale"]["type"] == "log" for axis in (x, y)]
    rows = rows[rows.y.between(0.0 if log[1] else -np.inf, np.inf, inclusive="neither")]
    scales = _scales(names, rules, colours, dashes)
    told_too = ("min", "max", "n") if spread and "n" in rows else ("min", "max") if spread else ()
    layers = _curves(
        x,
        y,
        wide=names[0] if wide_first else "",
        rules=tuple(rules),
        dots=dots,
        step=step,
        opacity=(BAND_OPACITY if len(names) <= MAX_CLEAR else FAINT_OPACITY) if band else 0.0,
        cut=cut,
        told=(line, form, told_too),
        key=(long(names), columns, "strokeDash" in scales),
    )
    drawn = rows if dots else rows.assign(told=told(rows.name))
    heads = {"x": x["title"], "y": y["title"], "name": line}
    if not band:
        return Part(layers, {"lines": drawn}, heads, scales=scales)
    frames = {"lines": drawn if dots or any(log) else without_straight(drawn), "bands": edges(rows)}
    return Part(layers, frames, heads, {"lines": rows}, scales)


@built_once
def _curves(
    x: X,
    y: Y,
    *,
    wide: str,
    rules: tuple[str, ...],
    dots: bool,
    step: bool,
    opacity: float,
    cut: bool,
    told: tuple[str, str, tuple[str, ...]],
    key: tuple[bool, int, bool],
) -> Layers:
    """Return lines of any names: one is `wide`, bands have an `opacity`, if any; what is told, and of what legend."""
    line, form, spread = told
    ends: dict[str, Tip] = {"min": ("min:Q", "Smallest", form), "max": ("max:Q", "Largest", form), "n": ("n:Q", "Runs")}
    mean = "Mean" if spread else y["title"]
    tooltip = tips(("name:N", line), ("x:Q", x["title"], ",.5~g"), ("y:Q", mean, form), *(ends[end] for end in spread))
    is_long, columns, dashed = key
    names = legend(is_long=is_long, columns=columns, dashed=dashed)
    is_first = f"datum.name === {json.dumps(wide)}" if wide else "false"
    # Not of the mark itself: keys in the legend would be as thin as the line.
    width: Any = alt.condition(is_first, alt.value(grown(_WIDE)), alt.value(grown(_PLAIN)))
    size: Any = {"expr": f"({is_first} ? 140 : {36 if dots else 100}) * pow({GROWTH}, 2)"}
    cut = cut and any(axis["scale"]["domain"] is not alt.Undefined for axis in (x, y))
    chart, colour = in_order("lines"), alt.Color("name:N", legend=names)
    stroke = chart.mark_line(clip=cut, interpolate="step" if step else "linear", strokeJoin="round", order=False)
    stroke = stroke.encode(x=x, y=y, color=colour, strokeWidth=width)
    if dashed:
        stroke = stroke.encode(strokeDash=alt.StrokeDash("name:N", legend=names))
    # A line on its own would tell its first value only.
    # Those of a dashed line are not seen: its dashes would look like dots.
    seen: Any = {"expr": f"indexof({json.dumps(rules)}, datum.name) < 0 ? 1 : 0"} if rules else 1
    points = chart.mark_circle(clip=cut, opacity=seen if dots else 0, size=size)
    points = points if dots else points.transform_filter("datum.told").properties(name=UNSEEN)
    lines = [stroke, points.encode(x=x, y=y, color=colour, tooltip=tooltip)]
    if not opacity:
        return Layers(lines=lines)
    # With an edge, so that one is seen through the others.
    band = in_order("bands").mark_area(fillOpacity=opacity, strokeOpacity=EDGE_OPACITY, strokeWidth=1, order=False)
    looks = {"color": colour, "stroke": alt.Stroke("name:N", legend=names)}
    return Layers([band.encode(x=along(x, "left"), y=along(y, "bottom"), y2=alt.Y2("top"), **looks)], lines)


def long(names: Sequence[str]) -> bool:
    """Return whether there is a name so long that two do not fit beside each other in a narrow picture."""
    return max(map(len, names), default=0) > LONG


def legend(symbol: str = "stroke", *, is_long: bool, columns: int = 2, dashed: bool = False) -> alt.Legend:
    """Return the legend of named lines or bars, above the picture; `symbol` is that of Vega, long where `dashed`."""
    return alt.Legend(
        title=None,
        orient="top",
        columns=alt.ExprRef(f"width < {NARROW} ? 1 : {columns}") if is_long else columns,
        symbolType=symbol,
        symbolSize=area(_LONG_KEY) if dashed else alt.Undefined,
        symbolStrokeWidth=grown(2.5 if dashed else 4),
        symbolOpacity=1,
        labelLimit=grown(340 if is_long else 260),
    )


def _scales(
    names: Sequence[str], rules: Sequence[str], colours: Sequence[str], dashes: Sequence[Sequence[int]]
) -> dict[str, dict[str, Any]]:
    """Return the colour of each line, and its dash where some have one, by the channel that shows it."""
    own = [name for name in names if name not in rules]
    coloured = {name: colours[place % len(colours)] for place, name in enumerate(own)}
    dashed = dict(zip(own, dashes, strict=False)) | dict.fromkeys(rules, DASHED)
    colour = {"domain": list(names), "range": [coloured.get(one, GREY) for one in names]}
    if not dashed:
        return {"color": colour, "stroke": colour}
    dash = {"domain": list(names), "range": [list(dashed.get(one, SOLID)) for one in names]}
    return {"color": colour, "stroke": colour, "strokeDash": dash}


class Looks(TypedDict, total=False):
    """How the lines of a whole picture look: some of the arguments of `curves`, under the same names."""

    names: Sequence[str]
    rules: Sequence[str]
    colours: Sequence[str]
    dashes: Sequence[Sequence[int]]
    dots: bool
    step: bool
    wide_first: bool
    columns: int
    line: str


def lines(where: Tensor, named: Mapping[str, Tensor], x: X, y: Y, *parts: Part, **looks: Unpack[Looks]) -> Figure:
    """Return the figure of a line for each of `named` (N,) over `where` (N,), with other parts; looks of `curves`."""
    return layered(curves(series(where, named), x, y, **looks), *parts)


def overlaid(where: Tensor, named: Mapping[str, Tensor], x: X, title: str, **looks: Unpack[Looks]) -> Figure:
    """Return a line for each of `named` (N,) over `where` (N,), which may lie on each other: the first is wide.

    Values are rounded to 13 digits after the point: a line that is straight but for rounding is drawn straight.
    """
    rounded = {name: values.double().round(decimals=13) for name, values in named.items()}
    y = upwards(title, form="~g", zero=False)
    whole: Looks = {"wide_first": True, "colours": FAR_APART, **looks}
    return lines(where, rounded, x, y, **whole)


@built_once
def reach(low: float, high: float) -> Part:
    """Return what has the y axis reach from `low` to `high` at least, so that it stays while lines move within it."""
    ends = alt.Chart(alt.sequence(low, high + (high - low) / 2, high - low, as_="end"))
    return Part(Layers([ends.mark_rule(opacity=0).encode(y="end:Q")]))


def until(*ends: float) -> Part:
    """Return what has the x axis reach to each of `ends` at least, so that it stays while lines grow."""
    return Part(_until(), {"end": pd.DataFrame({"x": ends})})


@built_once
def _until() -> Layers:
    return Layers([chart_of("end").mark_point(opacity=0, tooltip=None).encode(x="x:Q")])


def marks(places: Iterable[tuple[str, float]]) -> Part:
    """Return a dashed line at each named place of the x axis, and its name above, where no line crosses it."""
    return Part(_marks(), {"marks": pd.DataFrame(places, columns=["label", "x"])})


@built_once
def _marks() -> Layers:
    at = chart_of("marks").encode(x="x:Q")
    words = at.mark_text(**_WORDS, dy=-3).encode(y=alt.value(0), text="label:N")
    return Layers([at.mark_rule(strokeDash=list(DASHED), strokeWidth=grown(1.5), color=GREY)], above=[words])


def levels(heights: Iterable[tuple[str, float]], dash: tuple[float, ...] = DASHED) -> Part:
    """Return a line with this `dash` at each named height, and its name at the left end."""
    return Part(_levels(dash), {"levels": pd.DataFrame(heights, columns=["label", "y"])})


@built_once
def _levels(dash: tuple[float, ...]) -> Layers:
    at = chart_of("levels").encode(y="y:Q")
    words = at.mark_text(**_WORDS, dx=4, dy=-2).encode(x=alt.value(0), text="label:N")
    return Layers([at.mark_rule(strokeDash=list(dash), strokeWidth=grown(1.5), color=GREY)], above=[words])


def chosen(x: float) -> Part:
    """Return a line at this x."""
    return Part(_chosen(), {"chosen": pd.DataFrame({"x": [x]})})


@built_once
def _chosen() -> Layers:
    return Layers([chart_of("chosen").mark_rule(color=CATEGORICAL[4]).encode(x="x:Q")])


def dotted(rows: pd.DataFrame, x: float) -> Part:
    """Return a dot on each line of `rows` at this x."""
    return Part(_dotted(), {"dotted": rows[rows.x == x]})


@built_once
def _dotted() -> Layers:
    dots = chart_of("dotted").mark_circle(size=area(90), opacity=1)
    return Layers(above=[dots.encode(x="x:Q", y="y:Q", color="name:N")])


def answer(rows: pd.DataFrame, x: float, y: float, label: str) -> Part:
    """Return a dot at an answer on the lines of `rows`, with its `label`, and dashed lines from there to both axes."""
    left, high = x > (rows.x.min() + rows.x.max()) / 2, y >= _HIGH * rows.y.max()
    frame = pd.DataFrame([{"x": float(x), "y": float(y), "label": label, "left": bool(left), "high": bool(high)}])
    return Part(_answer(), {"answer": frame})


@built_once
def _answer() -> Layers:
    at = chart_of("answer").encode(x="x:Q", y="y:Q")
    dashed: Any = {"strokeDash": [4, 4], "strokeWidth": 1.5, "color": GREY}
    font: Any = {
        "align": {"expr": "datum.left ? 'right' : 'left'"},
        "dx": {"expr": f"(datum.left ? -9 : 9) * {GROWTH}"},
        "dy": {"expr": f"(datum.high ? 16 : -14) * {GROWTH}"},
        "fontSize": grown(13),
        "fontWeight": "bold",
    }
    named = at.encode(text="label:N")
    above = [
        at.mark_rule(**dashed).encode(y2=alt.value({"expr": "height"})),
        at.mark_rule(**dashed).encode(x2=alt.value(0)),
        at.mark_point(filled=True, size=area(130), color=CATEGORICAL[4], opacity=1),
        named.mark_text(**font, **on_ground(5)),
        named.mark_text(**font, color=alt.ExprRef(INK)),
    ]
    return Layers(above=above)


@built_once
def values_read(title: str, start: int, last: int) -> Part:
    """Return a line that is dragged over the whole numbers of the x axis, called `title`, from `start` up to `last`."""
    there = in_order("lines").transform_filter(f"datum.x === {AT}").encode(x="x:Q")
    rows = there.transform_window(row="row_number()")
    left = f"2 * {AT} > {last}"
    words: Any = {
        "align": {"expr": f"{left} ? 'right' : 'left'"},
        "dx": {"expr": f"({left} ? -20 : 20) * {GROWTH}"},
        "fontSize": grown(13),
        "fontWeight": "bold",
        "baseline": "middle",
    }
    down = alt.value({"expr": f"(10 + {_ROW} * (datum.row - 1)) * {GROWTH}"})
    beside: Any = {"expr": f"({left} ? -12 : 12) * {GROWTH}"}
    number = rows.encode(y=down, text=alt.Text("y:Q", format=",.4~g"))
    key = rows.mark_point(shape="square", filled=True, size=area(80), opacity=1, xOffset=beside)
    rule = alt.Chart(alt.sequence(0, 1)).transform_calculate(x=AT).mark_rule(color=GREY, strokeWidth=grown(1.5))
    above = [
        rule.encode(x="x:Q"),
        number.mark_text(**words, **on_ground(grown(5))),
        number.mark_text(**words, color=alt.ExprRef(INK)),
        key.encode(y=down, color="name:N"),
        there.mark_circle(size=area(110), opacity=1).encode(y="y:Q", color="name:N"),
    ]
    return Part(Layers(above=above, signals=[motion.dragged(AT, title, last=last, start=start)]))


@built_once
def together() -> Part:
    """Return what has all pictures of a page mark the whole number that is pointed at in one of them."""
    line, signal = readout.x_together()
    return Part(Layers([line], signals=[signal]))
