"""What only Home draws: its picture, the ways in, and a story in small pictures that move. It loads no torch itself."""

import sys
import time
from functools import partial
from pathlib import Path

import streamlit as st

from pe_core.chapters import story
from pe_core.chapters.course import SHORT
from pe_core.chapters.home import kept_picture, past_training
from ui.frame.browser import component
from ui.frame.room import PICTURE
from ui.frame.shell import linked
from ui.frame.turns import others_first
from ui.language.words import _
from ui.widgets.charts import Picture
from ui.widgets.prose import Text

# The ways in, by section of the text, each with its pages in order. The first one has where each stop of the short path
# begins.
WAYS = {
    "learn": tuple(stop.pages[0] for stop in SHORT if stop.pages[0] != "home"),
    "compare": ("gallery", "scorecard", "catalogue"),
    "engineer": ("models", "own", "lab"),
}
OWN_TEXT, OWN_TEXT_ICON = {"experiment": "own_text"}, ":material/edit_note:"  # as the lab has it, which loads torch
HEIGHT = 420  # pixels of the picture, where the window has them
MOMENT = 1.0  # seconds
_MOVING_HTML = """
<div class="moving">
<svg role="img"></svg>
<div class="row">
<button type="button"></button><input type="range" min="0" step="1"><output aria-hidden="true"></output>
</div>
</div>
"""
_MOVING = component(Path(__file__).with_name("moving"), "moving", html=_MOVING_HTML, isolate_styles=True)


def moving_picture(text: Text) -> None:
    """Draw the losses of models that read past their training length, in motion."""
    figure = kept_picture()
    with st.container(key=PICTURE):
        alternative = text("alternative", figure.facts)
        Picture(partial(past_training), figure).chart("home_picture", alternative, height=HEIGHT)


def ways_in(text: Text) -> None:
    """Draw what there is for who wants to learn, to compare, or to build, with links to their pages."""
    pages = linked()
    for column, (way, names) in zip(st.columns(len(WAYS)), WAYS.items(), strict=True):
        with column.container(border=True, height="stretch", gap="xsmall"):
            st.markdown(text(way))
            with st.container(horizontal=True, gap="xsmall"):
                for name in names:
                    st.page_link(pages[name])
                if way == "engineer":
                    st.page_link(pages["lab"], label=text("own-text"), icon=OWN_TEXT_ICON, query_params=OWN_TEXT)


def tell_story(text: Text) -> None:
    """Tell in six pictures why order matters, and what was tried one after the other.

    Each moves by itself while it is seen, until somebody touches it.
    """
    pages = linked()
    for name, picture in story.kept().items():
        words, drawn = st.columns([2, 3], gap="medium", vertical_alignment="center")
        page = pages[story.CHAPTERS[name]]
        with words:
            st.markdown(text(f"story {name}", picture.facts))
            st.page_link(page)
        marks = [{**mark, "words": _(mark.get("words", ""))} for mark in picture.marks]
        told = {
            "picture": {"steps": [_(step) for step in picture.steps], "marks": marks, "seconds": picture.seconds},
            "size": list(story.SHEET),
            "counts": _(picture.counts),
            "play": _("Play"),
            "pause": _("Pause"),
            "title": page.title,
            "alternative": text(f"story-alternative {name}", picture.facts),
        }
        with drawn:
            _MOVING(key=f"story_{name}", data=told)


def let_draw() -> None:
    """Wait a moment on a fresh server, once: the browser now fetches what draws the picture, some forty files.

    Each of them would wait for its turn while Python loads torch, and the browser draws formulas before the picture.
    """
    if "torch" not in sys.modules:
        with others_first():
            time.sleep(MOMENT)
