"""Scorecard: every encoding against every criterion, each cell a measured number."""

import streamlit as st

from pe_core.measures.criteria import scorecard
from ui import scorecard as draw
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.source import show_source

ensure_shell()
text = sections("scorecard")

st.title("Scorecard")
write(text["intro"])
cards = draw.measure_all(text)


@st.fragment
def pictures() -> None:
    """The table, and the criterion that was chosen below it or by a click on a cell."""
    draw.draw_table(cards, text)
    criterion = draw.choose_criterion()
    draw.draw_criterion(criterion, cards, text)
    show_source(criterion.measure, scorecard)


pictures()

st.subheader("Exercise")
draw.draw_exercise(cards, text)
