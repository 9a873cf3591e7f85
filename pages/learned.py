"""Learned: a table of free vectors before, during and after training, and what lies past the rows that were trained."""

import streamlit as st

from pe_core.chapters import learned as pictures
from pe_core.encodings import learned
from pe_core.lab.inspection import learned_table
from pe_core.measures import table_rows as measures
from ui import learned as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Past the end": Look(draw.draw_past_end, (pictures.past_end, learned_table.measure)),
    "One row": Look(draw.draw_row, (pictures.row, measures.cosines)),
    "Lengths": Look(draw.draw_lengths, (pictures.lengths, measures.lengths)),
    "Movement": Look(draw.draw_movement, (pictures.movement, measures.turned, measures.moved, learned_table.decay)),
}
text = sections("learned")

st.title("Learned")
write(text["intro"])
table_place = st.container()
write(text["look"])

look = choose_look("lrn_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(learned.rows, learned_table.train_table, pictures.table, pictures.similarity)

st.subheader("Exercise")
draw.draw_exercise(text)

draw.draw_origin(text)


@fragment
def changing() -> None:
    """All that the controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with table_place:
        chosen = draw.choose()
        draw.draw_table(chosen, text)
    with look_place:
        look.draw(chosen, text)


changing()
