"""The catalogue: any entry of any registry, with what is registered of it, its documentation and its code."""

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import CodeType, ModuleType
from typing import Any

import streamlit as st

from pe_core.encodings import ENCODINGS, EncodingSpec
from pe_core.masks import MASKS
from pe_core.parameters import Parameter, Value
from pe_core.positions import REMAPS
from pe_core.registry import Entry
from pe_core.rope_scaling import SCALINGS
from ui.catalogue.encoding import draw_encoding
from ui.catalogue.question import Question
from ui.catalogue.rules import draw_mask, draw_remap, draw_scaling
from ui.widgets.controls import MOST_STOPS, choose_one, control
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

COLUMNS = 4  # controls side by side
MOST_LETTERS = 24  # of all choices together that a column has room for
FINE = 100  # stops, at least, of the slider of a number that is no whole number
MOST_GUESSED = 10_000_000
WIDE = 1e4  # a range whose end is this many times its start goes by powers of ten


@dataclass(frozen=True)
class Kind:
    """One registry: its name in links, its entries, what is shown at first, and what draws an entry.

    `maker` returns the function that an entry was registered with.
    """

    name: str
    entries: Mapping[str, Entry]
    first: str
    maker: Callable[[Any], Callable[..., Any]]
    draw: Callable[[Any, Mapping[str, Value], Mapping[str, str]], Question]


KINDS = {
    "Encodings": Kind("encoding", ENCODINGS, "alibi", lambda entry: entry.make, draw_encoding),
    "Scaling rules": Kind("scaling", SCALINGS, "yarn", lambda entry: entry.rule, draw_scaling),
    "Masks": Kind("mask", MASKS, "sinks", lambda entry: entry.make, draw_mask),
    "Index remaps": Kind("remap", REMAPS, "randomised", lambda entry: entry.make, draw_remap),
}
REGISTRY = Parameter("cat_registry", "Registry", "Encodings", "", choices=tuple(KINDS))


def choose() -> tuple[Kind, Entry]:
    """Draw the choice of a registry and of one of its entries, and return both."""
    kind = KINDS[str(control(REGISTRY))]  # over the whole width: in half of it its choices do not fit a telephone
    for other in KINDS.values():
        if other is not kind:
            st.query_params.pop(f"cat_{other.name}", None)
    titles = {key: entry.title for key, entry in kind.entries.items()}
    key = choose_one(f"cat_{kind.name}", "Entry", titles, kind.first)
    return kind, kind.entries[key]


def parameter_of(kind: Kind, entry: Entry, parameter: Parameter) -> Parameter:
    """Return a parameter under a name of its own in the link, with the values that a slider can show.

    A range over many powers of ten becomes a ladder of 1, 2, 5, 10 ...; one without useful steps gets finer ones.
    """
    named = replace(parameter, name=f"cat_{kind.name}_{entry.key}_{parameter.name}")
    if parameter.choices or isinstance(parameter.default, str):
        return named
    assert parameter.minimum is not None
    assert parameter.maximum is not None
    if parameter.minimum > 0 and parameter.maximum / parameter.minimum >= WIDE:
        return replace(named, default=_plain(parameter.default), choices=tuple(map(_plain, _ladder(parameter))))
    if isinstance(parameter.default, int) or FINE <= parameter.n_values <= MOST_STOPS:
        return named
    finest = (parameter.maximum - parameter.minimum) / FINE
    return replace(named, step=10.0 ** math.floor(math.log10(finest)))


def _ladder(parameter: Parameter) -> list[float]:
    assert parameter.minimum is not None
    assert parameter.maximum is not None
    first, last = (math.floor(math.log10(end)) for end in (parameter.minimum, parameter.maximum))
    rungs = {float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)}
    inside = {rung for rung in rungs if parameter.minimum <= rung <= parameter.maximum}
    return sorted({*inside, float(parameter.minimum), float(parameter.maximum), float(parameter.default)})


def _plain(number: Value) -> int | float:
    """A whole number without its fraction of zero."""
    return int(number) if float(number).is_integer() else float(number)


def choose_values(kind: Kind, entry: Entry) -> dict[str, Value]:
    """Draw a widget for every parameter of the entry and return the values by name: wide ones below the others."""
    named = {parameter.name: parameter_of(kind, entry, parameter) for parameter in entry.parameters}
    narrow = [name for name, parameter in named.items() if not _is_wide(parameter)]
    values = {}
    places = st.columns(COLUMNS) if narrow else []
    for number, name in enumerate(narrow):
        with places[number % COLUMNS]:
            values[name] = control(named[name])
    for name, parameter in named.items():
        if _is_wide(parameter):
            values[name] = control(parameter)
    return values


def _is_wide(parameter: Parameter) -> bool:
    """Whether the choices of a parameter, side by side, do not fit into a column."""
    return (
        isinstance(parameter.default, str) and sum(len(str(choice)) + 3 for choice in parameter.choices) > MOST_LETTERS
    )


def describe(entry: Entry, text: Mapping[str, str]) -> None:
    """Write title, sentence, source, and where position enters."""
    st.subheader(entry.title)
    lines = [entry.summary, fill(text["source"], {"source": source_of(entry, text)})]
    if isinstance(entry, EncodingSpec):
        lines.append(" ".join(text[f"hook-{hook}"] for hook in entry.hooks or ("none",)))
    write("\n\n".join(lines))


def draw_exercise(kind: Kind, entry: Entry, question: Question, text: Mapping[str, str]) -> None:
    """Ask for a whole number about the entry as it is shown, and say what was computed."""
    asked = fill(text[f"exercise-{question.section}"], question.facts)
    guess = ask({**text, "exercise": asked}, f"cat_guess_{kind.name}_{entry.key}", 0, MOST_GUESSED)
    if guess is None:
        return
    facts = {**question.facts, "guess": f"{guess:,}", "answer": f"{question.answer:,}"}
    why = fill(text[f"exercise-{question.section}-why"], facts)
    judge(text, guess == question.answer, {**facts, "why": why})


def source_of(entry: Entry, text: Mapping[str, str]) -> str:
    """Return the paper of an entry in Markdown, linked where it is on arXiv."""
    if entry.paper is None:
        return text["folklore"]
    paper = entry.paper
    named = f"{paper.authors} {paper.year}, “{paper.title}”"
    return with_links(f"{named}, arXiv:{paper.arxiv}") if paper.arxiv else named


def with_links(text: str) -> str:
    """Return a text in which every arXiv identifier is a link in Markdown."""
    return re.sub(r"arXiv:(\d{4}\.\d{4,5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


def documents(kind: Kind, entry: Entry) -> list[str]:
    """Return what the code says of the entry, in Markdown: its module, and where that holds many, its functions."""
    maker = kind.maker(entry)
    here = [other for other in kind.entries.values() if kind.maker(other).__module__ == maker.__module__]
    found = [inspect.getdoc(_module(maker)) or ""]
    if len(here) > 1:
        functions = [part for part in _named(maker) if inspect.isfunction(part) and inspect.getdoc(part)]
        found += [f"**{part.__name__}.** {inspect.getdoc(part)}" for part in functions]
    return [with_links(re.sub(r"\n(?=(Reference|Source)s?:)", "\n\n", text)) for text in found]


@cache
def parts(maker: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """Return the functions and classes of its module that a maker comes to use, itself too if it has a name."""
    waiting = [maker] if maker.__name__.isidentifier() else list(_named(maker))
    found: list[Callable[..., Any]] = []
    while waiting:
        part = waiting.pop()
        if part not in found:
            found.append(part)
            waiting += _named(part)
    return tuple(sorted(found, key=lambda part: inspect.getsourcelines(part)[1]))


def _module(part: Callable[..., Any]) -> ModuleType:
    return sys.modules[part.__module__]


def _named(part: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return the functions and classes of its own module that a function, or a method of a class, names."""
    module = _module(part)
    functions = (
        [value for value in vars(part).values() if inspect.isfunction(value)] if inspect.isclass(part) else [part]
    )
    names = dict.fromkeys(name for function in functions for name in _names(function.__code__))
    values = [vars(module).get(name) for name in names]
    return [
        value
        for value in values
        if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__
    ]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _names(constant)
