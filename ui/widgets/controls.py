"""Widgets made from `pe_core` parameters: bound to the link, checked on the server."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pe_core.parameters import MAX_SHOWN, Choice, Choices, Parameter, Value, Words

Control = Parameter | Choice | Choices | Words

MAX_STOPS = 1_000  # of a slider; where there are more, a number is typed
_SEEN = "_seen_in_link"  # where a session keeps what the link named last, by control


def control(asked: Control) -> Any:
    """Draw the widget of a parameter, a choice or words, and return its checked value; a link restores it by its name.

    A `Choices` brings a tuple of keys.
    """
    match asked:
        case Parameter():
            return _value(asked)
        case Choice():
            return choose_one(asked.name, asked.label, asked.titles, asked.default)
        case Choices():
            return tuple(choose_many(asked.name, asked.label, asked.titles, asked.default))
        case Words():
            return _words(asked)


def _value(parameter: Parameter) -> Value:
    """Draw the widget of a parameter and return its checked value.

    A value in the link that the parameter does not allow is named in a warning, and the default stands in its place.
    """
    # On its first run a bound widget takes the link's value over the session's, even one between two of its steps.
    bind: Literal["query-params"] | None = None if reject_bad_link(parameter) else "query-params"
    value: Value
    if parameter.n_values > MAX_STOPS:
        assert isinstance(parameter.default, int)
        typed = st.number_input(
            parameter.label,
            int(parameter.minimum or 0),
            int(parameter.maximum or 0),
            parameter.default,
            step=int(parameter.step),
            key=parameter.name,
            help=parameter.help,
            bind=bind,
        )
        value = parameter.default if typed is None else typed  # an emptied field
    elif not parameter.choices:
        number = int if isinstance(parameter.default, int) else float
        assert parameter.minimum is not None
        assert parameter.maximum is not None
        value = st.slider(
            parameter.label,
            number(parameter.minimum),
            number(parameter.maximum),
            number(parameter.default),
            step=number(parameter.step),
            format="%d" if isinstance(parameter.default, int) else "%g",
            key=parameter.name,
            help=parameter.help,
            bind=bind,
        )
    elif isinstance(parameter.default, str):
        value = st.segmented_control(
            parameter.label,
            parameter.choices,
            default=parameter.default,
            required=True,
            key=parameter.name,
            help=parameter.help,
            bind=bind,
        )
    else:
        value = st.select_slider(
            parameter.label,
            parameter.choices,
            parameter.default,
            key=parameter.name,
            help=parameter.help,
            bind=bind,
        )
    parameter.check(value)
    return value


def keep_in_range(asked: Control) -> None:
    """Bring what was chosen down to the maximum, where that has fallen below it: Streamlit would go to the minimum."""
    if isinstance(asked, Parameter) and asked.maximum is not None:
        chosen = st.session_state.get(asked.name, asked.default)
        if chosen > asked.maximum:
            st.session_state[asked.name] = type(asked.default)(asked.maximum)


def _words(asked: Words) -> str:
    """Draw the field of a text and return what stands there; words that are not allowed give way to the default."""
    words = st.text_input(
        asked.label, asked.default, key=asked.name, help=asked.help, max_chars=asked.max_length, bind="query-params"
    )
    try:
        asked.check(words)
    except ValueError as error:
        warn_of_link(str(error), literal(asked.default))
        return asked.default
    return words


def side_by_side(*parameters: Control, columns: int | Sequence[int] = 0) -> list[Any]:
    """Draw widgets beside each other and return their values.

    `columns` are the relative widths of the columns, or how many there are, where it is not one for each.
    """
    places = st.columns(columns or len(parameters))
    values = []
    for place, parameter in zip(places, parameters, strict=False):
        with place:
            values.append(control(parameter))
    return values


def reject_bad_link(parameter: Parameter) -> bool:
    """Warn of a value in the link that the parameter does not allow, and put the default in its place; True if so."""
    name, text = parameter.name, st.query_params.get(parameter.name)
    seen: dict[str, str | None] = st.session_state.setdefault(_SEEN, {})
    before, seen[name] = seen.get(name), text
    if text is None or (name in st.session_state and text == before):  # no link was followed
        return False
    try:
        parameter.parse(text)
    except ValueError as error:
        warn_of_link(str(error), str(parameter.default))
        seen[name] = None
        st.session_state[name] = parameter.default
        with suppress(StreamlitAPIException):  # of a bound widget, which takes it out of the link when it is unbound
            del st.query_params[name]
        return True
    return False


def choose_one(name: str, label: str, titles: Mapping[str, str], default: str) -> str:
    """Draw a choice of one key, shown by its title, and return it; a link restores it by key.

    A key that does not exist is named in a warning. Streamlit itself would put the title into the link.
    """
    _follow_link(name)
    if name not in st.session_state:
        parameter = Parameter(name, label, default, "", choices=tuple(titles))
        if not reject_bad_link(parameter):
            st.session_state[name] = st.query_params.get(name, default)
    chosen: str = st.selectbox(label, list(titles), format_func=titles.__getitem__, key=name, persist_state="session")
    _write_link(name, [] if chosen == default else [chosen])
    return chosen


def choose_many(name: str, label: str, titles: Mapping[str, str], default: Sequence[str]) -> list[str]:
    """Draw a choice of several keys, shown by their titles, and return the chosen ones; a link restores them by key.

    Keys that do not exist are named in a warning. Streamlit itself would put the titles into the link.
    """
    _follow_link(name)
    if name not in st.session_state:
        st.session_state[name] = _keys_of_link(name, titles, default)
    chosen: list[str] = st.multiselect(
        label, list(titles), format_func=titles.__getitem__, key=name, persist_state="session"
    )
    _write_link(name, [] if chosen == list(default) else chosen or [""])  # nothing chosen is a choice too
    return chosen


def _follow_link(name: str) -> None:
    """Forget the session's choice where the link names another one than it was given: the visitor followed a link."""
    asked = st.query_params.get_all(name)
    if asked and asked != st.session_state.get(f"_link_of_{name}"):
        st.session_state.pop(name, None)


def _write_link(name: str, values: list[str]) -> None:
    if values:
        st.query_params[name] = values
    else:
        st.query_params.pop(name, None)
    st.session_state[f"_link_of_{name}"] = values


def _keys_of_link(name: str, titles: Mapping[str, str], default: Sequence[str]) -> list[str]:
    if name not in st.query_params:
        return list(default)
    asked = [text for text in st.query_params.get_all(name) if text]
    known = [key for key in dict.fromkeys(asked) if key in titles]
    unknown = [text[:MAX_SHOWN] for text in asked if text not in titles]
    if not unknown:
        return known
    instead = known or list(default)
    warn_of_link(f"{name} must be among {', '.join(titles)}, got {', '.join(unknown[:3])}", ", ".join(instead))
    return instead


def literal(text: str) -> str:
    """Return a text that came with a link as code: Markdown would make links and colours of it."""
    return f"`{text.replace('`', chr(39))}`"


def warn_of_link(problem: str, instead: str) -> None:
    """Say that the link holds a value that is not allowed, and what is shown in its place."""
    problem = literal(problem)
    st.warning(f"The link asks for something else than this page has: {problem}. Shown instead: {instead}.")
