"""The parts that a page is made of: texts, controls, pictures, the exercise, the code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from pe_core.figures.figure import Facts, Figure
from pe_core.parameters import Choices, Example
from ui.language.words import _
from ui.stage import Function, How, Part, Stage, Values, call
from ui.widgets.charts import show
from ui.widgets.controls import Control, control, keep_in_range, side_by_side
from ui.widgets.prose import ask, fill, judge, named, show_source
from ui.widgets.remembered import result_of
from ui.widgets.tables import in_view, show_lines, show_rows

Row = Mapping[str, Control]

LOOKS = "_looks"  # where a session keeps the name of the page's choice of looks
_LOOK_MOVED = "_look_moved"  # where a session notes that a selection in a picture has opened another look


@dataclass(frozen=True)
class Title(Part):
    """The title of the page; one without a sign for its link takes less room on a telephone."""

    words: str
    anchor: bool = True

    def draw(self, stage: Stage) -> None:
        """Write the title."""
        st.title(_(self.words), anchor=None if self.anchor else False)


@dataclass(frozen=True)
class Heading(Part):
    """A heading within the page."""

    words: str

    def draw(self, stage: Stage) -> None:
        """Write the heading."""
        st.subheader(_(self.words))


class Text(Part):
    """A section of the page's text, filled with facts; several of them are one paragraph.

    A fact in the name of the section says which one it is; where that leaves no name, nothing is written.
    """

    def __init__(self, *sections: str, how: How = "markdown") -> None:
        self.sections = sections
        self.how = how

    def draw(self, stage: Stage) -> None:
        """Write the sections."""
        stage.write(*self.sections, how=self.how)


class Code(Part):
    """The source of functions, folded; those that depend on what was chosen are what the function `chosen` returns."""

    def __init__(self, *functions: Function, chosen: Callable[..., Sequence[Function]] | None = None) -> None:
        self.functions = functions
        self.chosen = chosen

    def draw(self, stage: Stage) -> None:
        """Draw the folded block."""
        show_source(*self.functions, *(call(self.chosen, stage.values)() if self.chosen else ()))


class Mathematics(Code):
    """The mathematics of the chapter, and the source of the functions that hold it."""

    def draw(self, stage: Stage) -> None:
        """Write the section and draw the folded block."""
        st.subheader(_("The mathematics"))
        stage.write("mathematics")
        if self.functions:
            show_source(*self.functions)


@dataclass(frozen=True)
class Controls(Part):
    """A row of controls, each under the name that functions of the chapter know it by.

    A row that depends on what was chosen before is a function of those values. `columns` are the relative widths of the
    columns, or their number, where it is not that of the controls. With a name for all of them `together`, functions
    get one tuple of pairs, name and value, whatever the row holds.
    """

    row: Row | Callable[..., Row]
    columns: int | Sequence[int] = 0
    together: str = ""
    asks = True

    def draw(self, stage: Stage) -> None:
        """Draw the controls beside each other and note what they say."""
        row: Row = call(self.row, stage.values)() if callable(self.row) else self.row
        asked = list(row.values())
        if callable(self.row):
            for one in asked:
                keep_in_range(one)
        if len(asked) == 1 and not self.columns:
            said = [control(asked[0])]
        else:
            said = side_by_side(*asked, columns=self.columns) if asked else []
        values = {name: _enough(name, row[name], one, stage) for name, one in zip(row, said, strict=True)}
        stage.note({self.together: tuple(values.items())} if self.together else values)


def _enough(name: str, asked: Control, chosen: Any, stage: Stage) -> Any:
    """Return what was chosen; the default where nothing was but something is needed, and not too much; say which."""
    if not isinstance(asked, Choices):
        return chosen
    if not chosen and asked.needed:
        st.info(stage.text[f"{name}-none"])
        return asked.default
    if asked.maximum is not None and len(chosen) > asked.maximum:
        st.info(fill(stage.text[f"{name}-many"], {"maximum": asked.maximum}))
    return chosen[: asked.maximum]


@dataclass(frozen=True)
class Picture(Part):
    """A picture: the function of the chapter that makes it, and the section, or sections, that tell it in words.

    `key`, which may quote what the controls say, keeps what the visitor has set in it over reruns; `fixed` are
    arguments that no control changes. Where a part of the picture can be selected, `take` says which controls that
    sets, by their names in the link: it is called with what was selected, as `selected`, under the name `selection` of
    the picture.
    """

    make: Callable[..., Figure]
    key: str
    told: str | Sequence[str]
    height: int | Callable[..., int] = 380
    fixed: Values = field(default_factory=dict)
    selection: str = ""
    take: Callable[..., Mapping[str, Any]] | None = None

    def facts(self, stage: Stage) -> Facts:
        """Return the facts of the figure."""
        return stage.figure(self.make, self.fixed)[1].facts

    def draw(self, stage: Stage) -> None:
        """Show the picture."""
        picture, figure = stage.figure(self.make, self.fixed)
        facts = {**stage.facts, **self.fixed, **figure.facts}
        told = [self.told] if isinstance(self.told, str) else self.told
        alternative = " ".join(fill(stage.text[named(section, facts)], facts) for section in told)
        height = call(self.height, {**stage.values, **self.fixed})() if callable(self.height) else self.height
        on_select = partial(self._selected, stage.values) if self.take else None
        show(
            picture,
            key=named(self.key, stage.values),
            alternative=alternative,
            height=height,
            figure=figure,
            on_select=on_select,
        )
        if st.session_state.pop(_LOOK_MOVED, False):
            st.rerun()  # the choice of the look stands outside of the fragment that the selection has run

    def _selected(self, values: Values) -> None:
        selected = st.session_state[self.key].selection.get(self.selection)
        if selected and self.take:
            named = call(self.take, {**values, "selected": selected})()
            st.session_state.update(named)
            st.session_state[_LOOK_MOVED] = st.session_state.get(LOOKS) in named


@dataclass(frozen=True)
class Table(Part):
    """A table: a function of the chapter that returns its lines, and the columns that stay in view."""

    function: Function
    stay: Sequence[str]

    def draw(self, stage: Stage) -> None:
        """Draw the table."""
        lines = result_of(call(self.function, stage.values))
        show_rows(lines if isinstance(lines, Sequence) else lines.to_dict("records"), in_view(*self.stay))


@dataclass(frozen=True)
class Lines(Part):
    """A small table that is read whole: a function of the chapter that returns its lines."""

    function: Function

    def draw(self, stage: Stage) -> None:
        """Draw the table."""
        show_lines(result_of(call(self.function, stage.values)), self.function.__name__)


@dataclass(frozen=True)
class Measured(Part):
    """Facts that no picture shows: a function of the chapter that returns them."""

    function: Callable[..., Facts]

    def facts(self, stage: Stage) -> Facts:
        """Return the facts."""
        facts: Facts = result_of(call(self.function, stage.values))
        return facts

    def draw(self, stage: Stage) -> None:
        """Draw nothing."""


@dataclass(frozen=True)
class Given(Part):
    """Values that no control says, under the names that functions of the chapter know them by.

    An example is that of the visitor's language.
    """

    values: Values
    asks = True

    def draw(self, stage: Stage) -> None:
        """Note the values."""
        stage.note({name: _(value) if isinstance(value, Example) else value for name, value in self.values.items()})


@dataclass(frozen=True)
class Link(Part):
    """A link to another page, by the name of its file: the section that labels it, and what the link says there."""

    page: str
    label: str
    icon: str
    says: Callable[..., Mapping[str, str | list[str]]]

    def draw(self, stage: Stage) -> None:
        """Draw the link."""
        st.page_link(
            f"pages/{self.page}.py",
            label=stage.filled(self.label),
            icon=self.icon,
            query_params=call(self.says, stage.values)(),
        )


@dataclass(frozen=True)
class Own(Part):
    """A part that only this page has: a function that draws it, of values and of the page's `text`.

    Where it `asks`, it may return values for the parts that follow; else it returns nothing.
    """

    function: Function
    asks: bool = True

    def draw(self, stage: Stage) -> None:
        """Call the function."""
        said = call(self.function, {**stage.values, "text": stage.text})()
        if self.asks:
            stage.note(said or {})


def _nothing() -> Facts:
    return {}


@dataclass(frozen=True)
class Exercise(Part):
    """A question for a whole number, and the function of the chapter that computes the answer.

    It is called with the number, as `guess`, and returns whether that is right, with facts. `question` returns the
    facts that the question quotes.
    """

    key: str
    minimum: int
    maximum: int
    answer: Callable[..., tuple[bool, Facts]]
    question: Callable[..., Facts] = _nothing

    def draw(self, stage: Stage) -> None:
        """Ask, and judge where there is an answer."""
        facts = {**stage.facts, **call(self.question, stage.values)()}
        text = {**stage.text, "exercise": fill(stage.text["exercise"], facts)}
        guess = ask(text, self.key, self.minimum, self.maximum)
        if guess is not None:
            right, answered = call(self.answer, {**stage.values, "guess": guess})()
            judge(text, right, {**facts, "guess": guess, **answered})
