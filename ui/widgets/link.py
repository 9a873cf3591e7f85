"""What a link says beside the widgets that Streamlit binds to it, and what is said of a link that asks for too much."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.parameters import MAX_SHOWN, Choice
from ui.language.words import _

_notes: ContextVar[DeltaGenerator | None] = ContextVar("notes", default=None)  # where warnings of the link are put


def follow_link(name: str) -> None:
    """Forget the session's choice where the link names another one than it was given: the visitor followed a link."""
    asked = st.query_params.get_all(name)
    if asked and asked != st.session_state.get(f"_link_of_{name}"):
        st.session_state.pop(name, None)


def write_link(name: str, values: list[str]) -> None:
    """Write the values of a name into the link, or take the name out of it where there are none."""
    if values:
        st.query_params[name] = values
    else:
        st.query_params.pop(name, None)
    st.session_state[f"_link_of_{name}"] = values


def asked_by_link(choice: Choice) -> str:
    """Return what the link asks for once, empty if nothing, and take it out of the link.

    A key that does not exist is named in a warning.
    """
    name, key = choice.name, st.query_params.pop(choice.name, "")
    if key and key not in choice.titles:
        warn_of_link(f"{name} must be one of {', '.join(choice.titles)}, got {key[:MAX_SHOWN]}", "the page as it is")
        return ""
    return str(key)


def recall(name: str, parse: Callable[[str], object]) -> None:
    """Bring back the answer that a link has under this name; one that `parse` refuses is named, and none is there."""
    follow_link(name)
    text = st.query_params.get(name)
    if text is None or name in st.session_state:
        return
    try:
        st.session_state[name] = parse(text)
    except ValueError as error:
        warn_of_link(str(error), "the question without an answer")


def remember(name: str, answers: Sequence[str]) -> None:
    """Write answers, if there are any, into the link under this name."""
    if list(answers) != st.query_params.get_all(name) or f"_link_of_{name}" not in st.session_state:
        write_link(name, list(answers))


def newly_linked(name: str) -> list[str]:
    """Return the answers that a link has under this name, where the session has not written them itself."""
    asked = st.query_params.get_all(name)
    return [] if asked == st.session_state.get(f"_link_of_{name}") else asked


def literal(text: str) -> str:
    """Return a text that came with a link as code: Markdown would make links and colours of it."""
    return f"`{text.replace('`', chr(39))}`"


def warn_of_link(problem: str, instead: str) -> None:
    """Say that the link holds a value that is not allowed, and what is shown in its place."""
    with _notes.get() or nullcontext():
        told = f"This page cannot show what the link asks for: {literal(_(problem))}. Shown instead: {_(instead)}."
        st.warning(_(told))


def warn_of_field(problem: str, instead: str) -> None:
    """Say that what was typed into a field of the page is not allowed, and what is shown in its place."""
    with _notes.get() or nullcontext():
        st.warning(_(f"This cannot be shown: {literal(_(problem))}. Shown instead: {_(instead)}."))


def is_typed(name: str, text: str) -> bool:
    """Return whether what the link has under this name was put there by its field: the visitor followed no link."""
    typed = st.session_state.get(name)
    return typed is not None and text in (str(typed), f"{typed:g}" if isinstance(typed, float) else "")


@contextmanager
def warnings_in(place: DeltaGenerator) -> Iterator[None]:
    """Put warnings of the link there, where the controls themselves are folded away."""
    before = _notes.set(place)
    try:
        yield
    finally:
        _notes.reset(before)
