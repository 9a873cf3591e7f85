"""Widgets made from `pe_core` parameters: bound to the link, checked on the server."""

import streamlit as st

from pe_core.parameters import Parameter, Value


def control(parameter: Parameter) -> Value:
    """Draw the widget of a parameter and return its checked value; a link restores it under the parameter's name.

    A value in the link that the parameter does not allow is named in a warning, and the default stands in its place.
    """
    _reject_bad_link(parameter)
    if not parameter.choices:
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


def _reject_bad_link(parameter: Parameter) -> None:
    text = st.query_params.get(parameter.name)
    if text is None or parameter.name in st.session_state:
        return
    try:
        parameter.parse(text)
    except ValueError as error:
        st.warning(f"The link asks for something else than this page has: {error}. Shown instead: {parameter.default}.")
        st.session_state[parameter.name] = parameter.default
