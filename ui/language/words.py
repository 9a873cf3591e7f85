"""The words of a page in the visitor's language."""

import streamlit as st

from pe_core.translation import ENGLISH, speaking
from pe_core.wrapping import kept_together

CHOSEN = "_language"  # where a session keeps the visitor's language


def language() -> str:
    """Return the language in which this visitor reads, by its key."""
    return str(st.session_state.get(CHOSEN, ENGLISH))


def _(text: str) -> str:
    """Return a text in the visitor's language; one that its catalogue does not know stays English.

    No line of what is translated ends within a short equation, or between a number and what it counts.
    """
    said = speaking(language())(text)
    return text if said == text else kept_together(said)
