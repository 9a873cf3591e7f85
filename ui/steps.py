"""A derivation, one step at a time: a slider with Back and Next, the text of the step, and its picture."""

from collections.abc import Callable, Mapping

import streamlit as st

from pe_core.figures.figure import Facts
from pe_core.parameters import Parameter
from ui.language.words import _
from ui.parts import Measured, Picture, Text
from ui.stage import Part, Stage, draw_parts
from ui.widgets.controls import control


class Steps(Part):
    """Steps of a derivation: that with number 3 is the section `step <name> 3` of the page's text.

    `step` is a whole number that stands in the link. The texts quote what the function `facts` returns, and what the
    picture of the step says; `pictures` go by the number of their step.
    """

    def __init__(
        self, name: str, step: Parameter, facts: Callable[..., Facts], pictures: Mapping[int, Picture] | None = None
    ) -> None:
        self.name = name
        self.step = step
        self.measured = Measured(facts)
        self.pictures = pictures or {}

    def draw(self, stage: Stage) -> None:
        """Draw the control and the step that it says."""
        with st.container(horizontal=True, vertical_alignment="bottom"):
            step: int = control(self.step)
            self._button("Back", -1, step == self.step.minimum)
            self._button("Next", 1, step == self.step.maximum)
        picture = [self.pictures[step]] if step in self.pictures else []
        draw_parts([self.measured, Text(f"step {self.name} {step}"), *picture], stage.text, stage.values)

    def _button(self, label: str, by: int, disabled: bool) -> None:
        key = f"{self.step.name}_{label.lower()}"
        st.button(_(label), key=key, disabled=disabled, on_click=_go, args=(self.step.name, by))


def _go(name: str, by: int) -> None:
    """Go on or back; where there is no such step the button cannot be pressed."""
    st.session_state[name] += by
