"""The walls of the catalogue on the page: computed once for all visitors; a click on a picture opens its entry."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.chapters import wall
from pe_core.chapters.wall import CHOSEN, with_chosen
from ui.frame.process import Once
from ui.frame.room import WALL
from ui.frame.turns import others_first
from ui.language.words import _
from ui.widgets.charts import Picture
from ui.widgets.prose import Text

_ROUND = "_wall_round"  # where a session counts how often another control has overruled the wall

_WALLS = {kind: Once(partial(wall.of_registry, kind)) for kind in wall.REGISTRIES}


def place() -> DeltaGenerator:
    """Return the place of the wall, in which it scrolls: what it opens stands below."""
    return st.container(key=WALL)


def draw_wall(kind: str, key: str, text: Text, choice: str) -> None:
    """Draw the wall of a registry with an outline around an entry; a click puts the control `choice` to another."""
    with others_first():
        figure = with_chosen(_WALLS[kind](), key)
    if _clicked(kind) not in (None, key):  # chosen elsewhere: the picture forgets the click
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    picture = Picture(partial(wall.wall, registry=kind, entry=key), figure)
    picture.chart(_name(kind), text("wall", figure.facts), on_select=partial(_open, kind, choice))


def _open(kind: str, choice: str) -> None:
    key = _clicked(kind)
    if key:
        st.session_state[choice] = key


def _name(kind: str) -> str:
    return f"cat_wall_{kind}_{st.session_state.get(_ROUND, 0)}"


def _clicked(kind: str) -> str | None:
    """Return the key of the tile that was clicked; the picture says it in the visitor's language."""
    name = _name(kind)
    tiles = st.session_state[name].selection.get(CHOSEN, []) if name in st.session_state else []
    told = [tile.get("key") for tile in tiles]
    return next((key for key in wall.REGISTRIES[kind] if _(key) in told), None)
