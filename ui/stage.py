"""Where parts of a page are drawn: the texts of the page, the values of its controls, and the facts of its pictures.

What the controls say goes by name: a function of a chapter is called with the values that its arguments name. The texts
of a place may quote the facts of all pictures there, also of those below them.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal

import streamlit as st

from pe_core.figures.figure import Facts, Figure
from pe_core.wrapping import joined
from ui.widgets.prose import fill, named
from ui.widgets.remembered import result_of

Values = Mapping[str, Any]  # what the controls say, under the names that functions of the chapter know it by
Function = Callable[..., Any]
How = Literal["markdown", "caption", "info", "text"]

_WRITERS: Mapping[How, Callable[[str], Any]] = {
    "markdown": st.markdown,
    "caption": st.caption,
    "info": st.info,
    "text": lambda words: st.text(words.replace("\n", " ")),
}


def call(function: Function, values: Values) -> partial[Any]:
    """Return the call of a function with those values that its arguments name."""
    return partial(function, **{name: values[name] for name in _arguments(function) if name in values})


@cache
def _arguments(function: Function) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


class Part:
    """What a page is made of."""

    asks = False  # whether it adds to the values
    parts: Sequence["Part"] = ()  # what it draws on its own stage

    def facts(self, stage: "Stage") -> Facts:
        """Return the numbers that texts beside it may quote."""
        return {}

    def draw(self, stage: "Stage") -> None:
        """Draw the part."""
        raise NotImplementedError


class Stage:
    """What is known while the parts of one place are drawn."""

    def __init__(self, text: Mapping[str, str], values: Values, parts: Iterable[Part]) -> None:
        self.text = text
        self.values = dict(values)
        self._parts = list(flat(parts))
        self._to_come = sum(part.asks for part in self._parts)
        self._figures: dict[object, tuple[partial[Figure], Figure]] = {}
        self._facts: Facts | None = None

    def note(self, values: Values) -> None:
        """Note what a part that asks has been told."""
        self.values.update(values)
        self._to_come -= 1

    @property
    def facts(self) -> Facts:
        """The values and the facts of all parts; the values alone as long as there are controls to come."""
        if self._to_come:
            return self.values
        if self._facts is None:
            self._facts = dict(self.values)
            for part in self._parts:
                self._facts |= part.facts(self)
        return self._facts

    def figure(self, make: Callable[..., Figure], fixed: Values) -> tuple[partial[Figure], Figure]:
        """Return the call that makes a picture and the figure that it has made, once."""
        made = call(make, {**self.values, **fixed})
        name = make, tuple(fixed.items())
        if name not in self._figures:
            self._figures[name] = made, result_of(made)
        return self._figures[name]

    def filled(self, section: str) -> str:
        """Return a section of the page's text, filled with the facts, also in its name; nothing where that is empty."""
        name = named(section, self.facts)
        return fill(self.text[name], self.facts) if name else ""

    def write(self, *sections: str, how: How = "markdown") -> None:
        """Write filled sections in one paragraph, if there is anything in them."""
        words = joined(part for words in map(self.filled, sections) if words for part in (words, " ")).rstrip()
        if words:
            _WRITERS[how](words)


def flat(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts that are drawn on one stage, also those within others."""
    for part in parts:
        yield part
        yield from flat(part.parts)


def draw_parts(parts: Iterable[Part], text: Mapping[str, str], values: Values) -> Values:
    """Draw parts from top to bottom and return the values with those that their controls have added."""
    stage = Stage(text, values, parts)
    for part in parts:
        part.draw(stage)
    return stage.values
