"""Widgets made from `pe_core` parameters: bound to the link, checked on the server."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pe_core.parameters import LONGEST_SHOWN, Parameter, Value

MOST_STOPS = 1_000  # of a slider; where there are more, a number is typed


def control(parameter: Parameter) -> Value:
    """Draw the widget of a parameter and return its checked value; a link restores it under the parameter's name.

    A value in the link that the parameter does not allow is named in a warning, and the default stands in its place.
    """
    reject_bad_link(parameter)
    value: Value
    if parameter.n_values > MOST_STOPS:
        assert isinstance(parameter.default, int)
        typed = st.number_input(
            parameter.label,
            int(parameter.minimum or 0),
            int(parameter.maximum or 0),
            parameter.default,
            step=int(parameter.step),
            key=parameter.name,
            help=parameter.help,
            bind="query-params",
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
            key=parameter.name,
            help=parameter.help,
            bind="query-params",
        )
    elif isinstance(parameter.default, str):
        value = st.segmented_control(
            parameter.label,
            parameter.choices,
            default=parameter.default,
            required=True,
            key=parameter.name,
            help=parameter.help,
            bind="query-params",
        )
    else:
        value = st.select_slider(
            parameter.label,
            parameter.choices,
            parameter.default,
            key=parameter.name,
            help=parameter.help,
            bind="query-params",
        )
    parameter.check(value)
    return value


def reject_bad_link(parameter: Parameter) -> None:
    """Warn of a value in the link that the parameter does not allow, and put the default in its place."""
    text = st.query_params.get(parameter.name)
    if text is None or parameter.name in st.session_state:
        return
    try:
        parameter.parse(text)
    except ValueError as error:
        warn_of_link(str(error), str(parameter.default))
        st.session_state[parameter.name] = parameter.default


def choose_many(name: str, label: str, titles: Mapping[str, str], default: Sequence[str]) -> list[str]:
    """Draw a choice of several keys, shown by their titles, and return the chosen ones; a link restores them."""
    unknown = [text for text in st.query_params.get_all(name) if text not in titles]
    if unknown and name not in st.session_state:
        shown = ", ".join(text[:LONGEST_SHOWN] for text in unknown[:3])
        warn_of_link(f"{name} must be among {', '.join(titles)}, got {shown}", "the others")
    chosen: list[str] = st.multiselect(
        label, list(titles), default, format_func=titles.__getitem__, key=name, bind="query-params"
    )
    return chosen


def warn_of_link(problem: str, instead: str) -> None:
    """Say what is wrong with a value in the link, and what stands in its place."""
    st.warning(f"The link asks for something else than this page has: {problem}. Shown instead: {instead}.")
