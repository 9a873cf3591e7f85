"""Inside: what trained models attend to, how attention spreads, and what they write past their training length."""

import streamlit as st

from pe_core.chapters import inside as pictures
from pe_core.lab.experiment.model import Heads
from pe_core.lab.inspection import inside
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.inside import page as draw
from ui.inside.entropy import draw_entropy
from ui.inside.run import choose_run
from ui.inside.written import draw_written
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

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
