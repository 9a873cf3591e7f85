"""Lectures: those of the project, one of a file, and one that is put together from views of this app."""

import streamlit as st

from ui.language.words import _
from ui.lecture.lectures import draw_collection, draw_own, draw_ready
from ui.page import open_page

text = open_page("lectures", "Lectures")
st.markdown(text("intro"))
draw_ready(text)
st.markdown(text("keys"))
st.subheader(_("A lecture from a file"))
st.markdown(text("file"))
draw_own(text)
st.subheader(_("Your own lecture"))
st.markdown(text("own"))
draw_collection(text)
