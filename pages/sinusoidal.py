"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions."""

import streamlit as st

from pe_core.encodings import sinusoidal
from pe_core.figures.heatmap import heatmap
from pe_core.parameters import Parameter
from ui.controls import reject_bad_link
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.sinusoidal_example import example_tab, exercise
from ui.sinusoidal_relations import layouts_tab, shift_tab, similarity_tab
from ui.sinusoidal_table import choose, show_table
from ui.sinusoidal_waves import clocks_tab, first_tab, wavelengths_tab, waves_tab
from ui.source import show_source

ensure_shell()

TABS = {
    "Waves": waves_tab,
    "Wavelengths": wavelengths_tab,
    "Clock hands": clocks_tab,
    "First positions": first_tab,
    "Similarity": similarity_tab,
    "Shift matrix": shift_tab,
    "Worked example": example_tab,
    "Layouts": layouts_tab,
}
text = sections("sinusoidal")

st.title("Sinusoidal encoding")
write(text["intro"])


@st.fragment
def explorer() -> None:
    """Everything that the four controls decide, so that a step of a slider reruns this and no more."""
    chosen = choose(text)
    show_table(chosen, text)

    reject_bad_link(Parameter("topic", "Topic", next(iter(TABS)), "", choices=tuple(TABS)))
    tabs = st.tabs(list(TABS), key="topic", on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, TABS.values(), strict=True):
        if tab.open:  # the others cost nothing
            with tab:
                draw(chosen, text)

    st.subheader("The mathematics")
    write(text["mathematics"])
    show_source(sinusoidal.frequencies, sinusoidal.table, heatmap)

    st.subheader("Exercise")
    exercise(chosen, text)


explorer()
