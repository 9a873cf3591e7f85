"""How parts of a page stand together: below each other, side by side, apart from the rest, or not at all."""

from collections.abc import Callable, Sequence

import streamlit as st

from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.stage import How, Part, Stage, call, draw_parts


class Group(Part):
    """Parts below each other, for instance in one column."""

    def __init__(self, *parts: Part) -> None:
        self.parts = parts

    def draw(self, stage: Stage) -> None:
        """Draw the parts."""
        for part in self.parts:
            part.draw(stage)


class Columns(Part):
    """Parts side by side, each in a column; `widths` are relative."""

    def __init__(self, *parts: Part, widths: Sequence[int] = ()) -> None:
        self.parts = parts
        self.widths = widths

    def draw(self, stage: Stage) -> None:
        """Draw the columns."""
        for place, part in zip(st.columns(self.widths or len(self.parts)), self.parts, strict=True):
            with place:
                part.draw(stage)


class FirstScreen(Group):
    """The first picture of a page and the controls that change it: together on one screen.

    Wide windows have the controls beside the picture, or `below` it where that needs the width, others below it. The
    `main` one stands first, whichever is asked before it; a telephone folds the rest. A picture of many `rows` is
    scrolled. A page has one of these.
    """

    def __init__(self, *controls: Part, picture: Part, main: int = 0, below: bool = False, rows: bool = False) -> None:
        super().__init__(*controls, picture)
        self.controls = controls
        self.picture = picture
        self.main = main
        self.below = below
        self.rows = rows

    def draw(self, stage: Stage) -> None:
        """Draw the controls, whose values the picture needs, and then the picture at its place before them."""
        above, controls = first_screen(below=self.below, rows=self.rows)
        first = controls.container() if self.main else controls
        for place, part in enumerate(self.controls):
            with first if place == self.main else controls:
                part.draw(stage)
        with above:
            self.picture.draw(stage)


class Apart(Part):
    """Parts whose controls change nothing else: they are drawn in a fragment of their own."""

    def __init__(self, *parts: Part) -> None:
        self.own = parts

    def draw(self, stage: Stage) -> None:
        """Draw the parts."""

        @fragment
        def apart() -> None:
            draw_parts(self.own, stage.text, stage.values)

        apart()


class Unless(Part):
    """Parts that are drawn unless something is missing: the function names the section that says so, or nothing.

    Without a `how`, nothing is said: it stands elsewhere on the page.
    """

    def __init__(self, missing: Callable[..., str], *parts: Part, how: How | None = "info") -> None:
        self.missing = missing
        self.own = parts
        self.how = how

    def draw(self, stage: Stage) -> None:
        """Draw the parts, or say what is missing."""
        section = call(self.missing, stage.values)()
        if not section:
            draw_parts(self.own, stage.text, stage.values)
        elif self.how:
            stage.write(section, how=self.how)
