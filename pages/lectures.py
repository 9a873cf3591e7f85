"""Lectures: those of the project, one of a file, and one that is put together from views of this app."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from ui.language.words import _, language
from ui.lecture.presenting import COLLECTED, OPENED, OWN, START, collected, listen_for_numbers, opened
from ui.lecture.scenes import MAX_LENGTHS, MAX_MINUTES, Lecture, Scene, load, names, parse, written
from ui.page import open_page
from ui.widgets.language import IN_LINK
from ui.widgets.link import literal

MAX_LETTERS = 60  # of a link in a list


def draw_ways(number: int, name: str, lecture: Lecture) -> None:
    """Draw one lecture: its title, the links that present it, by a key too, and open its notes, its file."""
    with st.container(border=True):
        st.text(_(f"{lecture.title}: {lecture.minutes:g} minutes, {len(lecture.scenes)} scenes"))
        with st.container(horizontal=True, vertical_alignment="center"):
            first = lecture.scenes[0]
            said = [*first.parameters, ("present", name), ("scene", "1")]
            label = _(f"Present :small[:gray[key {number}]]")
            with st.container(key=f"{START}_{number}", width="content"):
                st.page_link(f"pages/{first.page}.py", label=label, icon=":material/slideshow:", query_params=said)
            # In a window of its own, which need not know the lecture: the one that presents it tells it.
            base = (st.context.url or "").partition("?")[0].removesuffix("lectures")
            said_there = urlencode({"present": name, "notes": "1", IN_LINK.name: language()})
            st.link_button(_("Notes"), f"{base}?{said_there}", icon=":material/notes:", type="tertiary")
            key, file = f"lecture_file_{name}", f"{name}.toml"
            mime = "application/toml"
            st.download_button(_("Download file"), written(lecture), file, mime, key=key, on_click="ignore")


def change(lecture: Lecture) -> None:
    """Put together this lecture from now on: the fields of its scenes begin anew, since their keys count places."""
    st.session_state[COLLECTED] = lecture
    for name in [str(key) for key in st.session_state if str(key).startswith("lecture_of_")]:
        del st.session_state[name]


def arrange(places: Sequence[int]) -> None:
    """Keep the scenes of these places, in this order."""
    scenes = collected().scenes
    change(replace(collected(), scenes=tuple(scenes[place] for place in places if place < len(scenes))))


def draw_scene(place: int, scene: Scene, count: int) -> Scene:
    """Draw the fields of a scene and return it with what they say."""
    others = [other for other in range(count) if other != place]
    ways = {
        "Up": (":material/arrow_upward:", [*others[: place - 1], place, *others[place - 1 :]], place == 0),
        "Down": (":material/arrow_downward:", [*others[: place + 1], place, *others[place + 1 :]], place == count - 1),
        "Remove": (":material/delete:", others, False),
    }
    with st.container(border=True):
        st.text(f"{place + 1}. {scene.link[:MAX_LETTERS]}")
        key, longest = f"lecture_of_{place}", MAX_LENGTHS
        label = _("Sentence for the audience")
        sentence = st.text_input(label, scene.sentence, longest["sentence"], key=f"{key}_sentence")
        notes = st.text_area(_("Notes"), scene.notes, 100, longest["notes"], key=f"{key}_notes")
        most, now = float(MAX_MINUTES), float(scene.minutes)
        minutes = st.number_input(_("Minutes"), 0.5, most, now, 0.5, key=f"{key}_minutes")
        with st.container(horizontal=True):
            for title, (icon, order, off) in ways.items():
                st.button(_(title), key=f"{key}_{title}", icon=icon, disabled=off, on_click=arrange, args=(order,))
    words = sentence.strip() or scene.sentence
    return replace(scene, sentence=words, notes=notes.strip(), minutes=float(minutes))


text = open_page("lectures", "Lectures")
listen_for_numbers()
for number, name in enumerate(names(), start=1):
    draw_ways(number, name, load(name))
st.markdown(text("handout"))
st.markdown(text("keys"))

st.subheader(_("A lecture from a file"))
st.markdown(text("file"))
own = opened()
if file := st.file_uploader(_("Lecture file"), type=["toml"], key="lecture_upload"):
    try:
        own = parse(file.getvalue())
        st.session_state[OPENED] = own
        icon = ":material/edit:"
        st.button(_("Change it below"), key="lecture_take", icon=icon, on_click=change, args=(own,))
    except ValueError as error:
        own = None
        st.error(_(f"This file cannot be opened: {literal(str(error))}."))
if own:
    draw_ways(len(names()) + 1, OWN, own)

st.subheader(_("Your own lecture"))
st.markdown(text("own"))
lecture = collected()
if lecture.scenes:
    left, right = st.columns([3, 1])
    title = left.text_input(_("Title"), lecture.title, MAX_LENGTHS["title"], key="lecture_of_title")
    most, now = float(MAX_MINUTES), float(lecture.minutes)
    minutes = right.number_input(_("Minutes"), 1.0, most, now, 1.0, key="lecture_of_minutes")
    scenes = [draw_scene(place, scene, len(lecture.scenes)) for place, scene in enumerate(lecture.scenes)]
    lecture = Lecture(title.strip() or lecture.title, float(minutes), tuple(scenes))
    st.session_state[COLLECTED] = lecture
    with st.container(horizontal=True):
        icon = ":material/slideshow:"
        present = partial(st.session_state.update, {OPENED: lecture})
        st.button(_("Use for presenting"), key="lecture_use", icon=icon, on_click=present)
        toml = written(lecture)
        st.download_button(
            _("Download"), toml, "lecture.toml", "application/toml", key="lecture_get", on_click="ignore"
        )
else:
    st.markdown(text("empty"))
