"""The list of pages, and the icon of all of them."""

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
    return st.Page("app_pages/home.py", title=_("Home"), icon=":material/home:", default=True)


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
            st.Page("app_pages/lab.py", title=_("Lab"), icon=":material/science:"),
            st.Page("app_pages/inside.py", title=_("Inside"), icon=":material/biotech:"),
            st.Page("app_pages/own.py", title=_("Write your own"), icon=":material/edit:"),
            st.Page("app_pages/models.py", title=_("Inspect a model"), icon=":material/search:"),
            st.Page("app_pages/scorecard.py", title=_("Scorecard"), icon=":material/table_chart:"),
            st.Page("app_pages/claims.py", title=_("Claims, checked"), icon=":material/fact_check:"),
            st.Page("app_pages/catalogue.py", title=_("Catalogue"), icon=":material/menu_book:"),
            st.Page("app_pages/selftest.py", title=_("Self-test"), icon=":material/quiz:"),
            st.Page("app_pages/mend.py", title=_("Mend it"), icon=":material/build:"),
            st.Page("app_pages/lectures.py", title=_("Lectures"), icon=":material/co_present:"),
            st.Page("app_pages/poll.py", title=_("The room answers"), icon=":material/how_to_vote:"),
            st.Page("app_pages/privacy.py", title=_("Privacy"), icon=":material/lock:"),
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
    return st.Page(f"app_pages/{name}.py", title=f"{number(name)} · {_(title)}", icon=icon)
