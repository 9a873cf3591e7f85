"""The words of a page in the visitor's language."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pe_core.translation import ENGLISH, speaking
from pe_core.wrapping import kept_together

CHOSEN = "_language"  # where a session keeps the visitor's language


class _Thread(threading.local):
    """What a thread that draws knows of the language: whether it stays the same, and which it is once it was asked."""

    stays = False
    found = ""


_thread = _Thread()


@contextmanager
def one_language() -> Iterator[None]:
    """Look the language up once: it stays while a page is drawn, which asks some hundred times, and Streamlit locks."""
    _thread.stays, _thread.found = True, ""
    try:
        yield
    finally:
        _thread.stays = False


def language() -> str:
    """Return the language in which this visitor reads, by its key."""
    if _thread.stays and _thread.found:
        return _thread.found
    _thread.found = str(st.session_state.get(CHOSEN, ENGLISH))
    return _thread.found


def _(text: str) -> str:
    """Return a text in the visitor's language; one that its catalogue does not know stays English.

    No line of what is translated ends within a short equation, or between a number and what it counts.
    """
    said = speaking(language())(text)
    return text if said == text else kept_together(said)
