"""How much the output of each word changes when the words stand in another order: one row per reader."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import DIVERGING, INK

BLIND = 1e-9  # changes below this are rounding
WORD_WIDTH, NUMBER_WIDTH = 56, 30  # pixels of a column below which its word and its numbers stand upright
WORDS = "Word"  # name of the row above all readers
_COLUMN = "bandwidth('x')"


def changes(words: Sequence[str], moved: Mapping[str, Tensor]) -> Figure:
    """Return a table of changes: `moved` has one (T,) per reader, for the `words` (T,) in their first order.

    A change below 1e-9 is drawn as exactly none.
    """
    rows = [
        {
            "reader": reader,
            "row": row,
            "place": place,
            "word": word,
            "column": f"{place} {word}",  # equal words need columns of their own
            "change": float(value),
            "seen": float(value) > BLIND,
        }
        for row, (reader, values) in enumerate(moved.items())
        for place, (word, value) in enumerate(zip(words, values, strict=True))
    ]
    columns = list(dict.fromkeys((row["column"], row["word"], row["place"]) for row in rows))
    named = pd.DataFrame(columns, columns=["column", "word", "place"]).assign(reader=WORDS, row=-1)
    return Figure(_spec(), {"changes": pd.DataFrame(rows), "words": named})


def largest(table: Figure) -> dict[str, float]:
    """Return the largest change of each reader in a table of changes, by its name."""
    largest_of = table.frames["changes"].groupby("reader", sort=False).change.max()
    return {str(reader): float(change) for reader, change in largest_of.items()}


@cache
def _spec() -> dict[str, Any]:
    x = alt.X("column:N").title(None).sort(field="place", op="min").axis(None)
    y = alt.Y("reader:N").title(None).sort(field="row", op="min")
    y = y.axis(ticks=False, domain=False, labelLimit=210, labelFontSize=12)
    scale = alt.Scale(domain=[0, 1.5], range=list(DIVERGING[4:]), clamp=True)
    cells = alt.Chart(alt.NamedData("changes")).encode(x=x, y=y)
    tooltip = [
        alt.Tooltip("reader:N").title("Reader"),
        alt.Tooltip("word:N").title("Word"),
        alt.Tooltip("change:Q").title("Change of its output").format(".3g"),
    ]
    colour = alt.Color("change:Q").title("Change").scale(scale)
    colour = colour.legend(
        orient="bottom",
        titleOrient="left",
        gradientLength=110,
        gradientThickness=10,
        values=[0, 0.5, 1, 1.5],
        format=".1f",
    )
    box = cells.mark_rect(stroke="#7F7F7F", strokeWidth=0.5).encode(color=colour, tooltip=tooltip)
    number = cells.transform_calculate(shown="datum.seen ? format(datum.change, '.2f') : '0'")
    turned = alt.ExprRef(f"{_COLUMN} < {NUMBER_WIDTH} ? -90 : 0")
    numbers = number.mark_text(fontSize=12, angle=turned, color=_ink()).encode(text="shown:N")
    upright = f"{_COLUMN} < {WORD_WIDTH}"
    word = alt.Chart(alt.NamedData("words")).mark_text(
        fontSize=13,
        fontWeight="bold",
        angle=alt.ExprRef(f"{upright} ? -90 : 0"),
        limit=alt.ExprRef(f"({upright} ? bandwidth('y') : {_COLUMN}) - 4"),
        color=alt.ExprRef(INK),
    )
    spec: dict[str, Any] = (
        alt.layer(box, numbers, word.encode(x=x, y=y, text="word:N"))
        .configure(aria=False)
        .configure_view(stroke=None)
        .to_dict()
    )
    return spec


def _ink() -> alt.ExprRef:
    return alt.ExprRef("datum.change > 0.9 ? '#FFFFFF' : '#1B2430'")
