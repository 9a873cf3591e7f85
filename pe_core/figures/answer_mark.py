"""The answer to a question, marked in a picture of lines."""

from typing import Any

import altair as alt

from pe_core.figures.looks.growth import GROWTH, area, grown
from pe_core.figures.looks.palette import CATEGORICAL, GREY, INK, PAPER


def layers() -> list[alt.Chart]:
    """Return a dot at the answer in the frame `answer` with its words, and dashed lines from there to both axes."""
    answer = alt.Chart(alt.NamedData("answer")).encode(x="x:Q", y="y:Q")
    dashed: Any = {"strokeDash": [4, 4], "strokeWidth": 1.5, "color": GREY}
    font: Any = {
        "align": {"expr": "datum.left ? 'right' : 'left'"},
        "dx": {"expr": f"(datum.left ? -9 : 9) * {GROWTH}"},
        "dy": {"expr": f"(datum.high ? 16 : -14) * {GROWTH}"},
        "fontSize": grown(13),
        "fontWeight": "bold",
    }
    named = answer.encode(text="label:N")
    return [
        answer.mark_rule(**dashed).encode(y2=alt.value({"expr": "height"})),
        answer.mark_rule(**dashed).encode(x2=alt.value(0)),
        answer.mark_point(filled=True, size=area(130), color=CATEGORICAL[4], opacity=1),
        named.mark_text(**font, stroke=alt.ExprRef(PAPER), strokeWidth=5, strokeJoin="round", fill=None),
        named.mark_text(**font, color=alt.ExprRef(INK)),
    ]
