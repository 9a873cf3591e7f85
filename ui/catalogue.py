"""The catalogue: the walls, the choice of any entry of any registry, its controls, its picture, what its code says."""

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
from pe_core.encodings import ENCODINGS, EncodingSpec
from pe_core.figures.figure import Facts
from pe_core.masks import MASKS
from pe_core.parameters import Choice, Parameter, Value
from pe_core.positions import REMAPS
from pe_core.registry import Entry
from pe_core.rope_scaling import SCALINGS
from ui.frame.process import Once
from ui.frame.room import WALL
from ui.frame.turns import others_first
from ui.language.words import _
from ui.widgets.charts import Picture, picture
from ui.widgets.controls import control, row
from ui.widgets.prose import Text, with_links

Values = Mapping[str, Value]
Maker = Callable[..., Any]  # the function that an entry was registered with

COLUMNS = 4  # controls side by side
MAX_LETTERS = 24  # of all choices together that a column has room for
BESIDE = (5, 2)  # widths of the choice of a registry and of that of an entry
TALL, FLAT = 460, 340  # pixels of a picture
_ROUND = "_wall_round"  # where a session counts how often another control has overruled the wall

_WALLS = {kind: Once(partial(wall.of_registry, kind)) for kind in wall.REGISTRIES}


def draw_encoding(entry: Entry, values: Values, text: Text) -> Facts:
    """Draw the table that an encoding adds, the scores that it makes, or both, each also against distance."""
    assert isinstance(entry, EncodingSpec)
    added = "embed" in entry.hooks
    scored = not entry.hooks or bool({"rotate", "bias"} & set(entry.hooks))
    asked = _ask({**catalogue.LENGTH, **catalogue.TRAINED, **(catalogue.HEADS if scored else catalogue.WIDTH)})
    n_heads = asked.get("n_heads", 1)
    d_model = asked["head_dim"] * n_heads if scored else asked["d_model"]
    learned = catalogue.of_encoding(entry.key, values, asked["train_length"], d_model, n_heads)
    if learned["answer"]:
        st.markdown(text("learned", learned))
    layer = control(catalogue.LAYER) if learned["layers-differ"] else 0
    own: dict[str, Any] = {"encoding": entry.key, "parameters": dict(values)}
    own |= {name: asked[name] for name in ("length", "train_length")}
    if added:
        _draw_table({**own, "d_model": d_model}, text)
    if scored:
        _draw_scores({**own, "head_dim": asked["head_dim"], "n_heads": n_heads, "layer": layer}, text)
    return {**learned, "sizes": learned["sizes"] or text("exercise-encoding-none")}


def _draw_table(asked: Mapping[str, Any], text: Text) -> None:
    table = picture(catalogue.table, **asked)
    if not table.facts["finite"]:
        st.warning(text("not-finite"))
    st.markdown(text("look-table"))
    left, right = st.columns(2)
    table.chart("cat_table", text("table-alternative", table.facts), height=TALL, place=left)
    with right:
        _draw_distances(picture(catalogue.similarity_by_distance, **asked), "similarity", text)


def _draw_scores(asked: Mapping[str, Any], text: Text) -> None:
    by_distance = picture(catalogue.scores_by_distance, **asked)
    if not by_distance.facts["finite"]:
        st.warning(text("not-finite"))
    st.markdown(text("look-scores"))
    head = 1
    left, right = st.columns(2)
    with left:
        if by_distance.facts["groups"] != 1:
            head = control(catalogue.head_of(asked["n_heads"]))
        of_head = picture(catalogue.scores, **asked, head=head)
        of_head.chart("cat_scores", text("scores-alternative", of_head.facts), height=TALL)
    with right:
        _draw_distances(by_distance, "scores", text)


def _draw_distances(drawn: Picture, name: str, text: Text) -> None:
    """Say whether the distance is all that scores depend on, and draw them against it."""
    st.markdown(text(f"{name}-{drawn.facts['how']}", drawn.facts))
    drawn.chart(f"cat_{name}_distance", text(f"{name}-distance", drawn.facts), height=FLAT)


def draw_scaling(entry: Entry, values: Values, text: Text) -> Facts:
    """Draw the wavelength of every pair before and after a rule."""
    asked = _ask(catalogue.SCALED)
    waves = picture(catalogue.scaled_wavelengths, scaling=entry.key, parameters=dict(values), **asked)
    facts = waves.facts
    st.markdown(text("look-scaling"))
    waves.chart("cat_wavelengths", text("scaling-facts", facts), height=TALL)
    st.markdown(text("scaling-facts", facts))
    if facts["stopped"]:
        st.markdown(text("scaling-stopped", facts))
    st.markdown(text(facts["of-temperature"], facts))
    return facts


def draw_mask(entry: Entry, values: Values, text: Text) -> Facts:
    """Draw who may attend to whom."""
    asked = _ask({**catalogue.LENGTH, **catalogue.TRAINED})
    seen = picture(catalogue.may_attend, mask=entry.key, parameters=dict(values), **asked)
    left, right = st.columns(2)
    seen.chart("cat_mask_picture", text("mask-facts", seen.facts), height=TALL, place=left)
    with right:
        st.markdown(text("look-mask"))
        st.markdown(text("mask-facts", seen.facts))
    return seen.facts


def draw_remap(entry: Entry, values: Values, text: Text) -> Facts:
    """Draw which position each token is told, in training and in evaluation."""
    asked = _ask({**catalogue.LENGTH, **catalogue.TRAINED, **catalogue.FARTHEST})
    told = picture(catalogue.positions_told, remap=entry.key, parameters=dict(values), **asked)
    st.markdown(text("look-remap", told.facts))
    told.chart("cat_remap_picture", text("remap-facts", told.facts), height=TALL)
    st.markdown(text("remap-facts", told.facts))
    return told.facts


def _ask(asked: Mapping[str, Parameter[int]]) -> dict[str, int]:
    """Draw controls beside each other and return what they say by name."""
    return dict(zip(asked, row(*asked.values(), columns=COLUMNS), strict=True))


@dataclass(frozen=True)
class Kind:
    """One registry: its name in links, its entries, what is shown at first, and what draws an entry.

    `maker` returns the function that an entry was registered with; `draw` returns the facts that the exercise quotes.
    """

    name: str
    entries: Mapping[str, Entry]
    first: str
    maker: Callable[[Any], Maker]
    draw: Callable[[Entry, Values, Text], Facts]


KINDS = {
    "Encodings": Kind("encoding", ENCODINGS, "alibi", lambda entry: entry.make, draw_encoding),
    "Scaling rules": Kind("scaling", SCALINGS, "yarn", lambda entry: entry.rule, draw_scaling),
    "Masks": Kind("mask", MASKS, "sinks", lambda entry: entry.make, draw_mask),
    "Index remaps": Kind("remap", REMAPS, "randomised", lambda entry: entry.make, draw_remap),
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
    named = f"{paper.authors} {paper.year}, “{paper.title}”"
    return with_links(f"{named}, arXiv:{paper.arxiv}") if paper.arxiv else named
