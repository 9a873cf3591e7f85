"""What the page of lectures draws: lectures to present, a file to open, and the scenes that were collected."""

from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from ui.frame.browser import component
from ui.language.words import _, language
from ui.lecture.collection import collected, keep
from ui.lecture.presenting import OWN, open_lecture, opened
from ui.lecture.scenes import MAX_LENGTHS, MAX_MINUTES, Lecture, Scene, load, names, parse, written
from ui.widgets.language import IN_LINK
from ui.widgets.link import literal
from ui.widgets.prose import Text

MAX_LETTERS = 60  # of a sentence in a list
_START = "lecture_start"  # begins the key of what surrounds the way to present a lecture; its number ends it
_KEYS_NAME = "lecture_keys"
_KEYS = component(__file__, _KEYS_NAME)


def draw_ready(text: Text) -> None:
    """Draw the lectures of the project, with the ways to present them."""
    _KEYS(key=_KEYS_NAME, data=_START)
    for number, name in enumerate(names(), start=1):
        _draw_ways(number, name, load(name), text)
    st.markdown(text("handout"))


def _draw_ways(number: int, name: str, lecture: Lecture, text: Text) -> None:
    """Draw one lecture: its title, the links that present it, by a key too, and open its notes, its files."""
    with st.container(border=True):
        st.text(_(f"{lecture.title}: {lecture.minutes:g} minutes, {len(lecture.scenes)} scenes"))
        with st.container(horizontal=True, vertical_alignment="center"):
            first = lecture.scenes[0]
            page = f"pages/{first.page}.py"
            said = [*first.parameters, ("present", name), ("scene", "1")]
            label = _(f"Present :small[:gray[key {number}]]")
            with st.container(key=f"{_START}_{number}", width="content"):
                st.page_link(page, label=label, icon=":material/slideshow:", query_params=said)
            # In a window of its own, which need not know the lecture: the one that presents it tells it.
            base = (st.context.url or "").partition("?")[0].removesuffix("lectures")
            said_there = urlencode({"present": name, "notes": "1", IN_LINK.name: language()})
            st.link_button(_("Notes"), f"{base}?{said_there}", icon=":material/notes:", type="tertiary")
            file = written(lecture)
            key = f"lecture_file_{name}"
            st.download_button(_("Download file"), file, f"{name}.toml", "application/toml", key=key, on_click="ignore")


def draw_own(text: Text) -> None:
    """Draw the field for a file, what is wrong with it, and the lecture that this session has opened."""
    file = st.file_uploader(_("Lecture file"), type=["toml"], key="lecture_upload")
    if file is not None:
        try:
            lecture = parse(file.getvalue())
        except ValueError as error:
            st.error(_(f"This file cannot be opened: {literal(str(error))}."))
            return
        open_lecture(lecture)
        st.button(_("Change it below"), key="lecture_take", icon=":material/edit:", on_click=_take, args=(lecture,))
    own = opened()
    if own:
        _draw_ways(len(names()) + 1, OWN, own, text)


def _take(lecture: Lecture) -> None:
    keep(lecture)
    _forget_fields()


def _forget_fields() -> None:
    """Let the fields of the scenes begin with what the scenes have now: their keys count places."""
    for name in [str(key) for key in st.session_state if str(key).startswith("lecture_of_")]:
        del st.session_state[name]


def draw_collection(text: Text) -> None:
    """Draw the scenes that were collected, each with its fields, and what can be done with them."""
    lecture = collected()
    if not lecture.scenes:
        st.markdown(text("empty"))
        return
    left, right = st.columns([3, 1])
    title = left.text_input(_("Title"), lecture.title, MAX_LENGTHS["title"], key="lecture_of_title")
    minutes = right.number_input(
        _("Minutes"), 1.0, float(MAX_MINUTES), float(lecture.minutes), 1.0, key="lecture_of_minutes"
    )
    scenes = [_draw_scene(place, scene, len(lecture.scenes)) for place, scene in enumerate(lecture.scenes)]
    lecture = Lecture(title.strip() or lecture.title, float(minutes), tuple(scenes))
    keep(lecture)
    with st.container(horizontal=True):
        icon = ":material/slideshow:"
        st.button(_("Use for presenting"), key="lecture_use", icon=icon, on_click=open_lecture, args=(lecture,))
        mime = "application/toml"
        st.download_button(_("Download"), written(lecture), "lecture.toml", mime, key="lecture_get", on_click="ignore")


def _draw_scene(place: int, scene: Scene, count: int) -> Scene:
    """Draw the fields of a scene and return it with what they say."""
    with st.container(border=True):
        st.text(f"{place + 1}. {scene.link[:MAX_LETTERS]}")
        longest = MAX_LENGTHS
        key = f"lecture_of_{place}"
        sentence = st.text_input(
            _("Sentence for the audience"), scene.sentence, longest["sentence"], key=f"{key}_sentence"
        )
        notes = st.text_area(_("Notes"), scene.notes, 100, longest["notes"], key=f"{key}_notes")
        minutes = st.number_input(
            _("Minutes"), 0.5, float(MAX_MINUTES), float(scene.minutes), 0.5, key=f"{key}_minutes"
        )
        with st.container(horizontal=True):
            _move("Up", ":material/arrow_upward:", place, place - 1, count)
            _move("Down", ":material/arrow_downward:", place, place + 1, count)
            st.button(_("Remove"), key=f"{key}_gone", icon=":material/delete:", on_click=_remove, args=(place,))
    words = sentence.strip() or scene.sentence
    return replace(scene, sentence=words, notes=notes.strip(), minutes=float(minutes))


def _move(label: str, icon: str, place: int, other: int, count: int) -> None:
    off = not 0 <= other < count
    st.button(_(label), key=f"lecture_of_{place}_{label}", icon=icon, disabled=off, on_click=_swap, args=(place, other))


def _swap(one: int, other: int) -> None:
    scenes = list(collected().scenes)
    if max(one, other) < len(scenes):
        scenes[one], scenes[other] = scenes[other], scenes[one]
        keep(replace(collected(), scenes=tuple(scenes)))
        _forget_fields()


def _remove(place: int) -> None:
    scenes = list(collected().scenes)
    del scenes[place : place + 1]
    keep(replace(collected(), scenes=tuple(scenes)))
    _forget_fields()
