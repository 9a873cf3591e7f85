"""Inside: what trained models attend to, how attention spreads, and what they write past their training length."""

import streamlit as st

from pe_core.lab.experiment.model import Heads
from pe_core.lab.inspection import inside
from pe_core.pictures import inside as pictures
from ui import inside as draw
from ui.inside_entropy import draw_entropy
from ui.inside_run import choose_run
from ui.inside_written import draw_written
from ui.looks import Look, choose_look
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.source import show_source
from ui.turns import fragment

ensure_shell()

LOOKS = {
    "Attention maps": Look(draw.draw_attention, (inside.attention, pictures.attention)),
    "Entropy": Look(
        draw_entropy, (inside.over_positions, inside.where_asked, inside.fraction_of_even, pictures.entropy)
    ),
    "What they write": Look(draw_written, (inside.written, inside.answered, inside.logits)),
}
text = sections("inside")

st.title("Inside")
write(text["intro"])
chosen = choose_run(text)
look = choose_look("ins_look", LOOKS)
look_place = st.container()
draw.draw_hint(chosen, text)
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(Heads.probabilities, inside.entropies)

st.subheader("Exercise")
draw.draw_exercise(text)

draw.draw_origin(chosen, text)


@fragment
def changing() -> None:
    """All that the controls of a look change, and only that."""
    with look_place:
        look.draw(chosen, text)


changing()
