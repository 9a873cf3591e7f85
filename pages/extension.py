"""Context extension: what each rule does to the pairs of RoPE so that a longer text fits."""

import streamlit as st

from pe_core.figures.extension import curves
from pe_core.measures.rotary_bounds import first_negative
from pe_core.measures.similarity import dot_products
from pe_core.parameters import Parameter
from pe_core.rope_scaling import SCALINGS
from ui import extension as draw
from ui.controls import control
from ui.extension import Look
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.source import show_source

ensure_shell()

text = sections("extension")

st.title("Context extension")
intro_place = st.container()
rules = draw.choose_rules(text)
slowing_place = st.container()
functions = [SCALINGS[key].rule for key in rules]
show_source(*functions)

LOOKS = {
    "Wavelengths": Look(draw.draw_wavelengths, (curves,)),
    "Kernel": Look(draw.draw_kernel, (dot_products, first_negative)),
    "Base bound": Look(draw.draw_bound, (first_negative,)),
    "Exercise": Look(draw.draw_exercise, (SCALINGS["ntk"].rule,)),
}
look = LOOKS[str(control(Parameter("ext_look", "Closer look", "Wavelengths", "", choices=tuple(LOOKS))))]
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])


@st.fragment
def pictures() -> None:
    """All that the four controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with slowing_place:
        chosen = draw.choose(rules)
        draw.draw_slowing(chosen, text)
    with intro_place:
        write(text["intro"], chosen.facts())
    with look_place:
        look.draw(chosen, text)


pictures()
