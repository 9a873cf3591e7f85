"""An exercise at the end of a page: a question, a number from the visitor, and what was computed."""

from collections.abc import Mapping

import streamlit as st

from ui.widgets.prose import fill, write


def ask(text: Mapping[str, str], key: str, lowest: int, highest: int) -> int | None:
    """Draw the question and the field for a whole number; return the number, or None while there is none.

    The sections `exercise` and `exercise-label` of the page's text hold the words.
    """
    write(text["exercise"])
    guess: int | None = st.number_input(
        text["exercise-label"], lowest, highest, value=None, key=key, width=320, persist_state="session"
    )
    return guess


def judge(text: Mapping[str, str], right: bool, facts: Mapping[str, object]) -> None:
    """Say whether the number was right, with what was computed: section `exercise-right` or `exercise-wrong`."""
    if right:
        st.success(fill(text["exercise-right"], facts))
    else:
        st.warning(fill(text["exercise-wrong"], facts))
