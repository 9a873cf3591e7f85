"""Named lines across a picture: at places of the x axis, and at heights."""

from typing import Any

import altair as alt

from pe_core.figures.looks.growth import grown
from pe_core.figures.looks.palette import DASHED, GREY, INK

_WORDS: dict[str, Any] = {"align": "left", "fontSize": grown(12), "color": alt.ExprRef(INK)}


def across_x() -> list[alt.Chart]:
    """Return a dashed line at each x of the frame `marks`, and its label above, where no line crosses it."""
    marks = alt.Chart(alt.NamedData("marks")).encode(x="x:Q")
    label = marks.mark_text(**_WORDS, baseline="bottom", dy=-3).encode(y=alt.value(0), text="label:N")
    return [marks.mark_rule(strokeDash=DASHED, strokeWidth=grown(1.5), color=GREY), label]


def across_y(dash: tuple[float, ...] = DASHED) -> list[alt.Chart]:
    """Return a line with this `dash` at each y of the frame `levels`, and its label at the left end."""
    levels = alt.Chart(alt.NamedData("levels")).encode(y="y:Q")
    label = levels.mark_text(**_WORDS, baseline="bottom", dx=4, dy=-2).encode(x=alt.value(0), text="label:N")
    return [levels.mark_rule(strokeDash=list(dash), strokeWidth=grown(1.5), color=GREY), label]
