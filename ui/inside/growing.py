"""Texts that grow on the page as models write them, all at the same pace, and how they are marked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

import streamlit as st

from pe_core.lab.inspection.trained_run import TrainedRun
from ui.frame.turns import others_first

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

AT_ONCE = 8  # symbols between two looks of the page: there it can be stopped
WRITTEN = "_ins_written"  # where a session keeps the last texts
_STYLE = "white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;font-size:0.9rem;margin:0 0 1rem"
_PAST = "background:rgba(213,94,0,0.18);border-left:3px solid #D55E00;padding-left:2px"
TOLD, RIGHT, WRONG = "{}", "<b>{}</b>", '<b style="text-decoration:underline wavy #D55E00 2px">{}</b>'

Show = Callable[[str, str], str]  # gets the key of an encoding and its text so far; returns HTML


def in_columns(titles: Mapping[str, str]) -> "dict[str, DeltaGenerator]":
    """Draw a title for each encoding, in two columns, and return the empty places below them."""
    places: dict[str, DeltaGenerator] = {}
    for number, (key, title) in enumerate(titles.items()):
        if number % 2 == 0:
            columns = st.columns(2)  # anew, so that a narrow page has them in their order
        with columns[number % 2]:
            st.markdown(title)
            places[key] = st.empty()
    return places


def grow(
    run: TrainedRun,
    asked: tuple[object, ...],
    start: str,
    writers: Mapping[str, Iterator[int]],
    places: "Mapping[str, DeltaGenerator]",
    show: Show,
) -> None:
    """Fill the places with what the writers add to `start`; the last texts of a session, by `asked`, are kept."""

    def draw(texts: Mapping[str, str]) -> None:
        for key, place in places.items():
            place.html(show(key, texts[key]))

    before = st.session_state.get(WRITTEN)
    if before is not None and before[:2] == (run, asked):
        texts = before[2]
    else:
        texts = dict.fromkeys(writers, start)
        with others_first():
            for number, symbols in enumerate(zip(*writers.values(), strict=True)):
                if number % AT_ONCE == 0:  # a visitor who has moved on is noticed here
                    draw(texts)
                texts = {key: texts[key] + run.vocabulary[symbol] for key, symbol in zip(texts, symbols, strict=True)}
        st.session_state[WRITTEN] = (run, asked, texts)
    draw(texts)


def marked(text: str, trained: int, styles: Sequence[str] = ()) -> str:
    """Return a text as HTML, with what lies past the training length set off, and a style for each symbol if given."""
    styles = styles or [TOLD] * len(text)
    parts = [_styled(text[:trained], styles[:trained]), _styled(text[trained:], styles[trained:])]
    past = f'<mark style="{_PAST};color:inherit">{parts[1]}</mark>' if parts[1] else ""
    return f'<p style="{_STYLE}">{parts[0]}{past}</p>'


def _styled(text: str, styles: Sequence[str]) -> str:
    runs = groupby(zip(text, styles, strict=True), key=lambda pair: pair[1])
    return "".join(style.format(escape("".join(symbol for symbol, _ in run))) for style, run in runs)
