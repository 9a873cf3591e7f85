"""Counting: the position itself as an encoding, whole or as a fraction of the sentence, and what each breaks."""

import streamlit as st

from pe_core.chapters import counting, gallery
from pe_core.encodings import index
from pe_core.measures import index as measures
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

LOOKS = ("Drowning", "LayerNorm", "Rounding", "In training")

text = open_page("counting", "Counting")


@fragment
def sentences() -> None:
    """Draw two sentences by their two indices, and a closer look."""
    above, controls = first_screen()
    with controls:
        first, second = row(counting.FIRST, counting.SECOND)
    words = picture(counting.number_line, first=first, second=second)
    words.chart("cnt_words", text("words-alternative", words.facts), height=380, place=above)
    st.markdown(text("look"))
    st.markdown(text(words.facts["integer"], words.facts))
    st.markdown(text(words.facts["normalised"], words.facts))

    with closer_look("cnt_look", LOOKS, text) as look:
        match look:
            case "Drowning":
                width = control(counting.WIDTH)
                left = picture(counting.drowning, second=second, width=width)
                st.markdown(text("drowning", left.facts))
                left.chart("cnt_drowning", text("drowning-alternative", left.facts))
                show_source(counting.drowning, counting.left, measures.left_of_token)
            case "LayerNorm":
                width = control(counting.WIDTH)
                norms = picture(counting.norms, width=width)
                st.markdown(text("norms", norms.facts))
                norms.chart("cnt_norms", text("norms-alternative", norms.facts), height=420)
                show_source(counting.norms, counting.norm_changes, measures.layer_norm, measures.rms_norm)
            case "Rounding":
                length, precision = row(counting.LENGTH, counting.PRECISION)
                rounding = picture(counting.rounding, length=length, precision=precision)
                st.markdown(text(rounding.facts["rounding"], rounding.facts))
                rounding.chart("cnt_rounding", text("rounding-alternative", rounding.facts))
                show_source(counting.rounding, measures.rounded, measures.different_so_far)
            case "In training":
                encodings = ("none", "integer", "normalised", "sinusoidal")
                st.markdown(text("training", facts_of(gallery.whole_texts, encodings=encodings)))
                show_source(gallery.whole_texts)


sentences()
mathematics(text, index.table, counting.number_line, measures.common_values)
exercise(text, "cnt_guess", 0, counting.LONG - 1, counting.word_with_the_same_index)
close_page(text)
