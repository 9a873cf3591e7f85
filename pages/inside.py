"""Inside: what trained models attend to, how attention spreads, and what they write past their training length."""

import streamlit as st

from pe_core.chapters import inside as chapter
from pe_core.lab.experiment.model import Heads
from pe_core.lab.inspection import inside
from ui.frame.turns import fragment
from ui.inside.looks import draw_attention, draw_entropy, draw_written
from ui.inside.run import choose_run, draw_hint, draw_origin
from ui.page import closer_look, exercise, mathematics, open_page
from ui.widgets.prose import show_source

LOOKS = ("Attention maps", "Entropy", "What they write")

text = open_page("inside", "Inside")
with closer_look("ins_look", LOOKS, text) as look:
    place = st.container()
code = st.container()
chosen = choose_run(text)


@fragment
def one_look() -> None:
    """Draw the closer look at the models that were chosen below it."""
    match look:
        case "Attention maps":
            draw_attention(chosen, text)
        case "Entropy":
            draw_entropy(chosen, text)
        case "What they write":
            draw_written(chosen, text)


with place:
    one_look()
with code:
    match look:
        case "Attention maps":
            show_source(inside.attention, chapter.attention)
        case "Entropy":
            show_source(inside.over_positions, inside.where_asked, inside.fraction_of_even, chapter.entropy)
        case "What they write":
            show_source(inside.written, inside.answered, inside.logits)
if look == "Attention maps":
    draw_hint(chosen, text)
st.markdown(text("about"))
mathematics(text, Heads.probabilities, inside.entropies)
exercise(text, "ins_guess", 0, chapter.MAX_GUESS, chapter.first_faint)
draw_origin(chosen, text)
