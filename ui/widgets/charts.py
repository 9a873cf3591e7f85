"""The one way a picture reaches a page: full width, in the page's theme, with a text alternative."""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.figures.figure import Call, Facts, Figure, KeptFigure
from pe_core.figures.looks.language import frame_in, has_chinese, spec_in
from pe_core.figures.looks.motion import controls
from pe_core.figures.looks.palette import CONFIG, GROWTH
from pe_core.translation import Say, catalogue
from ui.frame.room import AROUND, KEEPS_SIZE, MOVES
from ui.language.words import _, language
from ui.widgets import bound
from ui.widgets.remembered import result_of

if TYPE_CHECKING:
    import pyarrow as pa

Given = ParamSpec("Given")
Made = TypeVar("Made")

# The `alt` of a chart is part of its spec: were it computed, every step of a slider would draw the chart anew, and what
# the visitor set in it would be lost. So it is a constant, and the sentence itself stands unseen after the chart.
SEE_SENTENCE = "Chart; the sentence after it says what it shows."
HEIGHT, LEGEND_ROW = 380, 18  # pixels
# To the right of a picture, for the half of a last label that stands past its axis: Vega measures it before the words
# have their sizes, and Streamlit leaves nothing there.
_PADDING = {"right": 5}
# Marks that call themselves graphics would each need a name; the sentence after the chart says it all.
# Those without a tooltip of their own have none: Streamlit's theme would show all their fields, made for Vega alone.
_MARKS = {"aria": False, "tooltip": None}
_CONFIG: dict[str, Mapping[str, object]] = {"mark": _MARKS, **CONFIG}
# In a lecture hall type follows the window, in place of the width of the picture: words of 12 pixels in a narrow
# picture have 15 in a window of 1,200 pixels or less, and 24 in one of 1,920.
_IN_HALL = "clamp(windowSize()[0] / 960, 1.25, 2.5)"
_LABEL = 400  # pixels of a label there: Streamlit gives it 100
MAX_KEPT = 256  # specs and frames that are kept in other languages

_kept: dict[tuple[int, str], tuple[object, Any]] = {}


@dataclass(frozen=True)
class Shown:
    """A picture that the page shows: the call that makes it, its sentence and its height in pixels.

    Its spec says which controls it has, and a file has so many tables.
    """

    picture: Call
    alternative: str
    height: int
    spec: dict[str, Any]
    n_tables: int


@dataclass(frozen=True)
class Picture:
    """A picture that has been made, or what is kept of it, with its call: visitors can take that away as Python."""

    call: Call
    figure: Figure | KeptFigure

    @property
    def facts(self) -> Facts:
        """The arguments of the call and the numbers of the figure, which texts may quote."""
        return {**self.call.keywords, **self.figure.facts}

    def chart(
        self,
        key: str,
        alternative: str,
        *,
        height: int | None = None,
        place: DeltaGenerator | None = None,
        on_select: Callable[[], None] | None = None,
    ) -> None:
        """Draw the picture in a `place` of the page or where the page has come to.

        It is `height` pixels high, unless given as high as its numbers need, or else 380.

        The alternative says in a sentence what is to be seen.

        A picture whose height follows its width keeps that; `height` is then the one it has where nobody knows the
        width. `key` keeps the browser's view, and what the visitor has set in the picture, over reruns; `on_select` is
        called after a part of it was selected.
        """
        height = height or self.figure.height or HEIGHT
        spec = _spec(self, key, alternative, height)
        room: int | Literal["content"] = "content" if "height" in spec else height
        kind = KEEPS_SIZE if room == "content" else MOVES if controls(self.figure.spec) else ""
        container = place.container if place else st.container
        if kind:
            container = container(gap=None, key=f"{kind}{key}").container
        with container(gap=None, key=f"{AROUND}{key}"):  # by which the browser knows whose controls are moved
            st.vega_lite_chart(
                spec=spec, width="stretch", height=room, key=key, alt=_(SEE_SENTENCE), on_select=on_select or "ignore"
            )
            st.text(alternative)  # unseen (`ui/frame/room.css`): for those who have the page read to them
            bound.follow(key, self.figure.spec, self.figure.frames)


def picture(make: Callable[Given, Figure], *args: Given.args, **kwargs: Given.kwargs) -> Picture:
    """Return the picture that a function of a chapter makes of these arguments, all of them named."""
    return picture_of(partial(make, *args, **kwargs))


def picture_of(call: Call) -> Picture:
    """Return the picture that a call of a function of a chapter makes."""
    return Picture(call, result_of(call.func, *call.args, **call.keywords))


def with_legend(height: int, n_lines: int) -> int:
    """Return the height of a picture with a legend of two columns above it, whose plot is as high as with one row."""
    return height + LEGEND_ROW * ((n_lines - 1) // 2)


def shown() -> dict[str, Shown]:
    """Return the pictures that the page shows now, by key."""
    pictures: dict[str, Shown] = st.session_state.setdefault(bound.SHOWN, {})
    return pictures


def _spec(picture: Picture, key: str, alternative: str, height: int) -> dict[str, object]:
    figure = picture.figure
    before = shown().get(key)  # a spec names its tables: the same one has as many, and looking takes long
    n_tables = before.n_tables if before and before.spec is figure.spec else len(figure.table_names())
    shown()[key] = Shown(picture.call, alternative, height, figure.spec, n_tables)
    spec, frames = bound.started(key, _in_words(figure.spec, spec_in), figure.frames)
    own = spec.get("config", {})
    config = {**own, **{part: {**words, **own.get(part, {})} for part, words in _CONFIG.items()}}
    datasets = {name: table_of(_in_words(frame, frame_in)) for name, frame in frames.items()}
    # Colours of its own: Streamlit writes into them, and all figures of a kind share one spec.
    encoding = {"encoding": deepcopy(spec["encoding"])} if "encoding" in spec else {}
    return {"padding": _PADDING, **_in_hall({**spec, **encoding, "config": config}), "datasets": datasets}


def _in_hall(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of a picture, with type and marks that are seen from the last row where it is presented."""
    if "present" not in st.query_params:
        return spec
    large: dict[str, Any] = json.loads(json.dumps(spec).replace(GROWTH, _IN_HALL))
    config = large.setdefault("config", {})
    for part in ("axis", "legend"):
        config[part] = {"labelLimit": _LABEL, **config.get(part, {})}
    return large


def table_of(frame: Any) -> "pa.Table":
    """Return the columns of a frame of pandas, in which what is no number is null.

    pyarrow's own way from a frame also describes its index and the types of pandas. No picture reads that, it takes
    twice as long as the columns, and the browser makes a column of the index.
    """
    import pyarrow as pa  # a page that draws a kept figure does without

    return pa.table(dict(frame.items()))


def figure_in(language: str, figure: Figure) -> Figure:
    """Return a figure for a file in a language, in English where this machine has no font for it."""
    known = catalogue(language)
    if not known or not has_chinese():
        return figure
    frames = {name: frame_in(frame, known.say) for name, frame in figure.frames.items()}
    return replace(figure, spec=spec_in(figure.spec, known.say), frames=frames)


def _in_words(made: Made, translate: Callable[[Any, Say], Any]) -> Made:
    """Return a spec or a frame in the visitor's language; what was translated before is held, and comes again."""
    known, key = catalogue(language()), (id(made), language())
    if not known:
        return made
    found = _kept.get(key)
    if found is None or found[0] is not made:
        while len(_kept) >= MAX_KEPT:
            _kept.pop(next(iter(_kept)), None)
        found = _kept[key] = made, translate(made, known.say)
    said: Made = found[1]
    return said
