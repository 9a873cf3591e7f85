"""Numbers that are read one by one: bars in groups, with their numbers while they are few, and tables of cells."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.curves import Y, along, legend, long
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks.palette import FAR_APART, GROWTH, INK, SEQUENTIAL, gradient, grown, inked

MAX_NUMBERED = 16  # bars in a picture that have their numbers written on them
MIN_WIDTH = 36  # pixels of a bar below which numbers would stand in each other
BLIND = 1e-9  # changes below this are rounding
WORD_WIDTH, NUMBER_WIDTH = 56, 30  # pixels of a column below which its word and its numbers stand upright
UNSEEN = "blind to this change of order"
WORDS, MOVES = "Word", "Its place"  # names of the rows above all readers
MET, NOT_MET = "met in training", "never met"
FILLS = {MET: "#BFDDF2", NOT_MET: "#F5C38A"}
ID_WIDTH = 28  # pixels of a cell below which its number stands upright
_COLUMN = "bandwidth('x')"


def bars(
    places: Sequence[str], named: Mapping[str, Tensor], x: str, y: Y, *, bar: str = "Bar", numbered: bool = True
) -> Figure:
    """Return a group of bars for each of `places`, one for each of `named` (places,), `numbered` where they are few."""
    rows = [
        {"place": place, "row": row, "name": name, "order": order, "value": float(values[row])}
        for order, (name, values) in enumerate(named.items())
        for row, place in enumerate(places)
    ]
    frame = pd.DataFrame(rows).assign(number=numbered and len(rows) <= MAX_NUMBERED)
    words = {"place": x, "name": bar, "value": y["title"]}
    table = frame[list(words)].rename(columns=words)
    return Figure(_bars_spec(x, y, tuple(named), bar), {"bars": frame}, behind={"bars": lambda: table})


@built_once
def _bars_spec(x_title: str, y: Y, names: tuple[str, ...], bar: str) -> dict[str, Any]:
    x = alt.X("place:N").title(x_title).sort(field="row", op="min").axis(labelAngle=0, labelOverlap=True)
    tooltip = tips(("place:N", x_title), ("name:N", bar), ("value:Q", y["title"], ".5~g"))
    # A domain of its own: Vega warns of two layers whose tables it would have to put in one order.
    offset = alt.XOffset("order:O").scale(domain=list(range(len(names))))
    chart = chart_of("bars").encode(x=x, y=along(y, "value"), xOffset=offset)
    number = chart.transform_filter("datum.number").transform_calculate(
        shown="abs(datum.value) < 1e-9 ? '0' : format(datum.value, abs(datum.value) < 0.01 ? '.1e' : '.3~f')"
    )
    words = number.mark_text(
        baseline={"expr": "datum.value < 0 ? 'top' : 'bottom'"},
        dy={"expr": "datum.value < 0 ? 3 : -3"},
        **inked(12),
        opacity={"expr": f"bandwidth('xOffset') < {MIN_WIDTH} ? 0 : 1"},
    )
    colour = alt.Color("name:N").scale(domain=list(names), range=list(FAR_APART[: len(names)]))
    box = chart.mark_bar().encode(color=colour.legend(legend("square", is_long=long(names))), tooltip=tooltip)
    return spec_of(alt.layer(box, words.encode(text="shown:N")))


def changes(words: Sequence[str], places: Sequence[int], moved: Mapping[str, Tensor]) -> Figure:
    """Return a table of changes: `moved` has one (T,) per reader, for the `words` (T,) in their first order.

    In the other order each of `places` has the word of that number: "1 → 6" is said of a word that was the first and
    is the sixth. A change below 1e-9 is drawn as exactly none. Where some readers notice the other order, those that do
    not are said to be blind to it.
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
    named = pd.DataFrame(columns, columns=["column", "word", "place"]).assign(reader=WORDS, row=-2)
    ways = [f"{place + 1} → {now + 1}" for place, now in enumerate(map(list(places).index, range(len(words))))]
    named = pd.concat([named, named.assign(word=ways, reader=MOVES, row=-1)])
    changes = pd.DataFrame(rows)
    noticed = changes.groupby("row").seen.transform("any")
    changes = changes.assign(blind=~noticed & bool(noticed.any()))
    return Figure(_changes_spec(), {"changes": changes, "words": named})


@built_once
def _changes_spec() -> dict[str, Any]:
    x = alt.X("column:N").title(None).sort(field="place", op="min").axis(None)
    y = alt.Y("reader:N").title(None).sort(field="row", op="min")
    y = y.axis(ticks=False, domain=False, labelLimit=grown(210), labelFontSize=grown(12))
    scale = alt.Scale(domain=[0, 1.5], range=list(SEQUENTIAL), clamp=True)
    cells = chart_of("changes").encode(x=x, y=y)
    tooltip = tips(("reader:N", "Reader"), ("word:N", "Word"), ("change:Q", "Change of its output", ".3g"))
    colour = alt.Color("change:Q").title("Change").scale(scale)
    colour = colour.legend(orient="bottom", values=[0, 0.5, 1, 1.5], format=".1f", **gradient(110))
    box = cells.mark_rect(stroke="#7F7F7F", strokeWidth=0.5).encode(color=colour, tooltip=tooltip)
    number = cells.transform_calculate(shown="datum.seen ? format(datum.change, '.2f') : '0'")
    turned = alt.ExprRef(f"{_COLUMN} < {NUMBER_WIDTH} * {GROWTH} ? -90 : 0")
    raised = alt.ExprRef(f"datum.blind ? -8 * {GROWTH} : 0")  # above the words
    ink = alt.ExprRef("datum.change > 0.9 ? '#FFFFFF' : '#1B2430'")
    numbers = number.mark_text(fontSize=grown(12), angle=turned, dy=raised, color=ink).encode(text="shown:N")
    upright = f"{_COLUMN} < {WORD_WIDTH} * {GROWTH}"
    word = chart_of("words").mark_text(
        fontSize=grown(13),
        fontWeight=alt.ExprRef("datum.row < -1 ? 'bold' : 'normal'"),
        angle=alt.ExprRef(f"{upright} ? -90 : 0"),
        limit=alt.ExprRef(f"({upright} ? bandwidth('y') : {_COLUMN}) - 4"),
        color=alt.ExprRef(INK),
    )
    blind = chart_of("changes").transform_filter("datum.blind && datum.place === 0")
    blind = blind.encode(y=y, text=alt.value(UNSEEN))
    said: dict[str, Any] = {"x": alt.ExprRef("width / 2"), "dy": grown(9), "fontSize": grown(12), "color": "#1B2430"}
    behind = blind.mark_text(**said, stroke=SEQUENTIAL[0], strokeWidth=4)  # over the edges of cells
    layers = box, numbers, word.encode(x=x, y=y, text="word:N"), behind, blind.mark_text(**said)
    return spec_of(alt.layer(*layers), framed=False)


def numbers(rows: Mapping[str, Tensor], limit: int, *, columns: str) -> Figure:
    """Return a table of whole numbers, a row for each of `rows` (N,); those from `limit` on are new to training."""
    found = [
        {"row": row, "column": column, "number": int(number), "meaning": MET if number < limit else NOT_MET}
        for row, values in rows.items()
        for column, number in enumerate(values)
    ]
    return Figure(_numbers_spec(tuple(rows), columns), {"ids": pd.DataFrame(found)})


@built_once
def _numbers_spec(rows: tuple[str, ...], columns: str) -> dict[str, Any]:
    x = alt.X("column:O").title(columns).axis(labels=False, ticks=False, domain=False)
    y = alt.Y("row:N").title(None).sort(list(rows)).axis(ticks=False, domain=False, labelLimit=grown(150))
    meanings = [MET, NOT_MET]
    colour = alt.Color("meaning:N").title(None).scale(domain=meanings, range=[FILLS[name] for name in meanings])
    cells = chart_of("ids").encode(x=x, y=y)
    tooltip = tips(("row:N", "Row"), ("number:Q", "Number"))
    boxes = cells.mark_rect(stroke="#7F7F7F", strokeWidth=0.5).encode(
        color=colour.legend(orient="top", symbolType="square", symbolSize=150, symbolStrokeWidth=1), tooltip=tooltip
    )
    upright = alt.ExprRef(f"bandwidth('x') < {ID_WIDTH} * {GROWTH} ? -90 : 0")
    numbers = cells.mark_text(fontSize=grown(12), angle=upright, color="#1B2430").encode(text="number:Q")
    return spec_of(alt.layer(boxes, numbers), framed=False)
