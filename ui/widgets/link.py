"""What a link says beside the widgets that Streamlit binds to it, and what is said of a link that asks for too much."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.language.words import _

_notes: ContextVar[DeltaGenerator | None] = ContextVar("notes", default=None)  # where warnings of the link are put
WRITTEN = "_link_of_"  # where a session keeps what it has written into the link itself, by name


def newly_linked(name: str) -> list[str]:
    """Return what a link that was followed has under this name: the session has not written it itself."""
    asked = st.query_params.get_all(name)
    return [] if asked == st.session_state.get(WRITTEN + name) else asked


def recall(name: str, parse: Callable[[str], object], instead: str = "the question without an answer") -> None:
    """Put into the session what a link that was followed has under this name.

    What `parse` refuses is named, and nothing is there any more; `instead` says what is shown then.
    """
    if linked := newly_linked(name):
        try:
            st.session_state[name] = parse(linked[-1])
        except ValueError as error:
            st.session_state.pop(name, None)
            say_instead(str(error), instead)


def remember(name: str, values: Sequence[str]) -> None:
    """Write values into the link under this name, or take the name out of it where there are none."""
    if list(values) != st.query_params.get_all(name):
        if values:
            st.query_params[name] = values
        else:
            del st.query_params[name]
    st.session_state[WRITTEN + name] = list(values)


def literal(text: str) -> str:
    """Return a text that came with a link as code: Markdown would make links and colours of it."""
    return f"`{text.replace('`', chr(39))}`"


def say_instead(problem: str, instead: str) -> None:
    """Say that a value of the link, or of a field, is not allowed, and what is shown in its place."""
    with _notes.get() or nullcontext():
        st.warning(_(f"This cannot be shown: {literal(_(problem))}. Shown instead: {_(instead)}."))


@contextmanager
def warnings_in(place: DeltaGenerator) -> Iterator[None]:
    """Put warnings of the link there, where the controls themselves are folded away."""
    before = _notes.set(place)
    try:
        yield
    finally:
        _notes.reset(before)
