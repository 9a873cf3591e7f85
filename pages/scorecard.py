"""Scorecard: every encoding against every criterion, each cell a measured number."""

import streamlit as st

from pe_core.measures.criteria import scorecard
from ui import scorecard as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()
text = sections("scorecard")

st.title("Scorecard")
write(text["intro"])
cards = draw.measure_all(text)


@fragment
def show_pictures() -> None:
    """The table, and below it the cell that was chosen there by a click."""
    draw.draw_table(cards, text)
    criterion, encoding = draw.choose_cell()
    draw.draw_criterion(criterion, encoding, cards, text)
    show_source(*draw.proof(criterion), scorecard)


show_pictures()

st.subheader("Exercise")
draw.draw_exercise(cards, text)
