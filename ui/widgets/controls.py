"""Widgets made from `pe_core` parameters: bound to the link, checked on the server."""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeVar, overload

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pe_core.parameters import (
    MAX_SHOWN,
    Choice,
    Choices,
    Example,
    OptionalNumber,
    Order,
    Parameter,
    Value,
    Words,
)
from pe_core.translation import speaking
from ui.language.words import _, language
from ui.widgets.link import literal, newly_linked, recall, remember, say_instead
from ui.widgets.prose import plain

A = TypeVar("A")  # what each control of a row says
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
Answer = TypeVar("Answer", covariant=True)
GROUP = "_group"  # ends the name of the choice of a group
NO_GROUPS: Mapping[str, Sequence[str]] = MappingProxyType({})
MAX_STOPS = 1_000  # of a slider; where there are more, a number is typed
_DEFAULT = "_default_text_of_"  # where a session keeps the default of a field of words, which differs by language
_SEEN = "_seen_in_link"  # where a session keeps what the link named last, by control


class Control(Protocol[Answer]):
    """What is asked of a visitor; the type of what it says at first is that of each answer."""

    @property
    def name(self) -> str:
        """The name in the link."""

    @property
    def default(self) -> Answer:
        """What it says at first."""


def control(asked: Control[A]) -> A:
    """Draw the widget of a control and return its checked value; a link restores it by its name."""
    answer: A = _draw(asked)
    return answer


def _draw(asked: object) -> Any:
    match asked:
        case Words():
            return _words(asked)
        case Parameter():
            return choose_word(asked) if isinstance(asked.default, str) else _value(asked)
        case OptionalNumber():
            return _number_or_none(asked)
        case Choice():
            return _choose_one(asked)
        case Choices():
            return _choose_many(asked)
        case Order():
            return _order(asked)
    raise TypeError(f"no widget for {asked}")


def _value(parameter: Parameter[Value]) -> Value:
    """Draw the widget of a parameter and return its checked value.

    A value in the link that the parameter does not allow is named in a warning, and the default stands in its place.
    """
    most, name = parameter.maximum, parameter.name
    if most is not None and st.session_state.get(name, parameter.default) > most:  # Streamlit would go to the minimum
        st.session_state[name] = type(parameter.default)(most)
    # On its first run a bound widget takes the link's value over the session's, even one between two of its steps.
    bind = None if reject_bad_link(parameter) else "query-params"
    bound: dict[str, Any] = {"label": _(parameter.label), "key": name, "help": _(parameter.help), "bind": bind}
    value: Any
    if parameter.choices:
        value = st.select_slider(options=parameter.choices, value=parameter.default, **bound)
    else:
        kind = int if isinstance(parameter.default, int) else float
        bound |= {"min_value": kind(parameter.minimum or 0), "max_value": kind(parameter.maximum or 0)}
        bound |= {"value": kind(parameter.default), "step": kind(parameter.step)}
        if parameter.n_values > MAX_STOPS:
            value = st.number_input(**bound)
            value = parameter.default if value is None else value  # an emptied field
        else:
            value = st.slider(format="%d" if kind is int else "%g", **bound)
    parameter.check(value)
    checked: Value = value
    return checked


def choose_word(parameter: Parameter[str], groups: Mapping[str, Sequence[str]] = NO_GROUPS) -> str:
    """Draw a choice of words beside each other, in the visitor's language, and return the English one, as in the link.

    Where there is more than one of `groups`, which hold all words by the name of their group, that choice stands above
    it; the link names the word alone. A word in the link that the parameter does not allow is named in a warning, and
    the default stands in its place.
    """
    name = parameter.name
    _recall_choice(parameter)
    chosen: str | None = st.segmented_control(
        _(parameter.label),
        _group_of(parameter, groups) if len(groups) > 1 else parameter.choices,
        format_func=speaking(language()),
        required=True,
        key=name,
        help=_(parameter.help),
        persist_state="session",
    )
    parameter.check(chosen)
    assert chosen is not None  # for the type checker: None would not have been allowed
    remember(name, [] if chosen == parameter.default else [chosen])
    return chosen


def _recall_choice(parameter: Parameter[str]) -> None:
    """Bring back the choice that the link has; one that is not there any more gives way to the default."""
    recall(parameter.name, parameter.parse, parameter.default)
    if st.session_state.get(parameter.name) not in parameter.choices:
        st.session_state[parameter.name] = parameter.default


def _group_of(parameter: Parameter[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Draw the choice of a group above its words, and return them; another group begins with its first word."""
    name, key = parameter.name, f"{parameter.name}{GROUP}"
    st.session_state[key] = next(group for group, words in groups.items() if st.session_state[name] in words)

    def open_group() -> None:
        st.session_state[name] = groups[st.session_state[key]][0]

    group: str | None = st.segmented_control(
        _(parameter.label),
        list(groups),
        format_func=speaking(language()),
        required=True,
        key=key,
        label_visibility="collapsed",
        on_change=open_group,
    )
    assert group is not None  # one is required
    return list(groups[group])


def _number_or_none(asked: OptionalNumber[Any]) -> Value | None:
    """Draw a field for a number that may stay empty, and return the checked number, or None.

    A value in the link that is not allowed is named in a warning, and the field is empty.
    """
    bind: Literal["query-params"] | None = None if reject_bad_link(asked.parameter, asked.empty) else "query-params"
    value: Value | None = st.number_input(
        _(asked.label),
        asked.kind(asked.minimum),
        asked.kind(asked.maximum),
        asked.default,
        key=asked.name,
        help=_(asked.help),
        placeholder=_(asked.empty),
        bind=bind,
    )
    asked.check(value)
    return value


def _words(asked: Words) -> str:
    """Draw the field of a text and return what stands there; words that are not allowed give way to the default.

    Where the example of a sentence still stands, another language brings its own.
    """
    default = _(asked.default) if isinstance(asked.default, Example) else str(asked.default)
    before, st.session_state[_DEFAULT + asked.name] = st.session_state.get(_DEFAULT + asked.name), default
    if before is not None and st.session_state.get(asked.name) == before != default:
        st.session_state[asked.name] = default
    words = st.text_input(
        _(asked.label), default, key=asked.name, help=_(asked.help), max_chars=asked.max_length, bind="query-params"
    )
    try:
        asked.check(words)
    except ValueError as error:
        say_instead(str(error), literal(default) if default else "nothing")
        return default
    return words


def _order(asked: Order) -> tuple[int, ...]:
    """Draw words of which one can be picked and moved, and the orders that one may want; return the word at each place.

    An order that was made here is forgotten where the sentence has another number of words.
    """
    name, default = asked.name, ".".join(map(str, asked.default))
    recall(name, asked.parse, default)
    places: tuple[int, ...] = st.session_state.get(name, asked.default)
    st.session_state[name] = places = places if len(places) == len(asked.words) else asked.default
    as_written = tuple(range(len(places)))

    def way(title: str, order: Sequence[int], *, off: bool = False) -> None:
        put = partial(st.session_state.update, {name: tuple(order)})
        st.button(_(title), key=f"{name}_{title}", on_click=put, disabled=off)

    with st.container(key=f"{name}_words"):
        picked = st.pills(
            _(asked.label), places, format_func=lambda place: plain(asked.words[place]), key=f"{name}_word"
        )
        at = places.index(picked) if picked in places else None
        with st.container(horizontal=True, gap="small"):
            way("Move left", _moved(places, at, -1), off=not at)
            way("Move right", _moved(places, at, 1), off=at is None or at == len(places) - 1)
            way("As written", as_written)
            way("Turn around", places[::-1])
            way("Shuffle", random.sample(as_written, len(places)))
    said = ".".join(map(str, places))
    remember(name, [] if said == default else [said])
    return places


def _moved(places: Sequence[int], at: int | None, by: int) -> list[int]:
    order = list(places)
    if at is not None:
        order.insert(max(at + by, 0), order.pop(at))
    return order


@overload
def row(first: Control[A], second: Control[B], /, *, columns: int | Sequence[int] = ...) -> tuple[A, B]: ...
@overload
def row(
    first: Control[A], second: Control[B], third: Control[C], /, *, columns: int | Sequence[int] = ...
) -> tuple[A, B, C]: ...
@overload
def row(
    first: Control[A],
    second: Control[B],
    third: Control[C],
    fourth: Control[D],
    /,
    *,
    columns: int | Sequence[int] = ...,
) -> tuple[A, B, C, D]: ...
@overload
def row(*asked: Control[A], columns: int | Sequence[int] = ...) -> tuple[A, ...]: ...
def row(*asked: Control[Any], columns: int | Sequence[int] = 0) -> tuple[Any, ...]:
    """Draw controls beside each other and return what they say.

    `columns` are the relative widths of the columns, or how many there are, where it is not one for each.
    """
    values = []
    for place, one in zip(st.columns(columns or len(asked)), asked, strict=False):
        with place:
            values.append(control(one))
    return tuple(values)


def reject_bad_link(parameter: Parameter[Value], empty: str = "") -> bool:
    """Warn of a value in the link that the parameter does not allow, and put the default in its place; True if so.

    A field of numbers takes any between its ends and writes it into the link, also one between two steps.
    Where nothing may be told, `empty` is what the field then shows, and it stays empty.
    """
    name, text = parameter.name, st.query_params.get(parameter.name)
    seen: dict[str, str | None] = st.session_state.setdefault(_SEEN, {})
    before, seen[name] = seen.get(name), text
    if text is None or (name in st.session_state and text == before):  # no link was followed
        return False
    try:
        parameter.parse(text)
    except ValueError as error:
        say_instead(str(error), empty or str(parameter.default))
        seen[name] = None
        st.session_state[name] = None if empty else parameter.default
        with suppress(StreamlitAPIException):  # of a bound widget, which takes it out of the link when it is unbound
            del st.query_params[name]
        return True
    return False


def _choose_one(asked: Choice) -> str:
    """Draw a choice of one key, shown by its title; a link restores it by key, where Streamlit would have the title."""
    _recall_choice(Parameter(asked.name, asked.label, asked.default, "", choices=tuple(asked.titles)))
    shown = {key: _(title) for key, title in asked.titles.items()}
    chosen: str = st.selectbox(
        _(asked.label), list(shown), format_func=shown.__getitem__, key=asked.name, persist_state="session"
    )
    remember(asked.name, [] if chosen == asked.default else [chosen])
    return chosen


def _choose_many(asked: Choices) -> tuple[str, ...]:
    """Draw a choice of several keys, shown by their titles; a link restores them by key.

    Keys that do not exist are named in a warning.
    """
    name, titles, default = asked.name, asked.titles, list(asked.default)
    linked = newly_linked(name)
    if linked or name not in st.session_state:
        keys = list(dict.fromkeys(filter(None, linked)))
        known = [key for key in keys if key in titles] if linked else default
        if unknown := [key[:MAX_SHOWN] for key in keys if key not in titles]:
            known = known or default
            rule = f"{name} must be among {', '.join(titles)}"
            say_instead(f"{rule}, got {', '.join(unknown[:3])}", ", ".join(known))
        st.session_state[name] = known
    shown = {key: _(title) for key, title in titles.items()}
    chosen: list[str] = st.multiselect(
        _(asked.label), list(titles), format_func=shown.__getitem__, key=name, wrap=True, persist_state="session"
    )
    remember(name, [] if chosen == default else chosen or [""])  # nothing chosen is a choice too
    return tuple(chosen)
