"""The room answers: a question on the wall, and votes from telephones."""

import streamlit as st

from pe_core.chapters import predictions
from ui.page import open_page
from ui.poll import wall
from ui.widgets.controls import control
from ui.widgets.prose import show_source

text = open_page("poll", "The room answers")
question = control(predictions.QUESTION)
wall.draw(question, text)
st.markdown(text("intro"))
st.markdown(text("how"))
show_source(*(one.answer for one in predictions.QUESTIONS.values()))
