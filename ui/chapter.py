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
from ui.groups import FirstScreen, Group
from ui.lecture.presenting import scene_of_link, show_controls
from ui.lecture.scenes import Scene
from ui.parts import LOOKS, Controls, Measured, Title
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
    scene = scene_of_link()
    if scene:
        parts = tuple(_of_scene(scene, parts))
    text = sections(name)
    stage = Stage(text, {}, [part for part in parts if not isinstance(part, Live)])
    places: list[tuple[DeltaGenerator, Group]] = []
    for part in parts:
        if isinstance(part, Live):
            places.append((st.container(), part))
        elif isinstance(part, Looks):
            look = part.choose(text)
            places.append((st.container(), look))
            if not scene:
                for one in part.below:
                    one.draw(stage)
                show_source(*look.code)
        elif isinstance(part, Title):
            draw_head(name, part, stage)
        else:
            part.draw(stage)
    if not scene:
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


def _of_scene(scene: Scene, parts: Sequence[Part]) -> Sequence[Part]:
    """Return what a scene shows of a page: the look that its link opens, else the first screen, else all that is live.

    A look may need what the controls above it say, so these are drawn too. Of all controls those of the scene are seen.
    """
    said = [name for name, _ in scene.parameters]
    lives = [part for part in parts if isinstance(part, Live)]
    looks = [part for part in parts if isinstance(part, Looks)]
    screens = [live for live in lives if any(isinstance(part, FirstScreen) for part in live.parts)]
    # A fact of what is measured may stand in the name of a picture's sentence.
    first = [
        Live(*(part for part in live.parts if part.asks or isinstance(part, FirstScreen | Measured)))
        for live in screens
    ]
    opened = [part for part in looks if part.name in said]
    names = list(scene.controls) or [name for name in said if name not in {part.name for part in looks}]
    show_controls(names or _main_control(first))
    if opened:
        return [Live(*(part for part in flat(lives) if part.asks)), *opened]
    return first or [part for part in parts if part.asks or isinstance(part, Live)]


def _main_control(first: Sequence[Live]) -> list[str]:
    """Return the name of the main control of the first screen, where that is known before it is drawn."""
    for live in first:
        for screen in live.parts:
            if isinstance(screen, FirstScreen):
                for part in flat(screen.controls[screen.main : screen.main + 1]):
                    if isinstance(part, Controls) and isinstance(part.row, Mapping):
                        return [next(iter(part.row.values())).name]
    return []
