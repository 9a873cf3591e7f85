"""Bands one above the other, each with a scale of its own: curves over the distance, rows of bars, and circles."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.figures.curves import Layers, across, along, marks
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks.palette import CATEGORICAL, DASHED, GREY, INK, SOLID, area, grown, inked
from pe_core.wrapping import spelt

END, TRAINED = "query at the end of the text", "query at the end of a training text"
BEFORE, OWN_SCALE = "before training", "each row: its own scale"
TOP, BOTTOM = 0.46, 0.96  # of a band, between which its curve runs, below its name
KEPT, PARTLY, FULLY, NEW = "met, not slowed", "met, slowed in part", "met, slowed fully", "new angles"
NEVER = "never met"
PALE = "#A6D3EE"
_NOT_MET = "rgba(127, 127, 127, 0.18)"  # lighter than all that is met, on light and on dark
_TOP, _BOTTOM = 0.48, 0.98  # of the row of a rule, between which its bars stand, below its name
_BEFORE = 0.4  # opacity of what was before training: seen on a dark ground, too, and no line is hidden
_ROUNDING = 1e-6  # of a slowdown
_HALF = 0.42  # of a bar's width, so that neighbours are apart


@dataclass(frozen=True)
class Band:
    """One system: its name, a note, its colour, and the bias (K,) at `distances` (K,) for two queries.

    The first query stands at the end of the text, the second one at the end of a text of the training length. `low` and
    `high` (K,) are what the first one has before training, at least and at most, or the bias itself.
    """

    name: str
    note: str
    colour: str
    distances: Tensor
    bias: Tensor
    trained_distances: Tensor
    trained_bias: Tensor
    low: Tensor
    high: Tensor


def shapes(bands: Sequence[Band], train_length: int) -> Figure:
    """Return the bias of each band against the distance, each to a scale of its own, with a line at `train_length`."""
    curves, names, zeros, before = [], [], [], []
    for place, band in enumerate(bands):
        both = np.concatenate([band.bias.numpy(), band.trained_bias.numpy(), [0.0]])
        heights = place + _height(both)
        edges = (np.clip(_height(edge.numpy(), both), TOP, BOTTOM) for edge in (band.high, band.low))
        top, bottom = (place + edge for edge in edges)  # cut where they leave the band
        range_of = {"left": band.distances.numpy(), "top": top, "bottom": bottom, "name": band.name}
        before.append(pd.DataFrame(range_of).assign(kind=BEFORE, learned=bool((band.low < band.high).any())))
        own = {
            "distance": np.concatenate([band.distances.numpy(), band.trained_distances.numpy()]),
            "bias": both[:-1],
            "height": heights[:-1],
            "query": np.repeat([END, TRAINED], [len(band.bias), len(band.trained_bias)]),
        }
        steps = bool((band.bias[1:] == band.bias[:-1]).any())
        curves.append(pd.DataFrame(own).assign(system=band.name, colour=band.colour, steps=steps))
        names.append({"name": band.name, "note": band.note, "top": place, "head": place + TOP, "bottom": place + 1})
        zeros.append({"zero": float(heights[-1])})
    trained = marks([("training length", train_length)])
    frames = {
        "before": pd.concat(before, ignore_index=True),
        "curves": pd.concat(curves, ignore_index=True),
        "bands": pd.DataFrame(names),
        "zeros": pd.DataFrame(zeros),
    }
    return Figure(_shapes_spec(trained.layers), {**frames, **trained.frames}, height=90 + 92 * len(bands))


def bars(rows: Mapping[str, Tensor]) -> Figure:
    """Return the numbers of each of `rows` (K,) as bars, a band for each row with a scale of its own."""
    bars, names = [], []
    for place, (name, row) in enumerate(rows.items()):
        high, low = max(float(row.max()), 0.0), min(float(row.min()), 0.0)
        for key, value in enumerate(row.tolist()):
            end, zero = (place + 0.46 + 0.40 * (high - number) / (high - low) for number in (value, 0.0))
            edge = key in (0, len(row) - 1)
            bars.append({"row": name, "key": key, "value": value, "end": end, "zero": zero, "label": edge})
        note = f"sum {spelt(float(row.sum()), '.3g')}"
        names.append({"name": name, "note": note, "top": place, "head": place + 0.22})
    frame = pd.DataFrame(bars).assign(left=lambda f: f["key"] - 0.4, right=lambda f: f["key"] + 0.4)
    bands = pd.DataFrame(names).assign(bottom=lambda f: f.top + 1)
    return Figure(_bars_spec(tuple(rows)), {"bars": frame, "bands": bands})


def _down(field: str) -> alt.Y:
    """Return the vertical place of a mark in bands that stand one above the other, without an axis."""
    return alt.Y(f"{field}:Q").title(None).scale(nice=False, zero=False, reverse=True).axis(None)


def _words(rows: alt.Chart, above: str) -> list[alt.Chart]:
    """Return the name of each row on the left and its note on the right, `above` the top of what the row shows."""
    look: dict[str, Any] = {"baseline": "bottom", "dy": -1, **inked(12)}
    name = rows.mark_text(align="left", fontWeight="bold", **look).encode(x=alt.value(0), text="name:N")
    note = rows.mark_text(align="right", **look).encode(x=alt.value("width"), text="note:N")
    return [one.encode(y=_down(above)) for one in (name, note)]


def _height(bias: np.ndarray, scale: np.ndarray | None = None) -> np.ndarray:
    """Where a bias stands in its band, from TOP for the highest number of `scale`, or of itself, to BOTTOM."""
    scale = bias if scale is None else scale
    span = float(scale.max() - scale.min())
    if span == 0:
        return np.full(len(bias), TOP)
    height: np.ndarray = TOP + (BOTTOM - TOP) * (scale.max() - bias) / span
    return height


@built_once
def _shapes_spec(trained: Layers) -> dict[str, Any]:
    x = along(across("Distance m − n, query minus key"), "distance")
    y = _down("height")
    bands = chart_of("bands")
    edges = bands.mark_rule(strokeWidth=grown(1), opacity=0.5, color=GREY).encode(y=_down("bottom"))
    tops = bands.mark_rule(strokeWidth=grown(1), opacity=0.5, color=GREY).encode(y=_down("top"))
    zero = chart_of("zeros").mark_rule(strokeWidth=grown(1), strokeDash=[1, 3], color=GREY)
    dash = alt.StrokeDash("query:N").title(None).scale(domain=[END, TRAINED], range=[list(SOLID), list(DASHED)])
    key: dict[str, Any] = {"symbolStrokeWidth": 2, "symbolType": "stroke", "symbolSize": area(400)}
    dash = dash.legend(orient="top", columns=1, labelLimit=grown(300), **key)
    curves = chart_of("curves")
    tooltip = tips(
        ("system:N", "System"), ("query:N", "For the"), ("distance:Q", "Distance"), ("bias:Q", "Bias", ".4~g")
    )
    of_end, of_trained = (f"datum.query === '{query}'" for query in (END, TRAINED))
    shape = alt.ExprRef("datum.steps ? 'step' : 'linear'")
    colour = alt.Color("colour:N").scale(None)
    full = curves.transform_filter(of_end).mark_line(strokeWidth=grown(3), interpolate=shape)
    thin = curves.transform_filter(of_trained).mark_line(strokeWidth=grown(1.5), interpolate=shape)
    lines = [
        full.encode(x=x, y=y, strokeDash=dash, color=colour, detail="system:N"),
        thin.encode(x=x, y=y, strokeDash=dash, color=alt.value({"expr": INK}), detail="system:N"),
    ]
    dots = curves.transform_filter(of_end).mark_circle(size=area(60), opacity=0).encode(x=x, y=y, tooltip=tooltip)
    # Its scale has no domain: where nothing is learned, the legend is empty.
    fill = alt.Fill("kind:N").title(None).scale(range=[GREY])
    fill = fill.legend(orient="top", symbolType="square", symbolOpacity=_BEFORE, symbolStrokeWidth=0)
    grey = chart_of("before").transform_filter("datum.learned").mark_area(opacity=_BEFORE)
    bold = inked(12, bold=True)
    own_scale = alt.Chart(alt.sequence(0, 1)).mark_text(text=OWN_SCALE, align="left", baseline="bottom", dy=-3, **bold)
    layers = [
        tops,
        edges,
        grey.encode(x=alt.X("left:Q"), y=_down("top"), y2="bottom:Q", detail="name:N", fill=fill),
        zero.encode(y=_down("zero")),
        *trained.below,
        *trained.above,
        *lines,
        own_scale.encode(x=alt.value(0), y=alt.value(0)),
        *_words(bands, "head"),
        dots,
    ]
    return spec_of(alt.layer(*layers), framed=False, canvas=True)


@built_once
def _bars_spec(names: tuple[str, ...]) -> dict[str, Any]:
    x = along(across("Key (the query is the last one)"), "left")
    scale = alt.Scale(domain=list(names), range=[CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[3]])
    colour = alt.Color("row:N").scale(scale).legend(None)
    bars = chart_of("bars")
    tooltip = tips(("row:N", "Row"), ("key:Q", "Key"), ("value:Q", "Weight", ".4~g"))
    boxes = bars.mark_rect().encode(x=x, x2="right:Q", y=_down("end"), y2="zero:Q", color=colour, tooltip=tooltip)
    ends = bars.transform_filter("datum.label").transform_calculate(
        shown="format(datum.value, abs(datum.value) < 0.0005 ? '.0e' : '.3f')", above="min(datum.end, datum.zero)"
    )
    numbers = ends.mark_text(baseline="bottom", dy=-2, **inked(12))
    numbers = numbers.encode(x=alt.X("key:Q"), y=_down("above"), text="shown:N")
    bands = chart_of("bands")
    rules = bands.mark_rule(opacity=0.5, color=GREY)
    layers = [rules.encode(y=_down("top")), rules.encode(y=_down("bottom")), boxes, numbers, *_words(bands, "head")]
    return spec_of(alt.layer(*layers), framed=False)


def circle_bars(met: Tensor, rules: Mapping[str, tuple[Tensor, Tensor]], factor: float) -> Figure:
    """Return a row for each rule with a bar for each pair: what is met of its circle, and above it what is new.

    `met` (P,) is the share of a full turn met in training. A rule has the share that is new to each pair (P,), with
    `met` at most 1, and how many times it slows the pair (P,), where `factor` is that of the longer text.
    """
    bars, rows = [], []
    for place, (name, (added, slowed)) in enumerate(rules.items()):
        for pair, (known, more, times) in enumerate(zip(met.tolist(), added.tolist(), slowed.tolist(), strict=True)):
            shade = math.log(times) / math.log(factor) if factor > 1 else 0.0
            of_rule = {"rule": name, "pair": pair, "met": known, "new": more, "slowed": times, "shade": shade}
            edges = {"left": pair - _HALF, "right": pair + _HALF}
            for kind, start, end in ((_kind(times, factor), 0.0, known), (NEW, known, known + more)):
                if end > start:
                    top, bottom = (place + _BOTTOM - (_BOTTOM - _TOP) * share for share in (end, start))
                    bars.append({**of_rule, "kind": kind, **edges, "top": top, "bottom": bottom})
        count = f"new angles in {int((added > 0).sum())} of {len(added)} pairs"
        box = {"full": place + _TOP, "none": place + _BOTTOM, "last": len(added) - 0.5}
        rows.append({"name": name, "note": count, "first": -0.5, **box})
    return Figure(_circle_spec(), {"bars": pd.DataFrame(bars), "rows": pd.DataFrame(rows)}, height=80 + 74 * len(rows))


def _kind(times: float, factor: float) -> str:
    if times <= 1 + _ROUNDING:
        return KEPT
    return FULLY if times >= factor - _ROUNDING else PARTLY


@built_once
def _circle_spec() -> dict[str, Any]:
    x = along(across("Pair, from fast to slow"), "left")
    tooltip = tips(
        ("rule:N", "Rule"),
        ("pair:Q", "Pair"),
        ("met:Q", "Share of the circle met in training", ".1%"),
        ("new:Q", "New in the longer text", ".1%"),
        ("slowed:Q", "Slowed by (times)", ".4~g"),
    )
    shades = [CATEGORICAL[0], CATEGORICAL[5], PALE]
    kinds = alt.Scale(domain=[KEPT, PARTLY, FULLY, NEW, NEVER], range=[*shades, CATEGORICAL[4], _NOT_MET])
    # Only the legend has five colours: what is met in part has any shade between the first and the third.
    legend = alt.Fill("kind:N").title(None).scale(kinds)
    columns = alt.ExprRef("width < 335 ? 2 : 3")
    legend = legend.legend(orient="top", columns=columns, columnPadding=6, symbolOpacity=1, labelLimit=grown(300))
    shade = alt.Color("shade:Q").scale(domain=[0, 0.5, 1], range=shades, clamp=True).legend(None)
    rows, bars = chart_of("rows"), chart_of("bars")
    box = rows.mark_rect(color=_NOT_MET)
    place: dict[str, Any] = {"x": x, "x2": "right:Q", "y": _down("top"), "y2": "bottom:Q", "tooltip": tooltip}
    new = f"datum.kind === '{NEW}'"
    layers = (
        box.encode(x="first:Q", x2="last:Q", y=_down("full"), y2="none:Q"),
        # Unseen where it is of the other kind: of a filter that leaves no bar the browser warns.
        bars.mark_rect(opacity={"expr": f"{new} ? 0 : 1"}).encode(color=shade, **place),
        bars.mark_rect(opacity={"expr": f"{new} ? 1 : 0"}).encode(fill=legend, **place),
        *_words(rows, "full"),
    )
    return spec_of(alt.layer(*layers), framed=False, canvas=True)
