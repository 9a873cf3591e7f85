"""Show the code that drew a picture: the source of the function itself, so that page and code cannot drift."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_source = cache(inspect.getsource)


def show_source(*functions: Callable[..., Any]) -> None:
    """Draw a folded block with the source of each function.

    What is folded is not there: the browser goes over every element of the page at each step of a slider.
    """
    names = [f"{function.__module__}.{function.__qualname__}" for function in functions]
    block = st.expander("Show code", icon=":material/code:", key=f"source of {' '.join(names)}", on_change="rerun")
    if block.open:
        with block:
            for name, function in zip(names, functions, strict=True):
                st.caption(f"`{name}`")
                st.code(_source(function), language="python")
