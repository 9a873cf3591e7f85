"""The one way a picture reaches a page: full width, in the page's theme, with a text alternative."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape

import streamlit as st

from pe_core.figures.figure import Figure
from ui.shell import SHOWN

# A call that is yet to be made: the page makes it, and can also write it down as Python.
Picture = partial[Figure]

# The `alt` of a chart is part of its spec: were it computed, every step of a slider would draw the chart anew, and what
# the visitor set in it would be lost. So it is a constant, and the sentence itself stands unseen after the chart.
SEE_SENTENCE = "Chart; the sentence after it says what it shows."
_UNSEEN = "position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap"


@dataclass(frozen=True)
class Shown:
    """A picture that the page shows: the call that makes it, its sentence and its height in pixels."""

    picture: Picture
    alternative: str
    height: int


def show(picture: Picture, *, key: str, alternative: str, height: int = 380) -> None:
    """Draw a picture, `height` pixels high; `alternative` is a computed sentence that says what is to be seen.

    `key` keeps the browser's view, and what the visitor set in it, over reruns.
    """
    spec = _spec(picture, key, alternative, height)
    with st.container(gap=None):
        st.vega_lite_chart(spec=spec, width="stretch", height=height, key=key, alt=SEE_SENTENCE)
        _tell(alternative)


def show_with_selection(
    picture: Picture, *, key: str, alternative: str, on_select: Callable[[], None], height: int = 380
) -> None:
    """Draw a picture as `show` does, and run `on_select` after the visitor has selected a part of it."""
    spec = _spec(picture, key, alternative, height)
    with st.container(gap=None):
        st.vega_lite_chart(spec=spec, width="stretch", height=height, key=key, alt=SEE_SENTENCE, on_select=on_select)
        _tell(alternative)


def selected(key: str, selection: str) -> dict[str, list[float]]:
    """Return the ranges by field that the visitor has selected in a figure; empty if none."""
    ranges: dict[str, list[float]] = st.session_state[key].selection.get(selection, {})
    return ranges


def shown() -> dict[str, Shown]:
    """Return the pictures that the page shows now, by key."""
    pictures: dict[str, Shown] = st.session_state[SHOWN]
    return pictures


def _spec(picture: Picture, key: str, alternative: str, height: int) -> dict[str, object]:
    figure = picture()
    st.session_state[SHOWN][key] = Shown(picture, alternative, height)
    config = figure.spec.get("config", {})
    # Marks that call themselves graphics would each need a name; the sentence after the chart says it all.
    silent = {**config, "mark": {**config.get("mark", {}), "aria": False}}
    return {**figure.spec, "config": silent, "datasets": figure.frames}


def _tell(sentence: str) -> None:
    """Give a sentence to those who have the page read to them."""
    st.html(f'<p style="{_UNSEEN}">{escape(sentence)}</p>')
