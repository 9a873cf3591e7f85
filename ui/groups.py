"""How parts of a page stand together: below each other, side by side, apart from the rest, or not at all."""

from collections.abc import Callable, Sequence

import streamlit as st

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
    """Parts that are drawn unless something is missing: the function names the section that says so, or nothing."""

    def __init__(self, missing: Callable[..., str], *parts: Part, how: How = "info") -> None:
        self.missing = missing
        self.own = parts
        self.how = how

    def draw(self, stage: Stage) -> None:
        """Draw the parts, or say what is missing."""
        section = call(self.missing, stage.values)()
        if section:
            stage.write(section, how=self.how)
        else:
            draw_parts(self.own, stage.text, stage.values)
