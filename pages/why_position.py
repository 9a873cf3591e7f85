"""Why position: attention without an encoding gives a word the same output wherever it stands."""

import streamlit as st

from pe_core.chapters import why_position
from pe_core.measures import order
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

text = open_page("why_position", "Why position")


@fragment
def two_orders() -> None:
    """Draw how far the outputs of words change in another order."""
    above, controls = first_screen()
    with controls:
        moved = st.container()  # the order is the main control, and its words are asked for below it
        sentence = control(why_position.SENTENCE)
        with moved:
            places, encoding = row(*why_position.order_and_encoding(sentence))
    changes = picture(why_position.changes, sentence=sentence, encoding=encoding, places=places)
    changes.chart("order_changes", text("changes-alternative", changes.facts), height=340, place=above)
    st.markdown(text("look", changes.facts))
    st.markdown(text("orders", changes.facts))
    st.markdown(text(changes.facts["verdict"], changes.facts))
    st.markdown(text("more"))
    st.markdown(text("equivariant", facts_of(why_position.pooled, sentence=sentence, places=places)))


two_orders()
show_source(order.attention, order.recurrent, order.convolution, order.change)
mathematics(text)
exercise(text, "why_guess", 0, len(why_position.ASKED), why_position.words_that_notice)
close_page(text)
