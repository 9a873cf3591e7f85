"""The catalogue: every encoding, scaling rule, mask and index remap, with its picture, its formula and its code."""

import streamlit as st

from ui.catalogue.page import choose, choose_values, describe, documents, draw_exercise, parts
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

text = sections("catalogue")

st.title("Catalogue")
write(text["intro"])
kind, entry = choose()
describe(entry, text)
picture_place = st.container()

st.subheader("The mathematics")
for paragraph in documents(kind, entry):
    write(paragraph)
show_source(*parts(kind.maker(entry)))


st.subheader("Exercise")
exercise_place = st.container()


@fragment
def show_pictures() -> None:
    """All that the sliders change, and only that."""
    with picture_place:
        values = choose_values(kind, entry)
        try:
            question = kind.draw(entry, values, text)
        except ValueError as error:
            st.error(str(error))
            return
    with exercise_place:
        draw_exercise(kind, entry, question, text)


show_pictures()
