"""A text read from left to right, and what it has cost each reader: the first picture of a server, without torch."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips, worded
from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import DASHED, GREY, GROWTH, INK, MIN_SIZE, area, grown

AT = f"{motion.AT_ONCE}position"
X, Y = "Characters read", "Loss (nats per character)"
WITHIN, BEYOND = "as in training", "longer than anything in training"
ROW = 1.5 * MIN_SIZE  # pixels between two lines of words
HEADROOM = 1.35  # of the losses, in which the words about them stand
LETTER = 0.6 * MIN_SIZE  # pixels of a letter in a monospaced font


def read_along(
    text: str, losses: Mapping[str, Sequence[float]], colours: Sequence[str], *, train_length: int
) -> Figure:
    """Return a line for each of `losses`, with its colour, that grows as far as the text has been read.

    Loss number i, from 1, is what stands there once i characters have been read, as many as the text has.
    """
    rows = [
        (place, loss, name, row)
        for row, (name, values) in enumerate(losses.items())
        for place, loss in enumerate(values, 1)
    ]
    last, values = len(text), [loss for _, loss, _, _ in rows]
    frames = {
        "lines": pd.DataFrame(rows, columns=["x", "y", "name", "order"]),
        "text": pd.DataFrame({"text": [text]}),
        "beyond": pd.DataFrame({"left": [train_length], "right": [last]}),
        "room": pd.DataFrame({"left": [0, last], "roof": [min(values), HEADROOM * max(values)]}),
    }
    spec = _spec(tuple(losses), tuple(colours), train_length, last)
    return Figure(spec, frames, behind=worded(frames, {"x": X, "y": Y, "name": "Encoding"}))


@built_once
def _spec(names: tuple[str, ...], colours: tuple[str, ...], train_length: int, last: int) -> dict[str, Any]:
    read = f"floor({AT})"
    x = alt.X("x:Q").title(X).scale(domain=[0, last], nice=False).axis(grid=False, format=",d")
    y = alt.Y("y:Q").title(Y).scale(zero=False, nice=True)
    colour = alt.Color("name:N").scale(domain=list(names), range=list(colours)).legend(None)
    tooltip = tips(("name:N", "Encoding"), ("x:Q", X, ",d"), ("y:Q", Y, ".2f"))
    room = chart_of("room").mark_point(opacity=0, tooltip=None).encode(x="left:Q", y="roof:Q")
    beyond = chart_of("beyond")
    shade = beyond.mark_rect(color=GREY, opacity=0.12, tooltip=None).encode(x="left:Q", x2="right:Q")
    edge = beyond.mark_rule(strokeDash=DASHED, color=GREY, tooltip=None).encode(x="left:Q")
    ink, top = alt.ExprRef(INK), alt.value(0)
    within = beyond.mark_text(align="right", dx=-5, dy=-4, baseline="bottom", text=WITHIN, color=ink, tooltip=None)
    longer = beyond.mark_text(align="left", dx=5, dy=-4, baseline="bottom", text=f"{BEYOND} →", color=ink, tooltip=None)

    text = chart_of("text")
    fits = f"floor(width / ({LETTER:g} * {GROWTH}))"
    tape = text.mark_text(
        text=alt.ExprRef(f"slice(datum.text, max(0, {read} - {fits} + 1), {read}) + '▏'"),
        font="monospace",
        align="left",
        baseline="bottom",
        dy=alt.ExprRef(f"-6 - {ROW:g} * {GROWTH}"),
        color=ink,
        tooltip=None,
    )
    below_words = alt.value(alt.ExprRef(f"{ROW * (len(names) + 0.5):g} * {GROWTH}"))
    eye = text.transform_calculate(at=read).mark_rule(color=ink, tooltip=None)

    lines = chart_of("lines")
    behind = lines.transform_filter(f"datum.x <= {AT}").mark_line(strokeWidth=grown(2.5), strokeJoin="round")
    now = lines.transform_filter(f"datum.x === max(1, {read})")
    dot = now.mark_point(filled=True, size=area(60), opacity=1).encode(x=x, y=y, color=colour, tooltip=tooltip)
    # What the lines are, and what they say, in rows of their own: beside the dots they would cover each other.
    left, down = f"width * {train_length / last:g} + 8", f"({ROW:g} * (datum.order + 0.8)) * {GROWTH}"
    key = now.mark_point(filled=True, size=area(80), opacity=1, tooltip=None, shape="square")
    key = key.encode(x=alt.value(alt.ExprRef(f"{left} + 6")), color=colour)
    said = "datum.name + ': loss ' + format(datum.y, '.2f')"
    told = now.mark_text(
        align="left",
        baseline="middle",
        x=alt.ExprRef(f"{left} + 16"),
        y=alt.ExprRef(down),
        text=alt.ExprRef(said),
        color=ink,
        tooltip=None,
    )
    layers = (
        room,
        shade,
        edge,
        within.encode(x="left:Q", y=top),
        longer.encode(x="left:Q", y=top),
        tape.encode(x=alt.value(0), y=top),
        eye.encode(x="at:Q", y=below_words, y2=alt.value("height")),
        behind.encode(x=x, y=y, color=colour, tooltip=tooltip),
        dot,
        key.encode(y=alt.value(alt.ExprRef(down))),
        told,
    )
    moving = motion.signal(AT, "Position", last=last, start=last)
    return motion.with_signals(spec_of(alt.layer(*layers), canvas=True), moving)
