"""What only the sinusoidal page has: a choice of columns that grows with the table, and a solution that is folded."""

import streamlit as st

from pe_core.chapters.sinusoidal_steps import row_to_check
from pe_core.encodings.sinusoidal import Variant
from pe_core.figures.waves import MAX_WAVES
from pe_core.measures.channels import channel, first_channels
from pe_core.parameters import MAX_SHOWN
from ui.language.words import _
from ui.widgets.link import warn_of_link
from ui.widgets.prose import Text


def pick_channels(width: int, base: float, layout: Variant, text: Text) -> tuple[tuple[int, ...], list[str]]:
    """Draw the choice of columns; return them, without a choice a few of the waves, and a sentence on each."""
    offered = [str(index) for index in range(width)]
    asked = st.query_params.get_all("channels")
    if "channels" not in st.session_state and not set(asked) <= set(offered):
        unknown = [index for index in asked if index not in offered]
        warn_of_link(
            f"{text('waves-link', {'last': width - 1})}, got {unknown[0][:MAX_SHOWN]!r}",
            text("waves-placeholder"),
        )
    picked = st.multiselect(
        _("Channels"),
        range(width),
        key="channels",
        max_selections=MAX_WAVES,
        placeholder=text("waves-placeholder"),
        help=text("waves-help"),
        bind="query-params",
    )
    channels = tuple(sorted(picked) or first_channels(width, variant=layout))
    sentences = []
    for index in channels:
        one = channel(index, width, base, variant=layout)
        facts = {"channel": index, "wave": one.wave, "pair": one.pair, "wavelength": one.wavelength}
        sentences.append(text("waves-zero" if one.wave == "zero" else "waves-wave", facts))
    return channels, sentences


def draw_writing(text: Text) -> None:
    """Ask for the module as code, with a row to check it by, and show one way to write it when it is asked for."""
    st.markdown(text("write", row_to_check()))
    solution = st.expander(text("write-title"), icon=":material/code:", key="write_solution", on_change="rerun")
    if solution.open:
        with solution:
            st.markdown(text("write-solution"))
