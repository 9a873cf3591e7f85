"""The wall of the catalogue on the page: computed once for all visitors; a click on a small picture opens its entry."""

from collections.abc import Callable
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

HEIGHT = 340  # pixels of the wall that are seen at once: what it opens stands below
_ROUND = "_wall_round"  # where a session counts how often another control has overruled the wall

_of_all = Once(wall.of_all)


def place() -> DeltaGenerator:
    """Return the place of the wall, in which it scrolls."""
    return st.container(height=HEIGHT, border=False, key=WALL)


def draw_wall(kind: str, key: str, text: Text, open_entry: Callable[[str, str], None]) -> None:
    """Draw the wall with an outline around the entry `key` of a `kind`; a click calls `open_entry` with both names."""
    with others_first():
        figure = with_chosen(_of_all(), kind, key)
    if _clicked() not in (None, (kind, key)):  # chosen elsewhere: the picture forgets the click
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    picture = Picture(partial(wall.wall, registry=kind, entry=key), figure)
    picture.chart(_name(), text("wall", figure.facts), on_select=partial(_open, open_entry))


def _open(open_entry: Callable[[str, str], None]) -> None:
    tile = _clicked()
    if tile:
        open_entry(*tile)


def _name() -> str:
    return f"cat_wall_{st.session_state.get(_ROUND, 0)}"


def _clicked() -> tuple[str, str] | None:
    """Return kind and key of the tile that was clicked; the picture says them in the visitor's language."""
    tiles = st.session_state[_name()].selection.get(CHOSEN, []) if _name() in st.session_state else []
    told = [(tile.get("kind"), tile.get("key")) for tile in tiles]
    entries = ((kind, key) for kind, registry in wall.REGISTRIES.items() for key in registry)
    return next((entry for entry in entries if tuple(map(_, entry)) in told), None)
