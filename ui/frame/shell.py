"""The frame around every page: the list of pages, and the guard for deep links."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

SHOWN = "_pictures"  # where a session keeps what the page shows


def page_list() -> Mapping[str, Sequence[StreamlitPage]]:
    """Return the pages by section; every url_path is the file's name, so that links work before the shell has run."""
    return {
        "": [st.Page("pages/home.py", title="Home", icon=":material/home:", default=True)],
        "Absolute positions": [
            st.Page("pages/why_position.py", title="Why position", icon=":material/shuffle:"),
            st.Page("pages/counting.py", title="Counting", icon=":material/pin:"),
            st.Page("pages/binary_vs_sinusoid.py", title="Binary against sinusoid", icon=":material/toggle_on:"),
            st.Page("pages/sinusoidal.py", title="Sinusoidal", icon=":material/waves:"),
            st.Page("pages/learned.py", title="Learned", icon=":material/school:"),
        ],
        "Relative positions": [
            st.Page("pages/rope.py", title="RoPE", icon=":material/rotate_right:"),
            st.Page("pages/biases.py", title="Relative biases", icon=":material/trending_down:"),
            st.Page("pages/windows.py", title="Windows and sinks", icon=":material/window:"),
        ],
        "Longer and wider": [
            st.Page("pages/extension.py", title="Context extension", icon=":material/expand:"),
            st.Page("pages/models.py", title="Inspect a model", icon=":material/search:"),
            st.Page("pages/images.py", title="Images and video", icon=":material/grid_on:"),
        ],
        "Training": [
            st.Page("pages/gallery.py", title="Gallery", icon=":material/collections_bookmark:"),
            st.Page("pages/own.py", title="Write your own", icon=":material/edit:"),
            st.Page("pages/lab.py", title="Lab", icon=":material/science:"),
            st.Page("pages/inside.py", title="Inside", icon=":material/biotech:"),
        ],
        "Proof": [
            st.Page("pages/scorecard.py", title="Scorecard", icon=":material/table_chart:"),
            st.Page("pages/claims.py", title="Claims, checked", icon=":material/fact_check:"),
            st.Page("pages/selftest.py", title="Self-test", icon=":material/quiz:"),
            st.Page("pages/catalogue.py", title="Catalogue", icon=":material/menu_book:"),
            st.Page("pages/lectures.py", title="Lectures", icon=":material/co_present:"),
        ],
    }


def enter_shell() -> None:
    """Note that this run came through `app.py`; `ensure_shell` takes the note away again. No picture is shown yet."""
    st.session_state["_in_shell"] = True
    st.session_state[SHOWN] = {}


def ensure_shell() -> None:
    """Send a run that started in a page file through `app.py` first; the first line of every page.

    On a fresh server a deep link runs the file in `pages/` itself, without the frame, until some run has called
    `st.navigation`.
    """
    if not st.session_state.pop("_in_shell", False):
        st.navigation(page_list(), expanded=True)
        st.rerun()
