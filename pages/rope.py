"""RoPE: a query and a key turned pair by pair, and what their score then knows of their positions."""

import streamlit as st

from pe_core.encodings import rotary
from pe_core.figures.rotation import dials, distance_curves
from pe_core.figures.waves import wavelengths
from pe_core.measures import rotation
from pe_core.measures.channels import unfinished
from pe_core.measures.rotary_bounds import decay_bound
from pe_core.parameters import Parameter
from ui import rope as draw
from ui.controls import control
from ui.prose import sections, write
from ui.rope import Look
from ui.shell import ensure_shell
from ui.source import show_source

ensure_shell()

LOOKS = {
    "Distance": Look(draw.draw_distance, (distance_curves, rotation.scores, decay_bound)),
    "Turns": Look(draw.draw_turns, (wavelengths, unfinished, rotation.angles_met)),
    "Three forms": Look(
        draw.draw_forms, (rotation.real_form, rotation.complex_form, rotation.matrix, rotation.without_minus)
    ),
    "Layouts": Look(draw.draw_layouts, (rotary.rotate, rotation.half_order)),
    "Exercise": Look(draw.draw_exercise, (rotation.scores,)),
}
text = sections("rope")

st.title("RoPE")
write(text["intro"])
dials_place = st.container()
write(text["look"])

look = LOOKS[str(control(Parameter("rope_look", "Closer look", "Distance", "", choices=tuple(LOOKS))))]
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(rotary.frequencies, rotary.rotate, dials, rotation.shifted)


@st.fragment
def pictures() -> None:
    """All that the six controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with dials_place:
        chosen = draw.choose()
        draw.draw_dials(chosen, text)
    with look_place:
        look.draw(chosen, text)


pictures()
