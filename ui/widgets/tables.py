"""Tables in the visitor's language: Streamlit's, and small ones that are read whole in every window."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.column_config import Column

from pe_core.chapters.wording import number
from pe_core.wrapping import columns as letters
from ui.frame.room import LINES
from ui.language.words import _
from ui.widgets.prose import plain

_NUMBER = re.compile(r"[−+]?[\d.,]+")
SHORT, NO_BREAK = 16, "\u00a0"  # letters of a cell that is one line, and the space in it


def in_view(*names: str) -> dict[str, Any]:
    """Return the settings of columns that stay in view, to the left of the others."""
    return {name: Column(pinned=True) for name in names}


def show_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any] | None = None,
    *,
    order: Sequence[str] | None = None,
    key: str | None = None,
) -> None:
    """Draw rows as a table, with the settings of some columns; words of headers and cells are said as the page is.

    The columns keep their names, by which a saved table knows them.
    """
    given = dict(columns or {})
    for name in dict.fromkeys(name for row in rows for name in row):
        one = given.get(name, Column())
        given[name] = {**one, "label": _(one["label"] or name), "help": one["help"] and _(one["help"])}
        texts = [row[name] for row in rows if isinstance(row.get(name), str)]
        if texts and all(map(_NUMBER.fullmatch, texts)):  # a text would stand to the left
            given[name]["alignment"] = "right"
    worded = [{name: _(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows]
    # Streamlit says None of what is missing.
    st.dataframe(worded, hide_index=True, column_config=given, column_order=order, key=key, placeholder="–")


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
