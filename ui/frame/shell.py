"""The list of pages, the icon of all of them, and the guard for deep links."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pe_core.chapters.course import number
from ui.language.words import _, language

# The bytes themselves: Streamlit would read and write a file anew in every run.
ICON = "data:image/png;base64," + b64encode((Path(__file__).parents[2] / "content/icon.png").read_bytes()).decode()


def home() -> StreamlitPage:
    """Return the page that is opened where a link names none."""
    return st.Page("pages/home.py", title=_("Home"), icon=":material/home:", default=True)


def page_list() -> Mapping[str, Sequence[StreamlitPage]]:
    """Return the pages by section, first the course in its order.

    Every url_path is the file's name, so that links work before the shell has run.
    """
    return {
        "": [home()],
        _("Course"): [
            _chapter("why_position", "Why position", ":material/shuffle:"),
            _chapter("requirements", "Requirements", ":material/checklist:"),
            _chapter("counting", "Counting", ":material/pin:"),
            _chapter("binary_vs_sinusoid", "Binary against sinusoid", ":material/toggle_on:"),
            _chapter("sinusoidal", "Sinusoidal", ":material/waves:"),
            _chapter("learned", "Learned", ":material/school:"),
            _chapter("rope", "RoPE", ":material/rotate_right:"),
            _chapter("biases", "Relative biases", ":material/trending_down:"),
            _chapter("windows", "Windows and sinks", ":material/window:"),
            _chapter("extension", "Context extension", ":material/expand:"),
            _chapter("images", "Images and video", ":material/grid_on:"),
            _chapter("gallery", "Gallery", ":material/collections_bookmark:"),
        ],
        _("Reference"): [
            st.Page("pages/lab.py", title=_("Lab"), icon=":material/science:"),
            st.Page("pages/inside.py", title=_("Inside"), icon=":material/biotech:"),
            st.Page("pages/own.py", title=_("Write your own"), icon=":material/edit:"),
            st.Page("pages/models.py", title=_("Inspect a model"), icon=":material/search:"),
            st.Page("pages/scorecard.py", title=_("Scorecard"), icon=":material/table_chart:"),
            st.Page("pages/claims.py", title=_("Claims, checked"), icon=":material/fact_check:"),
            st.Page("pages/catalogue.py", title=_("Catalogue"), icon=":material/menu_book:"),
            st.Page("pages/selftest.py", title=_("Self-test"), icon=":material/quiz:"),
            st.Page("pages/mend.py", title=_("Mend it"), icon=":material/build:"),
            st.Page("pages/lectures.py", title=_("Lectures"), icon=":material/co_present:"),
            st.Page("pages/poll.py", title=_("The room answers"), icon=":material/how_to_vote:"),
            st.Page("pages/privacy.py", title=_("Privacy"), icon=":material/lock:"),
        ],
    }


def linked() -> Mapping[str, StreamlitPage]:
    """Return the pages by the names of their files, to link to; they are made once for each language.

    One that is to be run is made anew: it notes whether it may be.
    """
    return _linked(language())


@cache
def _linked(_language: str) -> Mapping[str, StreamlitPage]:
    return {page.url_path or "home": page for section in page_list().values() for page in section}


def _chapter(name: str, title: str, icon: str) -> StreamlitPage:
    """Return the page of a chapter, with its number in the course before its title."""
    return st.Page(f"pages/{name}.py", title=f"{number(name)} · {_(title)}", icon=icon)


def enter_shell() -> None:
    """Note that this run came through `app.py`; `ensure_shell` takes the note away again."""
    st.session_state["_in_shell"] = True


def ensure_shell() -> None:
    """Send a run that started in a page file through `app.py` first; the first line of every page.

    On a fresh server a deep link runs the file in `pages/` itself, without the frame, until some run has called
    `st.navigation`.
    """
    if not st.session_state.pop("_in_shell", False):
        st.navigation(page_list(), position="hidden")
        st.rerun()
