"""Values marked on lines: those under a line that is dragged along the x axis, and the answer to a question."""

from typing import Any

import altair as alt

from pe_core.figures.looks.growth import GROWTH, area, grown
from pe_core.figures.looks.in_order import in_order
from pe_core.figures.looks.palette import CATEGORICAL, GREY, INK, on_ground

AT = "read_at"  # the x of the line: a whole number
_ROW = 17  # pixels from the words of one series to those of the next, in a narrow picture


def values_read(x: alt.X, y: alt.Y, colour: alt.Color, last: int) -> list[alt.Chart]:
    """Return the line, and for each series of the frame `lines` a dot on it and its value, beside the series' colour.

    The values stand one below the other at the top, away from the nearer end of the axis, which goes from 0 to `last`.
    """
    there = in_order("lines").transform_filter(f"datum.x === {AT}")
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
    key = rows.mark_point(shape="square", filled=True, size=area(80), opacity=1, xOffset=beside)
    number = rows.encode(x=x, y=down, text=alt.Text("y:Q").format(",.4~g"))
    return [
        alt.Chart(alt.sequence(0, 1))
        .transform_calculate(x=AT)
        .mark_rule(color=GREY, strokeWidth=grown(1.5))
        .encode(x=x),
        number.mark_text(**words, **on_ground(grown(5))),
        number.mark_text(**words, color=alt.ExprRef(INK)),
        key.encode(x=x, y=down, color=colour),
        there.mark_circle(size=area(110), opacity=1).encode(x=x, y=y, color=colour),
    ]


def answer_marked() -> list[alt.Chart]:
    """Return a dot at the answer in the frame `answer` with its words, and dashed lines from there to both axes."""
    at = alt.Chart(alt.NamedData("answer")).encode(x="x:Q", y="y:Q")
    dashed: Any = {"strokeDash": [4, 4], "strokeWidth": 1.5, "color": GREY}
    font: Any = {
        "align": {"expr": "datum.left ? 'right' : 'left'"},
        "dx": {"expr": f"(datum.left ? -9 : 9) * {GROWTH}"},
        "dy": {"expr": f"(datum.high ? 16 : -14) * {GROWTH}"},
        "fontSize": grown(13),
        "fontWeight": "bold",
    }
    named = at.encode(text="label:N")
    return [
        at.mark_rule(**dashed).encode(y2=alt.value({"expr": "height"})),
        at.mark_rule(**dashed).encode(x2=alt.value(0)),
        at.mark_point(filled=True, size=area(130), color=CATEGORICAL[4], opacity=1),
        named.mark_text(**font, **on_ground(5)),
        named.mark_text(**font, color=alt.ExprRef(INK)),
    ]
