"""What the models on the page Inside read: the visitor's text, or else what the run itself would give them."""

from collections.abc import Mapping

import streamlit as st

from pe_core.chapters import inside as pictures
from pe_core.lab.inspection.sample_input import SampleInput, sample_input
from pe_core.parameters import require
from ui.inside.run import Chosen
from ui.widgets.controls import warn_of_link
from ui.widgets.prose import write


def choose_text(chosen: Chosen, length: int, text: Mapping[str, str]) -> str:
    """Draw the field of the visitor's text and return at most `length` symbols of what is read.

    It is the text of the visitor, or that of the run where the field is empty or cannot be read.
    """
    own = typed(chosen, text)
    if own:
        return own[:length]
    found = sample_input(chosen.run, length)
    say_origin(found, text)
    return found.text


def say_origin(found: SampleInput, text: Mapping[str, str]) -> None:
    """Say what is read in the place of an own text, which is never kept."""
    if note := text.get(f"read-{found.origin}"):
        write(note)


def typed(chosen: Chosen, text: Mapping[str, str]) -> str:
    """Draw the field of the visitor's text and return it; nothing, with the reason, where it cannot be read."""
    run = chosen.run
    of = "-task" if chosen.task else ""
    own = st.text_input(
        text[f"text-label{of}"],
        key="ins_text",
        help=text[f"text-help{of}"],
        max_chars=pictures.longest(run),
        bind="query-params",
    )
    if not own:
        return ""
    try:
        require(len(own) >= 2, "text", f"have at least 2 {run.unit}s", len(own))
        run.tokens(own)
    except ValueError as error:
        warn_of_link(str(error), "an example of the task" if chosen.task else "held-out text")
        return ""
    return own


def percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{100 * share:.0f} %"
