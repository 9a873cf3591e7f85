"""The words of a page in the visitor's language."""

import streamlit as st

from ui.language.catalogue import CONTENT, catalogue

ENGLISH = "en"
# A folder each, whose file `name` holds what the language calls itself; English first.
LANGUAGES = {
    path.parent.name: path.read_text(encoding="utf-8").strip()
    for path in sorted(CONTENT.glob("*/name"), key=lambda path: (path.parent.name != ENGLISH, path))
}
CHOSEN = "_language"  # where a session keeps the visitor's language


def language() -> str:
    """Return the language in which this visitor reads, by its key."""
    said: str = st.session_state.get(CHOSEN, ENGLISH)
    return said


def _(text: str) -> str:
    """Return a text in the visitor's language; one that its catalogue does not know stays English."""
    known = catalogue(language())
    return known.say(text) if known else text
