"""The choice of any entry of any registry, on the catalogue's walls too: its controls, and what its code says."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pe_core import standalone
from pe_core.chapters import catalogue, wall
from pe_core.encodings import ENCODINGS
from pe_core.masks import MASKS
from pe_core.parameters import Choice, Entry, Parameter, Value
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from ui.frame.process import Once
from ui.frame.room import WALL
from ui.frame.turns import others_first
from ui.language.words import _
from ui.widgets.charts import Picture
from ui.widgets.controls import control
from ui.widgets.prose import Text, with_links

Values = Mapping[str, Value]
Maker = Callable[..., Any]  # the function that an entry was registered with

COLUMNS = 4  # controls side by side
MAX_LETTERS = 24  # of all choices together that a column has room for
BESIDE = (5, 2)  # widths of the choice of a registry and of that of an entry
_ROUND = "_wall_round"  # where a session counts how often another control has overruled the wall

_WALLS = {kind: Once(partial(wall.of_registry, kind)) for kind in wall.REGISTRIES}


@dataclass(frozen=True)
class Kind:
    """One registry: its name in links, its entries, what is shown at first.

    `maker` returns the function that an entry was registered with.
    """

    name: str
    entries: Mapping[str, Entry]
    first: str
    maker: Callable[[Any], Maker]


KINDS = {
    "Encodings": Kind("encoding", ENCODINGS, "alibi", lambda entry: entry.make),
    "Scaling rules": Kind("scaling", SCALINGS, "yarn", lambda entry: entry.rule),
    "Masks": Kind("mask", MASKS, "sinks", lambda entry: entry.make),
    "Index remaps": Kind("remap", REMAPS, "randomised", lambda entry: entry.make),
}
REGISTRY = Parameter("cat_registry", "Registry", "Encodings", "", choices=tuple(KINDS))


def draw_wall(kind: str, key: str, text: Text, choice: str) -> None:
    """Draw the wall of a registry with an outline around an entry; a click puts the control `choice` to another."""
    with others_first():
        figure = wall.with_chosen(_WALLS[kind](), key)
    if _clicked(kind) not in (None, key):  # chosen elsewhere: the picture forgets the click
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    picture = Picture(partial(wall.wall, registry=kind, entry=key), figure)
    picture.chart(_wall_name(kind), text("wall", figure.facts), on_select=partial(_open_clicked, kind, choice))


def _open_clicked(kind: str, choice: str) -> None:
    if key := _clicked(kind):
        st.session_state[choice] = key


def _wall_name(kind: str) -> str:
    return f"cat_wall_{kind}_{st.session_state.get(_ROUND, 0)}"


def _clicked(kind: str) -> str | None:
    """Return the key of the tile that was clicked; the picture says it in the visitor's language."""
    name = _wall_name(kind)
    tiles = st.session_state[name].selection.get(wall.CHOSEN, []) if name in st.session_state else []
    told = [tile.get("key") for tile in tiles]
    return next((key for key in wall.REGISTRIES[kind] if _(key) in told), None)


def choose(text: Text) -> tuple[Kind, Entry]:
    """Draw the wall, and below it the choice of a registry and of one of its entries, and return both."""
    place = st.container(key=WALL)  # it scrolls: what it opens stands below
    left, right = st.columns(BESIDE)
    with left:
        kind = KINDS[control(REGISTRY)]
    for other in KINDS.values():
        if other is not kind:
            st.query_params.pop(f"cat_{other.name}", None)
    titles = {key: entry.title for key, entry in kind.entries.items()}
    entry = Choice(f"cat_{kind.name}", "Entry", titles, kind.first)
    with right:
        key = control(entry)
    with place:
        draw_wall(kind.name, key, text, entry.name)
    return kind, kind.entries[key]


def choose_values(kind: Kind, entry: Entry) -> dict[str, Value]:
    """Draw a widget for every parameter of the entry and return the values by name: wide ones below the others."""
    own = {parameter.name: catalogue.parameter_of(kind.name, entry.key, parameter) for parameter in entry.parameters}
    if not own:
        return {}
    grid, values = st.grid(COLUMNS), {}
    for name in sorted(own, key=lambda name: _is_wide(own[name])):
        with grid.cell(column_span="all" if _is_wide(own[name]) else 1):
            values[name] = control(own[name])
    return values


def _is_wide(parameter: Parameter[Value]) -> bool:
    """Whether the choices of a parameter, side by side, do not fit into a column."""
    letters = sum(len(str(choice)) + 3 for choice in parameter.choices)
    return isinstance(parameter.default, str) and letters > MAX_LETTERS


def documents(maker: Maker, key: str, others: Iterable[Maker]) -> list[str]:
    """Return what the code says of what `maker` makes for a key, in Markdown: its module, and its functions.

    A module of one entry alone, out of `others`, says all of it at its top.
    """
    here = [other for other in others if other.__module__ == maker.__module__]
    found = [inspect.getdoc(sys.modules[maker.__module__]) or ""]
    if len(here) > 1:
        used = [part for part in standalone.parts(maker, key) if part.__name__ in maker.__code__.co_names]
        functions = [part for part in used if inspect.isfunction(part) and inspect.getdoc(part)]
        found += [f"**{part.__name__}.** {inspect.getdoc(part)}" for part in functions]
    return [with_links(re.sub(r"\n(?=(Reference|Source)s?:)", "\n\n", text)) for text in found]


def source_of(entry: Entry, text: Text) -> str:
    """Return the paper of an entry in Markdown, linked where it is on arXiv."""
    if entry.paper is None:
        return text("folklore")
    paper = entry.paper
    named = f"{paper.authors} {paper.year}, *{paper.title}*"
    return with_links(f"{named}, arXiv:{paper.arxiv}") if paper.arxiv else named
