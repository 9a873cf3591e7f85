"""Tables in the visitor's language; names and verdicts can stay in view while the numbers are scrolled."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st
from streamlit.column_config import Column

from ui.language.words import _


def in_view(*names: str) -> dict[str, Any]:
    """Return the settings of columns that stay in view, to the left of the others."""
    return {name: Column(pinned=True) for name in names}


def show_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any] | None = None,
    *,
    order: Sequence[str] | None = None,
    height: int | Literal["auto"] = "auto",
    key: str | None = None,
) -> None:
    """Draw rows as a table, with the settings of some columns; words of headers and cells are said as the page is.

    The columns keep their names, by which a saved table knows them.
    """
    given = dict(columns or {})
    for name in dict.fromkeys(name for row in rows for name in row):
        said = {part: _(words) for part in ("label", "help") if (words := given.get(name, {}).get(part))}
        if "label" not in said and _(name) != name:
            said["label"] = _(name)
        if said:
            given[name] = {**given.get(name, Column()), **said}
    worded = [{name: _(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows]
    st.dataframe(
        worded,
        hide_index=True,
        column_config=given,
        column_order=order,
        height=height,
        key=key,
        placeholder="–",  # Streamlit says None
    )
