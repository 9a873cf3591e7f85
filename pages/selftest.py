"""Self-test: questions with fresh numbers, the questions of an interview, and a check of a table of one's own."""

import streamlit as st

from pe_core.chapters import selftest
from pe_core.quiz import own_table
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import open_page, row
from ui.selftest import ask, check_table, choose, draw_interview
from ui.widgets.prose import show_source

text = open_page("selftest", "Self-test")
st.markdown(text("intro"))
kind, seed = choose()


@fragment
def question() -> None:
    """Ask a question, and judge the answer."""
    ask(kind, seed, text)


@fragment
def own_numbers() -> None:
    """Compare a table, one's own or that of a common mistake, with ours."""
    [table] = row(selftest.TABLE)
    length, width, base = row(selftest.SIZE)
    check_table(table, length, width, base, text)


question()
show_source(*selftest.code(kind))
st.subheader(_("The interview"))
st.markdown(text("interview"))
draw_interview(text)
st.subheader(_("Write it yourself"))
st.markdown(text("write"))
own_numbers()
st.markdown(text("write-look"))
show_source(own_table.right, own_table.mistakes, own_table.checked)
