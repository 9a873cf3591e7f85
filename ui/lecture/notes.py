"""The window of the lecturer's notes: it follows the window that presents, in the browser and without the server."""

import streamlit as st

from ui.frame.browser import component
from ui.lecture.presenting import STYLE, told
from ui.lecture.scenes import Lecture

_KEY = "lecture_notes"
_NOTES = component(__file__, _KEY, html='<div class="lecture lecture-notes"></div>')


def draw_notes(lecture: Lecture | None, url_path: str) -> None:
    """Draw the notes of the scene that another window of this browser presents.

    That window also says what the lecture is, where this session does not know it.
    """
    st.html(STYLE)
    _NOTES(key=_KEY, data=told(lecture or Lecture("", 1), url_path))
