"""Where a chapter stands in the course: a line at its title, and at its end what to keep and where to go on."""

from typing import Literal

import streamlit as st

from pe_core.chapters import course
from pe_core.chapters.course import COURSE, Chapter
from pe_core.chapters.wording import counted
from pe_core.encodings import ENCODINGS
from pe_core.measures.requirements import REQUIREMENTS
from ui.frame.room import COURSE_HEAD, COURSE_LINE, COURSE_WORDS
from ui.frame.shell import linked
from ui.language.words import _
from ui.widgets.prose import Text

_WHOLE = str.maketrans({" ": "\N{NO-BREAK SPACE}", "，": "，\N{WORD JOINER}"})  # for a name that no line ends within


def draw_head(name: str, title: str, text: Text, *, anchor: bool = True) -> None:
    """Draw the title of a page, and beside or below it, of a chapter, its place in the course."""
    shown: Literal[False] | None = None if anchor else False  # None is an anchor that Streamlit makes
    if name not in COURSE:
        st.title(title, anchor=shown)
        return
    chapter = COURSE[name]
    with st.container(key=COURSE_HEAD):
        st.title(title, anchor=shown)
        with st.container(key=COURSE_WORDS, gap=None):
            with st.container(key=COURSE_LINE, horizontal=True, vertical_alignment="center", gap=None):
                place = f"Chapter {course.number(name)} of {len(COURSE)} · {counted(chapter.minutes, 'minute')}"
                st.caption(_(f"{place} · before: " if chapter.before else place), width="content")
                pages = linked()
                for page in chapter.before:
                    st.page_link(pages[page], label=f":small[{pages[page].title}]")
            st.caption("\n\n".join(filter(None, [text("so-far"), ticks(chapter)])))


def ticks(chapter: Chapter) -> str:
    """Return which requirements a chapter ticks off, each by its short name; nothing where it ticks off none.

    The encoding that they are ticked off for is named. A line does not end within a name.
    """
    done = [f"✓ {_(one.short)}" for key, one in REQUIREMENTS.items() if key in chapter.ticks]
    missed = [f"✗ {_(one.short)}" for key, one in REQUIREMENTS.items() if key not in chapter.ticks]
    named = [*done, *(missed if chapter.encoding else [])]
    title = f"{_(ENCODINGS[chapter.encoding].title)}{_(': ')}" if chapter.encoding else ""
    return title + " · ".join(name.translate(_WHOLE) for name in named)


def draw_end(name: str, text: Text) -> None:
    """Draw, of a chapter, what to take home and the way to the next one."""
    if name not in COURSE:
        return
    st.divider()
    st.markdown(f"**{_('Take home.')}** {text('take-home')}")
    st.markdown(text("next"))
    st.page_link(linked()[course.following(name)])
