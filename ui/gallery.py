"""What only the gallery draws: encodings of the visitor's choice, a table to be sorted, the way into the lab.

And what it has to say on other pages: losses of several seeds, before anything is trained there.
"""

from collections.abc import Sequence

import streamlit as st

from pe_core.chapters import gallery
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from pe_core.parameters import Choices
from ui.widgets.charts import picture
from ui.widgets.controls import control
from ui.widgets.prose import Text
from ui.widgets.tables import in_view, show_rows


def choose_encodings(text: Text) -> tuple[str, ...]:
    """Draw the choice of encodings, and return as many as can be told apart in one picture."""
    titles = {key: ENCODINGS[key].title for key in gallery.gallery_of().runs}
    first = tuple(key for key in gallery.FIRST_SEEN if key in titles)
    chosen = control(Choices("gal_encodings", "Encodings", titles, first, needed=False))
    if len(chosen) > MAX_ENCODINGS:
        st.warning(text("lengths-many", {"most": MAX_ENCODINGS, "n": len(chosen)}))
    return chosen[:MAX_ENCODINGS]


def draw_numbers(multiple: int, measure: str) -> None:
    """Draw all numbers of the ranking as a table that can be sorted."""
    rows = gallery.numbers(multiple, measure)
    show_rows(rows, in_view("Encoding", "Verdict"), key="gal_numbers")


def lead_to_lab(encodings: Sequence[str], text: Text) -> None:
    """Draw a link to the lab with these encodings chosen."""
    st.page_link(
        "pages/lab.py",
        label=text("lab"),
        icon=":material/science:",
        query_params=[("encodings", key) for key in encodings],
    )


def draw_trained(key: str, encodings: Sequence[str] = gallery.FIRST_SEEN) -> None:
    """Draw the loss over the length for some encodings, with bands over their seeds; nothing if it has none of them."""
    text, found = Text("gallery"), gallery.trained()
    chosen = tuple(one for one in encodings if one in found)[:MAX_ENCODINGS]
    if not chosen:
        return
    facts = gallery.several(chosen)
    st.markdown(text("elsewhere", facts))
    picture(gallery.by_length, encodings=chosen).chart(key, text("lengths-alternative", facts), height=400)
    st.page_link("pages/gallery.py", label=text("elsewhere-link", facts), icon=":material/leaderboard:")


def words_of(encoding: str) -> str:
    """Return what became of one encoding in training, in a sentence; that it was not trained, where it was not."""
    facts = gallery.one_encoding(encoding)
    return Text("gallery")(facts["section"], facts)
