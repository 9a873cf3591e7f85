"""Counting: the position itself as an encoding, whole or as a share of the sentence, and what each of them breaks."""

import streamlit as st

from pe_core.chapters import counting as pictures
from pe_core.encodings import index
from pe_core.measures import index as measures
from ui import counting as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Drowning": Look(draw.draw_drowning, (pictures.drowning, pictures.left, measures.left_of_token)),
    "LayerNorm": Look(draw.draw_norms, (pictures.norms, pictures.norm_changes, measures.layer_norm, measures.rms_norm)),
    "Rounding": Look(draw.draw_rounding, (pictures.rounding, measures.rounded, measures.different_so_far)),
}
text = sections("counting")

st.title("Counting")
write(text["intro"])
lines_place = st.container()
write(text["look"])

look = choose_look("cnt_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(index.table, pictures.number_line, measures.common_values)

st.subheader("Exercise")
draw.draw_exercise(text)


@fragment
def changing() -> None:
    """All that the controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with lines_place:
        chosen = draw.choose()
        draw.draw_lines(chosen, text)
    with look_place:
        look.draw(chosen, text)


changing()
