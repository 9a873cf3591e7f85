"""The part of a presented page that lives in the browser: keys, the sentence, the timer, and the window of notes.

The server draws a scene as it draws any link; from scene to scene the browser goes by its own history, so that what a
link says wins over what the session has set. What was set on a scene is in its address when it is left, and is kept
with the window. All texts of a lecture are put in as text, never as HTML.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui.frame.browser import component
from ui.frame.turns import fragment
from ui.language.words import _


def words() -> dict[str, str]:
    """Return what the browser says itself, in the visitor's language."""
    said = {
        "clock": "# of #",
        "begun": "not begun",
        "ends": "# of #; this scene ends at #",
        "waiting": "Waiting for the window that presents this lecture.",
        "next": "Next: #",
        "last": "This is the last scene.",
    }
    return {name: _(one) for name, one in said.items()}


_KEY = "lecture_remote"
_HEAD = '<div class="lecture lecture-head"><div class="lecture-words"></div><div class="lecture-foot"></div></div>'
_REMOTE = component(__file__, _KEY, html=_HEAD)


def draw(told: Mapping[str, Any]) -> None:
    """Draw the sentence of the scene and let the presenter's keys lead through the lecture; it stands before the page.

    It is in a fragment of its own, so that a further sentence leaves the picture as it is.
    """

    @fragment
    def remote() -> None:
        _REMOTE(key=_KEY, data=told, on_reveal_change=_note)

    remote()


def _note() -> None:
    """Write into the link how many further sentences are shown; the browser has done so already."""
    reveal = st.session_state[_KEY].reveal
    if isinstance(reveal, int) and not isinstance(reveal, bool) and 0 < reveal < 100:
        st.query_params["reveal"] = str(reveal)
    else:
        st.query_params.pop("reveal", None)
