"""Show the code that drew a picture: the source of the function itself, so that page and code cannot drift."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_source = cache(inspect.getsource)


def show_source(*functions: Callable[..., Any]) -> None:
    """Draw a folded block with the source of each function."""
    with st.expander("Show code", icon=":material/code:"):
        for function in functions:
            st.caption(f"`{function.__module__}.{function.__qualname__}`")
            st.code(_source(function), language="python")
