"""The catalogue: a wall of all encodings, scaling rules, masks and index remaps, then one with its formula and code."""

import streamlit as st

from pe_core.encodings import ENCODINGS
from ui.catalogue import choose, describe, draw_documents, draw_entry, draw_exercise
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import open_page

text = open_page("catalogue", "Catalogue")
st.markdown(text("intro", {"encodings": len(ENCODINGS)}))
kind, entry = choose(text)
describe(entry, text)


@fragment
def one_entry() -> None:
    """Draw what an entry does, what the code says of it, and an exercise on it as it is shown."""
    facts = draw_entry(kind, entry, text)
    st.subheader(_("The mathematics"))
    draw_documents(kind, entry, text)
    st.caption(text("wall-legend"))
    st.subheader(_("Exercise"))
    if facts is not None:
        draw_exercise(kind, entry, facts, text)


one_entry()
