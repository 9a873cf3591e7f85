"""One frame draws any chapter: a page is a list of parts, which are drawn from top to bottom.

What controls change stands in `Live` and in the looks. These are drawn in one fragment, so that a step of a slider
leaves the rest of the page as it is.
"""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.parameters import Parameter
from ui.course import draw_end, draw_head
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.groups import Group
from ui.parts import LOOKS, Title
from ui.stage import Function, Part, Stage, Values, draw_parts, flat
from ui.widgets.controls import control
from ui.widgets.prose import sections, show_source


class Live(Group):
    """Parts that controls change."""


class Look(Group):
    """A closer look: its parts, and the functions whose source is shown below."""

    def __init__(self, *parts: Part, code: Sequence[Function]) -> None:
        super().__init__(*parts)
        self.code = code


class Looks(Part):
    """The closer looks of a page by title, of which the visitor opens one at a time; `name` stands in the link.

    A section of the page's text that is called `look` and the title stands above a look. Between a look and its code
    stands what is `below`, which no control of a look changes.
    """

    def __init__(self, name: str, looks: Mapping[str, Look], *, below: Sequence[Part] = ()) -> None:
        self.name = name
        self.looks = looks
        self.below = below

    def choose(self, text: Mapping[str, str]) -> Look:
        """Draw the choice, the first look chosen, and return the look."""
        st.session_state[LOOKS] = self.name
        titles = tuple(self.looks)
        chosen: str = control(Parameter(self.name, "Closer look", titles[0], "", choices=titles))
        if f"look {chosen}" in text:
            st.markdown(text[f"look {chosen}"])
        return self.looks[chosen]


def draw_chapter(name: str, *parts: Part) -> None:
    """Draw a page: `name` is that of its file and of its text.

    What is live is drawn last, in one fragment, each part at its place. Parts without controls of their own come after
    those with some, since they may quote what these say.
    """
    ensure_shell()
    text = sections(name)
    stage = Stage(text, {}, [part for part in parts if not isinstance(part, Live)])
    places: list[tuple[DeltaGenerator, Group]] = []
    for part in parts:
        if isinstance(part, Live):
            places.append((st.container(), part))
        elif isinstance(part, Looks):
            look = part.choose(text)
            places.append((st.container(), look))
            for one in part.below:
                one.draw(stage)
            show_source(*look.code)
        elif isinstance(part, Title):
            draw_head(name, part, stage)
        else:
            part.draw(stage)
    draw_end(name, text)
    places.sort(key=lambda placed: not (isinstance(placed[1], Live) and any(part.asks for part in flat([placed[1]]))))
    values = stage.values

    @fragment
    def live() -> None:
        known: Values = values
        for place, group in places:
            with place:
                known = draw_parts(group.parts, text, known)

    if places:
        live()
