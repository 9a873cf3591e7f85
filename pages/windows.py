"""Windows and sinks: who may look at whom, what comes through layers all the same, and what a softmax does about it."""

import streamlit as st

from pe_core import masks
from pe_core.measures import entropy, reach, sinks, subtracted
from ui import windows as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Layers": Look(draw.draw_layers, (reach.through_layers, reach.rule, reach.blocks)),
    "Matrix M": Look(draw.draw_matrix, (subtracted.family, subtracted.kept, masks.subtractive)),
    "Entropy": Look(draw.draw_entropy, (entropy.by_number_of_keys, entropy.entropy, entropy.expected)),
    "Sinks": Look(draw.draw_sinks, (sinks.row,)),
    "Cache": Look(draw.draw_cache, (sinks.cache,)),
}
text = sections("windows")

st.title("Windows and sinks")
write(text["intro"])
mask_place = st.container()
write(text["look"])

look = choose_look("win_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(masks.sliding_window, masks.sinks, masks.dilated, masks.prefix)

st.subheader("Exercise")
draw.draw_exercise(text)


@fragment
def pictures() -> None:
    """All that the controls of mask and look change, and only that."""
    with mask_place:
        chosen = draw.choose()
        draw.draw_mask(chosen, text)
    with look_place:
        look.draw(chosen, text)


pictures()
