"""Context extension: what each rule does to the pairs of RoPE so that a longer text fits."""

import streamlit as st

from pe_core.chapters import extension as pictures
from pe_core.chapters import repair
from pe_core.lab.experiment.run import measure
from pe_core.measures.rotary_bounds import first_negative, interpolated
from pe_core.measures.similarity import dot_products
from pe_core.rope_scaling import SCALINGS
from ui import extension as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

text = sections("extension")

st.title("Context extension", anchor=False)  # its sign would have a line of its own on a telephone
intro_place = st.container()
rules = draw.choose_rules(text)
slowing_place = st.container()
show_source(pictures.slowdown, *(SCALINGS[key].rule for key in rules))

LOOKS = {
    "Wavelengths": Look(draw.draw_wavelengths, (pictures.wavelengths,)),
    "Ramp": Look(draw.draw_ramp, (pictures.ramp, interpolated)),
    "Kernel": Look(draw.draw_kernel, (pictures.kernel, dot_products, first_negative)),
    "Base bound": Look(draw.draw_bound, (pictures.base_bound, first_negative)),
    "Trained model": Look(draw.draw_trained, (repair.losses_by_length, measure)),
    "Exercise": Look(draw.draw_exercise, (SCALINGS["ntk"].rule,)),
}
look = choose_look("ext_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])


@fragment
def show_pictures() -> None:
    """All that the four controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with slowing_place:
        chosen = draw.choose(rules)
        draw.draw_slowing(chosen, text)
    with intro_place:
        write(text["intro"], chosen.facts())
    with look_place:
        look.draw(chosen, text)


show_pictures()
