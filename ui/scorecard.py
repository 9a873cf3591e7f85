"""What only the scorecard page has: the table of all cells, which can be clicked."""

from collections.abc import Sequence

import streamlit as st

from pe_core.chapters import scorecard
from pe_core.encodings import ENCODINGS
from pe_core.lab.results.gallery import BEYOND
from pe_core.measures.criteria import CRITERIA
from ui.language.words import _
from ui.widgets.prose import Text

HEIGHT = 360  # pixels of the table: it stands on the first screen with its controls
NAME = 212  # pixels; Streamlit pins no more than six tenths of the width, of a telephone too
MARKS = {"holds": "✓", "degrades": "~", "breaks": "✗"}  # before a name: what became of it in training


def draw_table(text: Text) -> None:
    """Draw the table; a click on a cell opens what was measured below."""
    verdict, ratio = text("verdict"), text("trained")
    told, facts = scorecard.heads(), {"multiple": BEYOND[-1]}
    columns = {
        one.title: st.column_config.NumberColumn(
            told[one.title].replace(one.title, _(one.title)),
            format=f"%{scorecard.SHOWN}",
            alignment="left",  # so that a telephone, too, shows the numbers of the column beside those that stay
            help=f"{text(one.better)} {_(one.summary)}",
        )
        for one in CRITERIA.values()
    }
    columns[ratio] = st.column_config.NumberColumn(
        text("trained-head"), format=f"%{scorecard.RATIO}", help=text("trained-help", facts)
    )
    columns["Encoding"] = st.column_config.TextColumn(_("Encoding"), width=NAME, pinned=True)
    columns["Family"] = st.column_config.TextColumn(_("Family"))
    columns[verdict] = st.column_config.TextColumn(help=text("verdict-help", facts))
    table = scorecard.table([scorecard.row(key) for key in ENCODINGS], verdict, ratio)
    rows = table.data  # type: ignore[attr-defined]  # the stubs do not have it
    marks = rows[verdict].map(MARKS).fillna("")
    for column in ("Encoding", "Family", verdict):
        rows[column] = rows[column].map(_, na_action="ignore")
    rows["Encoding"] = (marks + " " + rows["Encoding"]).str.strip()  # in view, however far the table is scrolled
    st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        height=HEIGHT,
        key="scorecard_table",
        placeholder=text("none"),
        on_select=_open_cell,
        selection_mode="single-cell",
    )


def _open_cell() -> None:
    selected: Sequence[tuple[int, str]] = st.session_state["scorecard_table"].selection.cells
    for row, column in selected:
        st.session_state.update(scorecard.cell(row, column))
