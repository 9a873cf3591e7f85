"""Claims, checked: predict first, then the computation runs and gives the verdict."""

from functools import partial

import streamlit as st

from pe_core.chapters import claims
from pe_core.claims import CLAIMS
from ui.claims import choose, draw_overview, go_on, lead_to_chapter, settle
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import exercise, mathematics, open_page
from ui.widgets.prose import show_source

text = open_page("claims", "Claims, checked")
st.markdown(text("intro"))
claim = choose(text)
place = st.container()  # of what waits for the choice below it
at_once = go_on(text)
with place:
    fragment(partial(settle, claim, at_once, text))()
lead_to_chapter(claim, text)
show_source(*claims.code(claim))
st.markdown(text("about"))
st.markdown(text("look"))
mathematics(text)
st.subheader(_("Exercise"))
exercise(text, "clm_guess", 0, len(CLAIMS), claims.true_ones, facts=claims.how_many())
draw_overview(at_once, text)
