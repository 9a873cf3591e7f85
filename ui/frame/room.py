"""How a page uses the room of its window: little above the first picture, its controls beside or below it.

The toolbar of a picture stands below it, where nothing else is. Streamlit does not tell the server how wide a window
is, so the browser decides, by the rules of room.css; `first_screen` marks what they are about.
"""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.language.words import _

SCREEN, BELOW = "first_screen", "first_screen_below"
PICTURE, CONTROLS = "first_picture", "first_controls"
PREDICTION = "prediction"
LOOK = "closer_look"
LINES, WALL = "lines_", "cat_wall_place"
AROUND = "picture_of_"  # begins the key of what stands around a picture
KEEPS_SIZE, MOVES = "keeps_size_", "moves_"  # around that of one that has sizes of its own, and of one with a slider
COURSE_HEAD, COURSE_WORDS, COURSE_LINE = "course_head", "course_words", "course_line"

# A block that is there on telephones only: as long as it is closed, the first control alone is shown.
FOLD = "<details><summary>{}</summary></details>"
_STYLE = Path(__file__).with_name("room.css")


def first_screen(*, below: bool = False) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw the places of a page's first picture and of the controls that change it, and return both; once a page.

    Wide windows have the controls beside the picture, or `below` it.
    """
    with st.container(key=BELOW if below else SCREEN):
        picture, controls = st.container(key=PICTURE), st.container(key=CONTROLS)
    controls.html(FOLD.format(_("More controls")))
    return picture, controls


def use_room() -> None:
    """Lay pages out so that the first picture and its main control stand on the first screen."""
    st.html(_STYLE)
