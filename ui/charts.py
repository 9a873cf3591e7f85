"""The one way a figure reaches a page: full width, in the page's theme, with a text alternative."""

import streamlit as st

from pe_core.figures.figure import Figure


def show(figure: Figure, *, key: str, alternative: str, height: int = 380) -> None:
    """Draw a figure, `height` pixels high; `alternative` is a computed sentence that says what is to be seen.

    `key` keeps the browser's view, and what the visitor set in it, over reruns.
    """
    spec = {**figure.spec, "datasets": figure.frames}
    st.vega_lite_chart(spec=spec, width="stretch", height=height, key=key, alt=alternative)
