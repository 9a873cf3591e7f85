"""From page to page: every page opens at its top, and has the buttons to its neighbours at its foot."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.frame.browser import component

_NAME = "to_the_top"
_TOP = component(__file__, _NAME)


def open_at_top(page: StreamlitPage) -> None:
    """Open a page at its top; it stands before the page, and stays where it is on the next one."""
    _TOP(key=_NAME, data={"page": page.url_path})


def neighbours(page: StreamlitPage, pages: Mapping[str, Sequence[StreamlitPage]]) -> Mapping[str, StreamlitPage]:
    """Return the page "before" a page and the one "after" it, where there is one, out of the pages by section."""
    row = [other for section in pages.values() for other in section]
    place = [other.url_path for other in row].index(page.url_path)
    named = {"before": place - 1, "after": place + 1}
    return {name: row[other] for name, other in named.items() if 0 <= other < len(row)}


def turn_pages(ways: Mapping[str, StreamlitPage], between: Callable[[], None]) -> None:
    """Draw the ways to the `neighbours` of a page, and between them what `between` draws."""
    before, middle, after = st.columns(3)
    with middle:
        between()
    if "before" in ways:
        with before:
            _way(ways["before"], ":material/arrow_back:")
    if "after" in ways:
        with after:
            _way(ways["after"], ":material/arrow_forward:")


def _way(page: StreamlitPage, icon: str) -> None:
    # A key for each page to go to: with one for all, the press would be seen by the next page too, and so on.
    if st.button(page.title, key=f"to_{page.url_path or 'home'}", icon=icon, type="tertiary"):
        st.switch_page(page, query_params={})  # None would ask to clear what is bound to controls, and is refused
