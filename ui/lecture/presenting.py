"""Presenting a lecture: which scene the link asks for, and what the browser shows around its picture.

The link of a page says that it is presented: `present` names the lecture, `scene` counts from 1, `reveal` says how many
further sentences are shown. The server draws a scene as it draws any link; from scene to scene the browser goes by its
own history (remote.js), so that what a link says wins over what the session has set. What the lecturer has set on a
scene is in its address when it is left, and is kept with the window. Another window has the notes, and follows it in
the browser, without the server (notes.js). All texts of a lecture are put in as text, never as HTML.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.frame.browser import component
from ui.frame.room import CONTROLS
from ui.frame.turns import fragment
from ui.language.words import _
from ui.lecture.scenes import MAX_CONTROLS, MAX_SCENES, OURS, Lecture, Scene, load
from ui.widgets.bound import STARTS
from ui.widgets.link import WRITTEN, say_instead
from ui.widgets.prose import Text

FOLDER = Path(__file__).parent
STYLE = FOLDER / "look.css"  # what a presented page looks like
_HEAD = '<div class="lecture lecture-head"><div class="lecture-words"></div><div class="lecture-foot"></div></div>'
_REMOTE = component(FOLDER / "remote", "lecture_remote", html=_HEAD)
_NOTES = component(FOLDER / "notes", "lecture_notes", html='<div class="lecture lecture-notes"></div>')
_KEYS = component(FOLDER / "keys", "lecture_keys")
START = "lecture_start"  # begins the key of what surrounds the way to present a lecture; its number ends it

OWN = "own"  # the name in links of the lecture that this session has opened or put together
OPENED = "_lecture_of_session"  # where a session keeps it
COLLECTED = "_lecture_collected"  # where it keeps the scenes of one that it puts together
LABEL = "Add this view to a lecture"
MINUTES = 3.0  # of a scene that is new
_LAST = "_scene_before"
_LOOK = "_look_of_scene"  # where a session keeps the name of the choice of looks that the scene's link sets, if it does
# The first control of a page, after the block that folds the others on a telephone.
_FIRST = [
    f".st-key-{CONTROLS} > .stElementContainer:nth-child(2)",
    f".st-key-{CONTROLS} > :nth-child(2) .stColumn:first-child .stElementContainer:first-child",
]


def opened() -> Lecture | None:
    """Return the lecture that this session has opened; None if there is none."""
    lecture: Lecture | None = st.session_state.get(OPENED)
    return lecture


def lecture_of_link() -> Lecture | None:
    """Return the lecture that the link presents; None if it asks for none.

    One that is not there is named, and taken out of the link; the window of notes waits for it.
    """
    name = st.query_params.get("present")
    if name is None:
        st.session_state.pop(_LAST, None)
        return None
    problem = "a lecture of your own must be opened first, on the page Lectures"
    if name == OWN and opened():
        return opened()
    if name != OWN:
        try:
            return load(name)
        except ValueError as error:
            problem = str(error)
    if not shows_notes():
        del st.query_params["present"]
        say_instead(problem, "the page without a lecture")
    return None


def scene_of_link() -> Scene | None:
    """Return the scene that the link presents, if it presents one."""
    lecture = lecture_of_link()
    return _scene_of(lecture) if lecture else None


def shows_notes() -> bool:
    """Whether the link asks for the lecturer's notes in place of a page."""
    return "present" in st.query_params and "notes" in st.query_params


def _scene_of(lecture: Lecture) -> Scene:
    said = st.query_params.get("scene", "1")
    number = int(said) if said.isdecimal() and len(said) < 5 else 1
    return lecture.scenes[min(max(number, 1), len(lecture.scenes)) - 1]


def present(lecture: Lecture, url_path: str) -> None:
    """Draw what surrounds a presented page, which is drawn after it; a scene that is new begins as its link says."""
    st.html(STYLE)
    scene = st.query_params["present"], st.query_params.get("scene", "1")
    if st.session_state.get(_LAST) != scene:
        st.session_state[_LAST] = scene
        # Controls that Streamlit does not bind to the link start anew: a scene has what its link says and no more.
        for name in [str(key) for key in st.session_state if str(key).startswith(WRITTEN)]:
            st.session_state.pop(name.removeprefix(WRITTEN), None)
            del st.session_state[name]
        st.session_state.pop(STARTS, None)
    st.session_state[_LOOK] = ""
    fragment(_draw_remote)(lecture, url_path)  # so that a further sentence leaves the picture as it is


def _draw_remote(lecture: Lecture, url_path: str) -> None:
    """Draw the sentence of the scene and let the presenter's keys lead through the lecture."""
    _REMOTE(key="lecture_remote", data=_told(lecture, url_path), on_reveal_change=_note)


def _note() -> None:
    """Write into the link how many further sentences are shown; the browser has done so already."""
    reveal = st.session_state["lecture_remote"].reveal
    if isinstance(reveal, int) and not isinstance(reveal, bool) and 0 < reveal < 100:
        st.query_params["reveal"] = str(reveal)
    else:
        st.query_params.pop("reveal", None)


def draw_notes(lecture: Lecture | None, url_path: str) -> None:
    """Draw the notes of the scene that another window of this browser presents.

    That window also says what the lecture is, where this session does not know it.
    """
    st.html(STYLE)
    _NOTES(key="lecture_notes", data=_told(lecture or Lecture("", 1), url_path))


def listen_for_numbers() -> None:
    """Let a digit follow the link in the container START of its number; it stands before them."""
    _KEYS(key="lecture_keys", data=START)


def closer_look_of_scene(name: str) -> bool:
    """Return whether a page draws its closer looks, whose choice has this name: a scene may be of the first screen."""
    scene = scene_of_link()
    if scene is None:
        return True
    opened = name in dict(scene.parameters)
    st.session_state[_LOOK] = name if opened else ""
    return opened


def show_controls(lecture: Lecture) -> None:
    """Show the controls of the page that was drawn which the scene names, else those of its link, else the first one.

    They have room below the picture.
    """
    scene = _scene_of(lecture)
    names = scene.controls or [name for name, _value in scene.parameters if name != st.session_state[_LOOK]]
    classes = [re.sub(r"[^\w-]", "-", name, flags=re.ASCII) for name in names[:MAX_CONTROLS]]
    shown = ", ".join([f'.stElementContainer[class*="st-key-{one}"]' for one in classes] or _FIRST)
    seen = f"{shown}, .stVegaLiteChart, .stDataFrame, .lecture"
    st.html(f"""<style>
.stMain :is({shown}) {{ display: flex !important }}
.stMain :is({shown}) > .stSelectbox {{ width: min(36rem, 100%) }}
.stMain .stColumn:not(:has({seen})) {{ display: none }}
:root {{ --lecture-controls: 4.5rem }}
</style>""")


def _told(lecture: Lecture, url_path: str) -> dict[str, Any]:
    """Return what the browser knows of a lecture; what it says itself is `said`, in the visitor's language."""
    said = {
        "clock": "# of #",
        "begun": "not begun",
        "ends": "# of #; this scene ends at #",
        "waiting": "Waiting for the window that presents this lecture.",
        "next": "Next: #",
        "last": "This is the last scene.",
    }
    name = st.query_params["present"]
    base = urlsplit(st.context.url or "").path.removesuffix(url_path).rstrip("/")
    scenes = [
        {**vars(scene), "link": base + scene.presented(name, number)}
        for number, scene in enumerate(lecture.scenes, start=1)
    ]
    words = {key: _(one) for key, one in said.items()}
    return {"name": name, "title": lecture.title, "minutes": lecture.minutes, "scenes": scenes, "said": words}


def collected() -> Lecture:
    """Return the lecture that this session puts together; it has no scene at first."""
    lecture: Lecture = st.session_state.get(COLLECTED, Lecture("My lecture", 45))
    return lecture


def view(page: StreamlitPage) -> Scene:
    """Return the page as it is now as a scene, whose sentence is the page's title."""
    said = [(name, value) for name in st.query_params for value in st.query_params.get_all(name) if name not in OURS]
    return Scene(page.url_path or "home", tuple(said), page.title, "", MINUTES)


def offer_view(page: StreamlitPage) -> None:
    """Draw the control that adds the view to the collection, and say that it was added."""
    icon = ":material/playlist_add:"
    if not st.button(_(LABEL), key="lecture_add", icon=icon, type="tertiary"):
        return
    text, lecture = Text("lectures"), collected()
    if len(lecture.scenes) >= MAX_SCENES:
        st.toast(text("full", {"most": MAX_SCENES}), icon=icon)
    else:
        st.session_state[COLLECTED] = replace(lecture, scenes=(*lecture.scenes, view(page)))
        st.toast(text("added", {"number": len(lecture.scenes) + 1}), icon=icon)
