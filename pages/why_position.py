"""Why position: attention without an encoding gives a word the same output wherever it stands."""

import streamlit as st

from pe_core.measures import order
from ui import why_position as draw
from ui.frame.shell import ensure_shell
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()
text = sections("why_position")

st.title("Why position")
write(text["intro"])
draw.draw_changes(text)
write(text["look"])
show_source(order.attention, order.recurrent, order.convolution, order.change)

st.subheader("The mathematics")
write(text["mathematics"])

st.subheader("Exercise")
draw.draw_exercise(text)
