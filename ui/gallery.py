"""What the gallery has to say on other pages: losses of several seeds, before anything is trained there."""

from collections.abc import Sequence

import streamlit as st

from pe_core.chapters import gallery
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from ui.widgets.charts import picture
from ui.widgets.prose import Text


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
