"""From page to page: every page opens at its top, and has the links to its neighbours at its foot."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.frame.browser import component

_NAME = "to_the_top"
_TOP = component(__file__, _NAME)


def open_at_top(page: StreamlitPage) -> None:
    """Open a page at its top; it stands before the page, and stays where it is on the next one."""
    _TOP(key=_NAME, data={"page": page.url_path})


def link_neighbours(
    page: StreamlitPage, pages: Mapping[str, Sequence[StreamlitPage]], between: Callable[[StreamlitPage], None]
) -> None:
    """Draw the links to the pages before and after a page, and between them what `between` draws of it."""
    row = [other for section in pages.values() for other in section]
    place = [other.url_path for other in row].index(page.url_path)
    before, middle, after = st.columns(3)
    with middle:
        between(page)
    if place > 0:
        before.page_link(row[place - 1], icon=":material/arrow_back:")
    if place + 1 < len(row):
        after.page_link(row[place + 1], icon=":material/arrow_forward:")
