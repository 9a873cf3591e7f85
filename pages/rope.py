"""RoPE: a query and a key turned pair by pair, and what their score then knows of their positions."""

import streamlit as st

from pe_core.encodings import rotary
from pe_core.measures import rotation
from pe_core.measures.channels import unfinished
from pe_core.measures.rotary_bounds import decay_bound
from pe_core.pictures import rope as pictures
from ui import rope as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Distance": Look(draw.draw_distance, (pictures.scores_by_distance, rotation.scores, decay_bound)),
    "Turns": Look(draw.draw_turns, (pictures.wavelengths, unfinished, rotation.angles_met)),
    "Three forms": Look(
        draw.draw_forms, (rotation.real_form, rotation.complex_form, rotation.matrix, rotation.without_minus)
    ),
    "Layouts": Look(draw.draw_layouts, (pictures.rotation_matrix, rotary.rotate, rotation.half_order)),
    "Exercise": Look(draw.draw_exercise, (rotation.scores,)),
}
text = sections("rope")

st.title("RoPE")
write(text["intro"])
dials_place = st.container()
write(text["look"])

look = choose_look("rope_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(pictures.dials, rotary.frequencies, rotary.rotate, rotation.shifted)


@fragment
def show_pictures() -> None:
    """All that the six controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with dials_place:
        chosen = draw.choose()
        draw.draw_dials(chosen, text)
    with look_place:
        look.draw(chosen, text)


show_pictures()
