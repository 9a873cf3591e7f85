"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps."""

import streamlit as st

from pe_core.chapters import binary_vs_sinusoid as pictures
from pe_core.encodings import binary, sinusoidal
from pe_core.figures import lanes, scrubbed_table
from pe_core.measures import jumps
from ui import counting_looks as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Wave by wave": Look(draw.draw_lanes, (lanes.lanes, jumps.nearest_pair, jumps.bit_periods)),
    "Rates": Look(draw.draw_rates, (pictures.speeds, jumps.flip_rates, sinusoidal.wavelengths)),
    "Jumps": Look(draw.draw_jumps, (pictures.steps, jumps.hamming_steps, jumps.euclidean_steps)),
    "Overflow": Look(draw.draw_overflow, (pictures.earlier, jumps.overflow)),
    "Exercise": Look(draw.draw_exercise, (jumps.flip_rates,)),
}
text = sections("binary_vs_sinusoid")

st.title("Binary against sinusoid")
write(text["intro"])
table_place = st.container()

look = choose_look("bs_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(binary.table, sinusoidal.table, scrubbed_table.twin_table)


@fragment
def pictures() -> None:
    """All that the four controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with table_place:
        chosen = draw.choose()
        draw.draw_table(chosen, text)
    with look_place:
        look.draw(chosen, text)


pictures()
