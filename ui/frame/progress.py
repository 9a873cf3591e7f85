"""The course in the sidebar: how many chapters this session has seen, and the short path."""

import streamlit as st

from pe_core.chapters.course import COURSE, SHORT
from ui.frame.shell import page_list

SEEN = "_chapters_seen"  # where a session keeps the pages of the chapters that it has opened


def follow_course(page: str) -> None:
    """Note that a page, by its name, was opened, and show in the sidebar how far the course has come."""
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    if page in COURSE:
        seen.add(page)
    with st.sidebar:
        st.progress(len(seen) / len(COURSE), text=f"{len(seen)} of {len(COURSE)} chapters")
        minutes = sum(stop.minutes for stop in SHORT)
        block = st.popover(
            f"Short path: {minutes} minutes", icon=":material/timer:", key="short_path", on_change="rerun"
        )
        if block.open:  # what is folded is not there
            with block:
                short_path()


def short_path() -> None:
    """Draw a link to each page of the short path, with the minutes that each of its stops takes."""
    pages = {one.url_path or "home": one for section in page_list().values() for one in section}
    for stop in SHORT:
        first, *others = stop.pages
        st.page_link(pages[first], label=f"{stop.title} · {stop.minutes} min", icon=pages[first].icon)
        for other in others:
            st.page_link(pages[other], label=f"then {pages[other].title}", icon=pages[other].icon)
