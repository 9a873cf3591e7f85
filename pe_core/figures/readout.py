"""What is pointed at in a picture, and the row that is dragged or played; what is said of a cell of an image.

It is drawn by the picture itself and not by a tooltip: Vega sets tooltips before it has heard where the pointer went,
so that they would tell the number of the cell before.
"""

import json
from dataclasses import dataclass
from typing import Any

import altair as alt

from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import GREY, GROWTH, grown

SAID = "said"  # the name of the marks that hold the text
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
DECIMALS_OF_WAVES = 5

# Where the pointer is, in pixels from the upper left corner of the plot, when it has left the picture too. The outline
# that appears under the pointer counts as leaving, so that this alone must change nothing.
_MOVES = "pointermove, pointerout, window:pointerdown[event.pointerType === 'touch']"
POINTED = {"name": "pointed", "value": None, "on": [{"events": _MOVES, "update": "{x: x(), y: y()}"}]}
INSIDE = "pointed && pointed.x >= 0 && pointed.x < width && pointed.y >= 0 && pointed.y < height"
AT = "position"  # the name of the signal of a row that is dragged
LINE = "position_line"  # the layer that is taken to drag it
_LAST = 1_023  # that can be told to other pictures
_SEEN = f"{motion.POINTED} < 0 ? 0 : 1"
_REACH = 6  # pixels above and below the middle of the row in which the pointer takes it
_SIZE, _LINE, _EDGE = 13, 18, 8  # pixels of the words: of their letters, from line to line, to the edge of the box
_LETTER = 6.8  # pixels; a letter is seldom wider
_AWAY = 14  # pixels between the pointer and the box
_DARK_WIDTH = 3  # pixels of the line around a row
_OPEN = 2  # pixels of an outlined row that its outline leaves open at least
DARK, LIGHT = "#1B2430", "#FFFFFF"  # an image has the same colours in every theme


@dataclass(frozen=True)
class Words:
    """What a cell's row, column and number are called, and what is said where there is no number.

    Where numbers are 0, 1, 2 ... for `meanings`, these are said instead. Where columns are `waves` over the rows, the
    browser computes the number.
    """

    row: str
    column: str
    number: str = ""
    none: str = "not finite"
    meanings: tuple[str, ...] = ()
    waves: bool = False


def readout(words: Words, *, shown: str = "") -> dict[str, Any]:
    """Return the outline of the cell that is pointed at and a box of words beside it: nothing while there is none."""
    steps = [{"calculate": expression, "as": name} for name, expression in _steps(words).items()]
    cell, box = (
        {channel: {"expr": f"datum.{name}_{channel}"} for channel in ("x", "y", "x2", "y2")} for name in ("cell", "box")
    )
    text = {
        "text": {"expr": "datum.said"},
        "x": {"expr": f"datum.box_x + {_EDGE}"},
        "y": {"expr": f"datum.box_y + {_EDGE}"},
        "align": "left",
        "baseline": "top",
        "fontSize": grown(_SIZE),
        "lineHeight": grown(_LINE),
        "color": LIGHT,
    }
    layers = [
        {"mark": {"type": "rect", "filled": False, "stroke": DARK, "strokeWidth": 4, **cell}},
        {"mark": {"type": "rect", "filled": False, "stroke": LIGHT, "strokeWidth": 2, **cell}},
        {"mark": {"type": "rect", "fill": DARK, "stroke": LIGHT, "strokeWidth": 1, "cornerRadius": 4, **box}},
        {"mark": {"type": "text", **text}, "name": SAID},
    ]
    return {"transform": [{"filter": f"{shown} && {INSIDE}" if shown else INSIDE}, *steps], "layer": layers}


_OF_WAVES = {
    "rate": "toNumber(split(datum.rates, ' ')[datum.across])",
    "start": "toNumber(split(datum.ahead, ' ')[datum.across])",
    "number": "sin((datum.top + 0.5 + datum.down) * datum.rate + datum.start)",
}


def _of_digits() -> dict[str, str]:
    """Return how the browser reads the code of a cell's number from the string of all."""
    first, second, third = (
        f"indexof('{DIGITS}', substring(datum.numbers, datum.first + {place}, datum.first + {place + 1}))"
        for place in range(3)
    )
    two = f"64 * {first} + {second}"
    return {
        "first": "datum.digits * (datum.down * (datum.right - datum.left) + datum.across)",
        "code": f"datum.digits == 2 ? {two} : 64 * ({two}) + {third}",
    }


def _steps(words: Words) -> dict[str, str]:
    """Return what is computed from the pointer, one after the other, as Vega expressions by name."""
    number = "(datum.code - pow(64, datum.digits) / 2) / pow(10, datum.decimals)"
    if words.meanings:
        told = f"{json.dumps(words.meanings)}[{number}]"
    else:
        told = f"format({number}, datum.decimals < 0 ? '.5~e' : '.' + datum.decimals + 'f')"
    told = f"(datum.code ? {told} : {json.dumps(words.none)})"
    if words.waves:
        told = f"format(datum.number, '.{DECIMALS_OF_WAVES}f')"
    lines = [
        f"{json.dumps(words.row + ' ')} + (datum.top + 0.5 + datum.down)",
        f"{json.dumps(words.column + ' ')} + (datum.left + 0.5 + datum.across)",
        f"{json.dumps(words.number + ' ' * bool(words.number))} + {told}",
    ]
    letters = ", ".join(f"length(datum.said[{line}])" for line in range(3))
    beside = f"pointed.x < width / 2 ? pointed.x + {_AWAY} : pointed.x - {_AWAY} - datum.box_wide"
    above = f"pointed.y - {_AWAY} - datum.box_high"
    return {
        "wide": "width / (datum.right - datum.left)",  # of a cell, in pixels
        "high": "height / (datum.bottom - datum.top)",
        "across": "floor(pointed.x / datum.wide)",
        "down": "floor(pointed.y / datum.high)",
        **(_OF_WAVES if words.waves else _of_digits()),
        "said": f"[{', '.join(lines)}]",
        "cell_x": "datum.across * datum.wide",
        "cell_y": "datum.down * datum.high",
        "cell_x2": "datum.cell_x + datum.wide",
        "cell_y2": "datum.cell_y + datum.high",
        "box_wide": f"{2 * _EDGE} + {_LETTER} * {GROWTH} * max({letters})",
        "box_high": f"{2 * _EDGE} + {2 * _LINE + _SIZE} * {GROWTH}",
        "box_x": f"max(0, min(width - datum.box_wide, {beside}))",
        "box_y": f"{above} < 0 ? pointed.y + {_AWAY} : {above}",
        "box_x2": "datum.box_x + datum.box_wide",
        "box_y2": "datum.box_y + datum.box_high",
    }


def row_dragged(spec: dict[str, Any], data: str, *, last: int, start: int) -> dict[str, Any]:
    """Return the spec of an image with an outlined row that is dragged, played, or moved by a slider up to `last`."""
    row = f"min({AT}, data('{data}')[0].bottom - 0.5)"
    middle = f"scale('y', {row})"
    ends = {"y": {"expr": f"{middle} - {_REACH}"}, "y2": {"expr": f"{middle} + {_REACH}"}}
    # Beside a selection, Vega-Lite lets the pointer find marks with a tooltip only; this one says nothing.
    found = {"opacity": 0, "cursor": "ns-resize", "tooltip": {"expr": "''"}}
    taken = {"type": "rect", "x": 0, "x2": {"expr": "width"}, **ends, **found}
    drag = f"[@{LINE}_marks:pointerdown, window:pointerup] > window:pointermove"
    moved = {"events": drag, "update": f"clamp(round(invert('y', y())), 0, {row.replace(AT, str(last))})"}
    signal = {**motion.signal(AT, "Position", last=last, start=start), "on": [moved]}
    return _over(spec, signal, [*_outline(data, row), {"name": LINE, "data": {"name": data}, "mark": taken}])


def row_together(spec: dict[str, Any], data: str) -> dict[str, Any]:
    """Return the spec of an image so that all pictures of a page outline the row that is pointed at in one of them."""
    row = {"events": {"signal": "pointed"}, "update": f"{INSIDE} ? round(invert('y', pointed.y)) : -1"}
    return _over(spec, _pointed(row), _outline(data, motion.POINTED, seen=_SEEN))


def x_together() -> tuple[alt.Chart, dict[str, Any]]:
    """Return the line, and its signal, with which all pictures of a page mark the whole number that is pointed at."""
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
    out = outwards(_DARK_WIDTH)
    first, second = (f"scale('y', {row} {side} 0.5) {side} {out}" for side in "-+")
    ends = {"x": 0, "x2": {"expr": "width"}, "y": {"expr": first}, "y2": {"expr": second}}
    box = {"type": "rect", "filled": False, "opacity": {"expr": seen}, **ends}
    return [
        {"data": {"name": data}, "mark": {**box, "stroke": stroke, "strokeWidth": width}}
        for stroke, width in ((DARK, _DARK_WIDTH), (LIGHT, 1))
    ]


def outwards(width: float) -> str:
    """Return by how many pixels the outline of a row stands further out, so as not to hide it: an expression."""
    return f"max(0, {width + _OPEN} - scale('y', 1) + scale('y', 0)) / 2"


def _over(spec: dict[str, Any], signal: dict[str, Any], layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the spec with `layers` over it but under what is said of a cell, which is its last one."""
    return motion.with_signals({**spec, "layer": [*spec["layer"][:-1], *layers, spec["layer"][-1]]}, signal)
