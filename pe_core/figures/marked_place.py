"""The place that is marked in a picture: a row of an image that is dragged or played, or what is pointed at."""

from typing import Any

import altair as alt

from pe_core.figures.looks import motion
from pe_core.figures.looks.growth import GROWTH
from pe_core.figures.looks.palette import GREY
from pe_core.figures.readout import DARK, INSIDE, LIGHT

AT = "position"  # the name of the signal of a row that is dragged
LINE = "position_line"  # the layer that is taken to drag it
_LAST = 1_023  # that can be told to other pictures
_SEEN = f"{motion.POINTED} < 0 ? 0 : 1"
_REACH = 6  # pixels above and below the middle of the row in which the pointer takes it


def row_dragged(spec: dict[str, Any], data: str, *, last: int, start: int) -> dict[str, Any]:
    """Return the spec of an image with an outlined row that is dragged, played, or moved by a slider up to `last`.

    Rows count from 0; of fewer rows the last one stays outlined. `data` are those of the image, a single line.
    """
    row = f"min({AT}, data('{data}')[0].bottom - 0.5)"
    middle = f"scale('y', {row})"
    ends = {"y": {"expr": f"{middle} - {_REACH}"}, "y2": {"expr": f"{middle} + {_REACH}"}}
    # Beside a selection, Vega-Lite lets the pointer find marks with a tooltip only; this one says nothing.
    found = {"opacity": 0, "cursor": "ns-resize", "tooltip": {"expr": "''"}}
    taken = {"type": "rect", "x": 0, "x2": {"expr": "width"}, **ends, **found}
    drag = f"[@{LINE}_marks:pointerdown, window:pointerup] > window:pointermove"
    moved = {"events": drag, "update": f"clamp(round(invert('y', y())), 0, {row.replace(AT, str(last))})"}
    signal = {**motion.signal(AT, "Position", last=last, start=start), "on": [moved]}
    line = {"name": LINE, "data": {"name": data}, "mark": taken}
    return _over(spec, signal, [*_outline(data, row), line])


def row_together(spec: dict[str, Any], data: str) -> dict[str, Any]:
    """Return the spec of an image so that all pictures of a page outline the row that is pointed at in one of them.

    Rows count from 0. `data` have a single line.
    """
    row = {"events": {"signal": "pointed"}, "update": f"{INSIDE} ? round(invert('y', pointed.y)) : -1"}
    return _over(spec, _pointed(row), _outline(data, motion.POINTED, seen=_SEEN))


def x_together() -> tuple[alt.Chart, dict[str, Any]]:
    """Return the line, and its signal, with which all pictures of a page mark the whole number that is pointed at.

    It is the row of an image (`row_together`), and the x of lines.
    """
    inside = "x() >= 0 && x() < width && y() >= 0 && y() < height"
    at = {"events": "pointermove, pointerout", "update": f"{inside} ? round(invert('x', x())) : -1"}
    left, right = (alt.ExprRef(f"scale('x', {motion.POINTED}) {side} {GROWTH}") for side in "-+")
    ends: dict[str, Any] = {"x": left, "x2": right, "y": 0, "y2": alt.ExprRef("height")}
    line: alt.Chart = alt.Chart(alt.sequence(0, 1)).mark_rect(**ends, color=GREY, opacity=alt.ExprRef(_SEEN))
    return line, _pointed(at)


def _pointed(at: dict[str, Any]) -> dict[str, Any]:
    return {**motion.pointed("", "", last=_LAST), "on": [at]}


def _outline(data: str, row: str, seen: str = "1") -> list[dict[str, Any]]:
    """Return a light line in a dark one around a row, an expression: it is seen on every colour of a table."""
    first, second = (f"scale('y', {row} {side} 0.5)" for side in "-+")
    ends = {"x": 0, "x2": {"expr": "width"}, "y": {"expr": first}, "y2": {"expr": second}}
    box = {"type": "rect", "filled": False, "opacity": {"expr": seen}, **ends}
    return [
        {"data": {"name": data}, "mark": {**box, "stroke": stroke, "strokeWidth": width}}
        for stroke, width in ((DARK, 3), (LIGHT, 1))
    ]


def _over(spec: dict[str, Any], signal: dict[str, Any], layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the spec with `layers` over it but under what is said of a cell, which is its last one."""
    config = {**spec["config"], "signals": [*spec["config"]["signals"], signal]}
    return {**spec, "layer": [*spec["layer"][:-1], *layers, spec["layer"][-1]], "config": config}
