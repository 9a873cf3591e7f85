"""Learned: a table of free vectors before, during and after training, and what lies past the rows that were trained."""

import streamlit as st

from pe_core.chapters import gallery, learned
from pe_core.encodings.learned import rows
from pe_core.lab.inspection import amounts, learned_table
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control
from ui.widgets.prose import show_source

LOOKS = ("Past the end", "One row", "Lengths", "Movement", "Data")

text = open_page("learned", "Learned")


@fragment
def steps_of_training() -> None:
    """Draw the table at a step of training, and a closer look."""
    above, controls = first_screen(below=True)
    with controls:
        step = control(learned.STEP)
    table, similarity = picture(learned.table, step=step), picture(learned.similarity, step=step)
    with above:
        left, right = st.columns(2)
        table.chart("lrn_table", text("table-alternative", table.facts), height=420, place=left)
        similarity.chart(
            "lrn_similarity", text("similarity-alternative", table.facts, similarity.facts), height=420, place=right
        )
    st.markdown(text("look"))
    st.markdown(text(table.facts["state"], table.facts, similarity.facts))
    st.markdown(text("about"))
    st.markdown(text("marks", facts_of(learned.marked)))

    with closer_look("lrn_look", LOOKS, text) as look:
        match look:
            case "Past the end":
                past_end = picture(learned.past_end, step=step)
                st.markdown(text(past_end.facts["verdict"], past_end.facts))
                past_end.chart("lrn_past_end", text("past-end-alternative", past_end.facts), height=420)
                show_source(learned.past_end, learned_table.measure)
            case "One row":
                cosines = picture(learned.row, step=step, number=control(learned.ROW))
                st.markdown(text.paragraph(("row", cosines.facts["never"], "row-waves"), cosines.facts))
                cosines.chart("lrn_row_cosines", text("row-alternative", cosines.facts))
                show_source(learned.row, learned.cosines)
            case "Lengths":
                lengths = picture(learned.lengths, step=step)
                st.markdown(text("lengths", lengths.facts))
                lengths.chart("lrn_lengths", text("lengths-alternative", lengths.facts))
                show_source(learned.lengths, learned.row_lengths)
            case "Movement":
                movement = picture(learned.movement, step=step)
                st.markdown(text(movement.facts["verdict"], movement.facts))
                movement.chart("lrn_movement", text("movement-alternative", movement.facts))
                show_source(learned.movement, learned.turned, learned.moved, learned_table.decay)
            case "Data":
                trained = facts_of(gallery.whole_texts, encodings=("learned", "sinusoidal"))
                data = facts_of(learned.data)
                by_amount = picture(learned.by_amount)
                st.markdown(text("data", trained, data))
                st.markdown(text.paragraph(("amounts", by_amount.facts["enough"]), by_amount.facts))
                by_amount.chart("lrn_amounts", text("amounts-alternative", by_amount.facts), height=360)
                st.markdown(text("data-bert", data))
                show_source(learned.by_amount, amounts.train_amounts, amounts.part_of, gallery.whole_texts)


steps_of_training()
mathematics(text, rows, learned_table.train_table, learned.table, learned.similarity)
exercise(text, "lrn_guess", 0, learned.ASKED_LENGTH - 1, learned.row_of_a_squeezed_text)
st.markdown(text("origin", facts_of(learned.origin)))
beside = {"encodings": ["learned", "sinusoidal", "rope", "alibi"]}
st.page_link("pages/lab.py", label=text("in-the-lab"), icon=":material/science:", query_params=beside)
close_page(text)
