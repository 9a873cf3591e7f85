"""Tables in the visitor's language: large ones are scrolled, names staying in view; small ones are read whole."""

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Literal

import streamlit as st
from streamlit.column_config import Column

from pe_core.chapters.wording import number
from pe_core.wrapping import columns as letters
from ui.frame.room import LINES
from ui.language.words import _
from ui.widgets.prose import plain

LETTER, BESIDE = 6.5, 18  # pixels of a letter, and of what stands to both sides of a text
ROOM = 900  # pixels beside the list of pages on a laptop
WIDE, PINNED = 60, 20  # letters of a cell, and of one that stays in view: where room ends, its text goes on below
SHORT, NO_BREAK = 16, "\u00a0"  # letters of a cell that is one line, and the space in it
TALL = 65  # pixels of a row in which the browser lets text go on below


def in_view(*names: str) -> dict[str, Any]:
    """Return the settings of columns that stay in view, to the left of the others."""
    return {name: Column(pinned=True) for name in names}


def show_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any] | None = None,
    *,
    order: Sequence[str] | None = None,
    height: int | Literal["auto", "content"] = "auto",
    key: str | None = None,
) -> None:
    """Draw rows as a table, with the settings of some columns; words of headers and cells are said as the page is.

    The columns keep their names, by which a saved table knows them. Where texts have no room beside each other on a
    laptop, rows have several lines.
    """
    given = dict(columns or {})
    for name in dict.fromkeys(name for row in rows for name in row):
        said = {part: _(words) for part in ("label", "help") if (words := given.get(name, {}).get(part))}
        if "label" not in said and _(name) != name:
            said["label"] = _(name)
        if said:
            given[name] = {**given.get(name, Column()), **said}
    worded = [{name: _(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows]
    lengths = _lengths(worded)
    needed = {name: max(longest, letters(given.get(name, {}).get("label") or name)) for name, longest, _mean in lengths}
    full = sum(LETTER * n_letters + BESIDE for n_letters in needed.values()) > ROOM and max(needed.values()) > WIDE
    for name, longest, mean in lengths:
        most = PINNED if given.get(name, {}).get("pinned") else WIDE
        if longest > 2 * mean or (full and longest > most):  # the browser leaves the former out when it measures
            n_letters = min(needed[name], most) if full else needed[name]
            given[name] = {**given.get(name, Column()), "width": round(LETTER * n_letters) + BESIDE}
    st.dataframe(
        _in_arrow(worded),
        row_height=TALL if full else None,
        hide_index=True,
        column_config=given,
        column_order=order,
        height="content" if full else height,
        key=key,
        placeholder="–",  # Streamlit says None
    )


def show_lines(rows: Sequence[Mapping[str, object]], name: str) -> None:
    """Draw a few rows as a table that is read whole in every window; `name` is its own on the page.

    Numbers stand to the right, with four digits; what is missing is a dash. Without rows nothing is drawn.
    """
    if not rows:
        return
    marks = ["---:" if any(isinstance(row[head], int | float) for row in rows) else "---" for head in rows[0]]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    write_lines("\n".join(f"| {' | '.join(line)} |" for line in [[*map(_, rows[0])], marks, *cells]), name)


def write_lines(text: str, name: str) -> None:
    """Write Markdown with one table, which tells the style of a telephone what stands above each of its columns."""
    head = next(line for line in text.splitlines() if line.startswith("|"))
    named = [
        f".st-key-{LINES}{name} td:nth-child({place}) {{ --head: {json.dumps(words.strip(), ensure_ascii=False)} }}"
        for place, words in enumerate(head.strip("|").split("|"), start=1)
    ]
    with st.container(key=f"{LINES}{name}"):
        st.html(f"<style>{' '.join(named)}</style>")
        st.markdown(text)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, int | float):
        return number(value)
    words = plain(_(str(value)))
    return words if letters(words) > SHORT else words.replace(" ", NO_BREAK)


def _in_arrow(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as the browser gets them, which Streamlit would make of a frame of pandas in seven times as long.

    Rows stay as they are where a column has both words and numbers.
    """
    import pyarrow as pa

    names = dict.fromkeys(name for row in rows for name in row)
    try:
        return pa.table({name: [row.get(name) for row in rows] for name in names})
    except pa.ArrowException:
        return rows


def _lengths(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, int, float]]:
    """Return the name of each column that has texts alone, with the letters of its longest cell and of the mean one."""
    found = []
    for name in dict.fromkeys(name for row in rows for name in row):
        cells = [row[name] for row in rows if row.get(name) is not None]
        if cells and all(isinstance(cell, str) for cell in cells):
            found.append((name, max(map(letters, cells)), fmean(map(letters, cells))))
    return found
