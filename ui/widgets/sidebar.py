"""The sidebar below the list of pages: which chapters this browser has opened, the short path, the glossary.

The browser keeps the chapters in its local storage, so that they are there again after a reload and on another day. A
session has a copy, which it draws at once: what the browser says takes its place where it differs, as it does when a
session begins. The terms of the glossary stand in `content/<language>/glossary.md`.
"""

from pathlib import Path

import streamlit as st

from pe_core.chapters.course import COURSE, SHORT
from pe_core.wrapping import kept_together
from ui.frame.browser import component
from ui.frame.shell import linked
from ui.frame.turns import fragment
from ui.language.words import _
from ui.widgets.prose import sections

SEEN = "_chapters_seen"  # where a session keeps the pages of the chapters that this browser has opened
_KEY = "course_progress"
_STORE = "chapters opened"  # the name in the local storage
_MAX_LETTERS = 1_000  # of what is stored under it: the names of all chapters have some 120

_HTML = '<button type="button" class="forget"></button>'
_TICK = 'content: "✓" / "{}"; margin-left: auto; line-height: 1'  # no higher than the row
_BROWSER = component(Path(__file__).with_name("progress"), _KEY, html=_HTML, isolate_styles=True)


def follow_course(page: str) -> None:
    """Note that a page, by its name, was opened, and show in the sidebar how far the course has come."""
    if page in COURSE:
        st.session_state[SEEN] = opened_chapters([*st.session_state.get(SEEN, []), page])
    with st.sidebar:
        _draw_progress(page)
        minutes = sum(stop.minutes for stop in SHORT)
        block = st.popover(
            _(f"Short path: {minutes} minutes"), icon=":material/timer:", key="short_path", on_change="rerun"
        )
        if block.open:  # what is folded is not there
            pages = linked()
            for stop in SHORT:
                first, *others = stop.pages
                block.page_link(pages[first], label=_(f"{stop.title} · {stop.minutes} min"))
                for other in others:
                    block.page_link(pages[other], label=_(f"then {pages[other].title}"))


def opened_chapters(said: object) -> list[str]:
    """Return the chapters that a list names, each once and in the order of the course; what is none is dropped.

    It comes from a browser, so it may be anything: there are none in what is no list, or one of more than 100.
    """
    if not isinstance(said, list) or len(said) > 100:
        return []
    return [page for page in COURSE if page in said]


@fragment
def _draw_progress(page: str) -> None:
    """Draw how many chapters were opened, a tick at each in the list of pages, and what lets the browser forget."""
    seen: list[str] = st.session_state.get(SEEN, [])
    st.progress(len(seen) / len(COURSE), text=_(f"{len(seen)} of {len(COURSE)} chapters"))
    links = ", ".join(f'[href$="/{one}"]' for one in seen)
    st.html(f"<style>[data-testid=stSidebarNav] a:is({links})::after {{ {_TICK.format(_('opened'))} }}</style>")
    told = {"store": _STORE, "longest": _MAX_LETTERS, "chapters": list(COURSE), "page": page, "seen": seen}
    told["forget"] = _("Forget my progress")
    _BROWSER(key=_KEY, data=told, on_opened_change=_take)


def _take() -> None:
    st.session_state[SEEN] = opened_chapters(st.session_state[_KEY].opened)


def terms() -> dict[str, str]:
    """Return what each term means by its name, in the visitor's language and in the order of the file.

    A meaning that is not in English begins with its own term and a wide colon.
    """
    found = {}
    for name, text in sections("glossary").items():
        own, colon, meaning = text.partition("：")
        if not colon:
            own, meaning = name, text
        found[name if own == name else f"{own}（{name}）"] = kept_together(meaning)
    return found


def offer_glossary() -> None:
    """Draw in the sidebar what opens the list of all terms; as long as it is closed, the list is not there."""
    with st.sidebar:
        block = st.popover(_("Glossary"), icon=":material/menu_book:", key="glossary", on_change="rerun")
        if block.open:
            block.markdown("\n\n".join(f"**{name}**{_(': ')}{meaning}" for name, meaning in terms().items()))
