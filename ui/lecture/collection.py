"""The scenes that a session collects for a lecture of its own, and the control that adds the view of a page."""

from dataclasses import replace

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.language.words import _
from ui.lecture.scenes import MAX_SCENES, OURS, Lecture, Scene
from ui.widgets.prose import Text

_KEPT = "_lecture_collected"
LABEL = "Add this view to a lecture"
MINUTES = 3.0  # of a scene that is new


def collected() -> Lecture:
    """Return the lecture that this session puts together; it has no scene at first."""
    lecture: Lecture = st.session_state.get(_KEPT, Lecture("My lecture", 45))
    return lecture


def keep(lecture: Lecture) -> None:
    """Keep the lecture that this session puts together."""
    st.session_state[_KEPT] = lecture


def view(page: StreamlitPage) -> Scene:
    """Return the page as it is now as a scene, whose sentence is the page's title."""
    said = [(name, value) for name in st.query_params for value in st.query_params.get_all(name) if name not in OURS]
    return Scene(page.url_path or "home", tuple(said), page.title, "", MINUTES)


def offer(page: StreamlitPage) -> None:
    """Draw the control that adds the view to the collection, and say that it was added."""
    icon = ":material/playlist_add:"
    if not st.button(_(LABEL), key="lecture_add", icon=icon, type="tertiary"):
        return
    text, lecture = Text("lectures"), collected()
    if len(lecture.scenes) >= MAX_SCENES:
        st.toast(text("full", {"most": MAX_SCENES}), icon=icon)
    else:
        keep(replace(lecture, scenes=(*lecture.scenes, view(page))))
        st.toast(text("added", {"number": len(lecture.scenes) + 1}), icon=icon)
