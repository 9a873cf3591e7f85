"""What a bias makes of a row of attention: weights over distance, effective keys, rows with slips."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.biases import unnamed_y
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import CATEGORICAL, INK

LEAST_WEIGHT = 1e-5  # that is drawn: below it, a key might as well not be there


def weights(rows: Mapping[str, Tensor], colours: Sequence[str], most_keys: int) -> Figure:
    """Return the weight of each key by its distance, a line for each of `rows` (K,), the query's own key last.

    Axes reach to `most_keys` and down to a weight of 1e-5; smaller ones are left out.
    """
    frames = [
        pd.DataFrame({"distance": range(len(row)), "weight": row.flip(0).numpy(), "name": name})
        for name, row in rows.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    spec = _weights_spec(tuple(rows), tuple(colours), most_keys)
    return Figure(spec, {"lines": frame[frame.weight >= LEAST_WEIGHT]})


def effective(
    counts: Sequence[int], lines: Mapping[str, Tensor], colours: Sequence[str], n_keys: int, most_keys: int
) -> Figure:
    """Return the effective number of keys against the number of keys, `counts` (N,), a line for each of `lines` (N,).

    A dot marks each line at `n_keys`, which is one of `counts`.
    """
    frames = [
        pd.DataFrame({"keys": list(counts), "effective": values.numpy(), "name": name})
        for name, values in lines.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    spec = _effective_spec(tuple(lines), tuple(colours), most_keys)
    return Figure(spec, {"lines": frame, "dots": frame[frame["keys"] == n_keys]})


def slips(rows: Mapping[str, Tensor]) -> Figure:
    """Return the numbers of each of `rows` (K,) as bars, a band for each row with a scale of its own."""
    bars, names = [], []
    for place, (name, row) in enumerate(rows.items()):
        high, low = max(float(row.max()), 0.0), min(float(row.min()), 0.0)
        for key, value in enumerate(row.tolist()):
            end, zero = (place + 0.38 + 0.48 * (high - number) / (high - low) for number in (value, 0.0))
            edge = key in (0, len(row) - 1)
            bars.append({"row": name, "key": key, "value": value, "end": end, "zero": zero, "label": edge})
        names.append({"name": name, "note": f"sum {float(row.sum()):.3g}".replace("-", "−"), "top": place})
    frame = pd.DataFrame(bars).assign(left=lambda f: f["key"] - 0.4, right=lambda f: f["key"] + 0.4)
    bands = pd.DataFrame(names).assign(bottom=lambda f: f.top + 1)
    return Figure(_slips_spec(tuple(rows)), {"bars": frame, "bands": bands})


def compared_lines(names: Sequence[str], interpolate: Literal["linear", "step"]) -> alt.Chart:
    """Return lines of which the first, with which the others are compared, is thick enough to show beneath them."""
    width = alt.condition(f"datum.name === '{names[0]}'", alt.value(6), alt.value(2.5))
    lines: alt.Chart = alt.Chart(alt.NamedData("lines")).mark_line(interpolate=interpolate).encode(strokeWidth=width)
    return lines


def colours_of(names: Sequence[str], colours: Sequence[str]) -> alt.Color:
    """Return the colour of each name, with a legend above."""
    colour = alt.Color("name:N").title(None).scale(domain=list(names), range=list(colours))
    return colour.legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=4, labelLimit=220)


def tooltip_of(x: str, x_field: str, y: str, y_field: str) -> list[alt.Tooltip]:
    """Return the tooltip of a point: its line's name and both numbers."""
    return [
        alt.Tooltip("name:N").title("Of"),
        alt.Tooltip(x_field).title(x),
        alt.Tooltip(y_field).title(y).format(".4~g"),
    ]


@lru_cache(MOST_SPECS)
def _weights_spec(names: tuple[str, ...], colours: tuple[str, ...], most_keys: int) -> dict[str, Any]:
    x = alt.X("distance:Q").title("Distance from the last query").scale(domain=[0, most_keys - 1], nice=False)
    y = alt.Y("weight:Q").title("Weight").scale(type="log", domain=[LEAST_WEIGHT, 1], nice=False)
    y = y.axis(values=[10.0**-power for power in range(6)], format="~g")
    tooltip = tooltip_of("Distance", "distance:Q", "Weight", "weight:Q")
    x = x.axis(grid=False, format="d")
    lines = compared_lines(names, "linear").encode(x=x, y=y, tooltip=tooltip)
    chart = lines.encode(color=colours_of(names, colours))
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return _on_canvas(spec)


@lru_cache(MOST_SPECS)
def _effective_spec(names: tuple[str, ...], colours: tuple[str, ...], most_keys: int) -> dict[str, Any]:
    ticks = [2**power for power in range(most_keys.bit_length())]
    scale = alt.Scale(type="log", base=2, domain=[1, most_keys], nice=False)
    x = alt.X("keys:Q").title("Keys in the row").scale(scale).axis(values=ticks, format="d", grid=False)
    y = alt.Y("effective:Q").title("Effective number of keys").scale(scale).axis(values=ticks, format="d")
    tooltip = tooltip_of("Keys", "keys:Q", "Effective number", "effective:Q")
    colour = colours_of(names, colours)
    lines = compared_lines(names, "linear")
    dots = alt.Chart(alt.NamedData("dots")).mark_circle(size=90, opacity=1)
    layers = (chart.encode(x=x, y=y, color=colour, tooltip=tooltip) for chart in (lines, dots))
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return _on_canvas(spec)


@lru_cache(MOST_SPECS)
def _slips_spec(names: tuple[str, ...]) -> dict[str, Any]:
    x = alt.X("left:Q").title("Key (the query is the last one)").scale(nice=False, zero=False)
    x = x.axis(grid=False, tickMinStep=1, format="d")
    scale = alt.Scale(domain=list(names), range=[CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[3]])
    colour, names_colour = (alt.Color(field).scale(scale).legend(None) for field in ("row:N", "name:N"))
    bars = alt.Chart(alt.NamedData("bars"))
    tooltip = [
        alt.Tooltip("row:N").title("Row"),
        alt.Tooltip("key:Q").title("Key"),
        alt.Tooltip("value:Q").title("Weight").format(".4~g"),
    ]
    boxes = bars.mark_rect().encode(x=x, x2="right:Q", y=unnamed_y("end"), y2="zero:Q", color=colour, tooltip=tooltip)
    ends = bars.transform_filter("datum.label").transform_calculate(
        shown="format(datum.value, abs(datum.value) < 0.0005 ? '.0e' : '.3f')", above="min(datum.end, datum.zero)"
    )
    numbers = ends.mark_text(baseline="bottom", dy=-2, fontSize=12, color=alt.ExprRef(INK))
    numbers = numbers.encode(x=alt.X("key:Q"), y=unnamed_y("above"), text="shown:N")
    bands = alt.Chart(alt.NamedData("bands"))
    rules = bands.mark_rule(opacity=0.5, color=CATEGORICAL[7])
    name = bands.mark_text(align="left", baseline="top", dx=2, dy=4, fontSize=13, fontWeight="bold")
    note = bands.mark_text(align="right", baseline="top", dx=-2, dy=4, fontSize=12, color=alt.ExprRef(INK))
    layers = [
        rules.encode(y=unnamed_y("top")),
        rules.encode(y=unnamed_y("bottom")),
        boxes,
        numbers,
        name.encode(y=unnamed_y("top"), x=alt.value(0), text="name:N", color=names_colour),
        note.encode(y=unnamed_y("top"), x=alt.value("width"), text="note:N"),
    ]
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).configure_view(stroke=None).to_dict()
    return spec


def _on_canvas(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
