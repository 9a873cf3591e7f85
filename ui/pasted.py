"""Numbers that a visitor's own code has given: they are pasted, and compared with ours."""

from functools import partial

import streamlit as st

from pe_core.figures.figure import Call
from pe_core.quiz import own_table
from ui.language.words import _
from ui.widgets.charts import Picture, picture_of
from ui.widgets.link import literal
from ui.widgets.prose import Text


def pasted_numbers(label: str, key: str, compare: Call) -> Picture | None:
    """Ask for numbers, and return the picture that compares them with ours; None while there is none.

    They are read as numbers, and nothing of them is run. What is wrong with them is said.
    """
    pasted = st.text_area(label, key=key, max_chars=own_table.MAX_CHARACTERS, persist_state="session")
    if not pasted.strip():
        return None
    try:
        return picture_of(partial(compare, numbers=own_table.numbers_in(pasted)))
    except ValueError as error:
        st.warning(_(f"This cannot be compared: {literal(_(str(error)))}."))
        return None


def draw_difference(found: Picture | None, key: str, text: Text, height: int) -> None:
    """Say and draw where numbers differ from ours, and which mistakes make such numbers; nothing without numbers."""
    if found is None:
        return
    st.markdown(text(found.facts["found"], found.facts))
    for mistake in str(found.facts["mistakes"]).split():
        st.markdown(text(mistake))
    found.chart(key, text("own-picture", found.facts), height=height)
