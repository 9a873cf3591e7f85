"""Self-test: questions with fresh numbers, the questions of an interview, and a check of a table of one's own."""

import streamlit as st

from pe_core.quiz import base, own_table
from ui import selftest as draw
from ui.frame.shell import ensure_shell
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()
text = sections("selftest")

st.title("Self-test")
write(text["intro"])
spec = draw.draw_question(text)
show_source(spec.make, base.QuestionSpec, base.number_in)

st.subheader("The interview")
write(text["interview"])
draw.draw_interview(text)

st.subheader("Write it yourself")
write(text["write"])
draw.draw_own_table(text)
write(text["write-look"])
show_source(own_table.right, own_table.slips, own_table.checked)
