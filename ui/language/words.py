"""The words of a page in the visitor's language."""

import streamlit as st

from pe_core.translation import ENGLISH, speaking

CHOSEN = "_language"  # where a session keeps the visitor's language


def language() -> str:
    """Return the language in which this visitor reads, by its key."""
    said: str = st.session_state.get(CHOSEN, ENGLISH)
    return said


def _(text: str) -> str:
    """Return a text in the visitor's language; one that its catalogue does not know stays English."""
    return speaking(language())(text)
