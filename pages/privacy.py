"""Privacy: what this server keeps of a visitor, for how long, and how to remove it."""

import streamlit as st

from ui.language.words import _
from ui.page import open_page
from ui.privacy import draw_kept, draw_operator, draw_own

text = open_page("privacy", "Privacy")
st.markdown(text("intro"))
draw_kept(text)
st.subheader(_("Your runs"))
draw_own(text)
draw_operator(text)
