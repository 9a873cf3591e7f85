"""What a visitor can take away from a page: a link to it as it is now, and every picture as files and as Python."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.chapters.script import MODELS_FILE, RUN_FILE, models_of, notebook, python, record_of
from pe_core.figures.figure import Figure
from pe_core.figures.looks.paper import SIZES, THEMES
from pe_core.lab.inspection import trained_run
from pe_core.lab.results import record_file
from ui.language.words import _, language
from ui.widgets.bound import moved
from ui.widgets.charts import Shown, figure_in, shown
from ui.widgets.prose import Text

TITLE = "Link, pictures, Python"


def offer() -> None:
    """Draw the button that opens the dialog."""
    if st.button(_(TITLE), key="take_away", icon=":material/ios_share:", type="tertiary"):
        st.dialog(_(TITLE), width="large")(_dialog)()


def link() -> str:
    """Return the address of the page as it is now."""
    asked = [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]
    address = (st.context.url or "").partition("?")[0]
    return f"{address}?{urlencode(asked)}" if asked else address


def _dialog() -> None:
    text = Text("take_away")
    st.markdown(text("link"))
    st.code(link(), language=None, wrap_lines=True)
    st.markdown(text("pictures"))
    theme, size = _choose_looks()
    for key, one in shown().items():
        with st.container(border=True):
            _draw(key, one, theme, size)


def _choose_looks() -> tuple[str, str]:
    """Draw the choice of a theme, at first that of the page, and of a size; return their keys."""
    left, right = st.columns([1, 2])
    themes = {theme: theme.capitalize() for theme in THEMES}
    sizes = {key: size.title for key, size in SIZES.items()}
    shown_now = st.context.theme.type or THEMES[0]
    return (
        _choose(left, "Theme", themes, shown_now, "take_theme"),
        _choose(right, "Size", sizes, next(iter(SIZES)), "take_size"),
    )


def _choose(place: DeltaGenerator, label: str, titles: Mapping[str, str], first: str, key: str) -> str:
    chosen: str = place.segmented_control(
        _(label), titles, default=first, format_func=lambda one: _(titles[one]), required=True, key=key
    )
    return chosen


def _draw(key: str, one: Shown, theme: str, size: str) -> None:
    """Draw what there is of one picture; a file is made when it is asked for."""
    picture, starts, paper = one.picture, moved(key, one.spec), SIZES[size]
    looks: Any = {"width": paper.width, "height": paper.height or one.height, "theme": theme}

    read = language()  # a file is made in a thread that knows no session

    def made() -> Figure:
        return picture().started(starts)

    def worded() -> Figure:
        return figure_in(read, made())

    st.markdown(one.alternative)
    table = ("csv", "text/csv", lambda: made().csv())
    tables = ("zip", "application/zip", lambda: made().zipped())
    files: dict[str, tuple[str, str, Callable[[], bytes | str]]] = {
        "PNG": ("png", "image/png", lambda: worded().png(**looks, scale=paper.scale)),
        "SVG": ("svg", "image/svg+xml", lambda: worded().svg(**looks)),
        "CSV": table if one.n_tables == 1 else tables,
        "Notebook": ("ipynb", "application/x-ipynb+json", lambda: notebook(picture, starts, one.alternative, made())),
    }
    with st.container(horizontal=True):
        for label, (suffix, mime, make) in files.items():
            st.download_button(
                _(label), make, f"{key}.{suffix}", mime, key=f"take_{key}_{label.lower()}", on_click="ignore"
            )
        if record := record_of(picture):
            file = record_file.to_json(record)
            st.download_button(_("Run"), file, RUN_FILE, "application/json", key=f"take_{key}_run", on_click="ignore")
        models = models_of(picture)
        if models is not None and models is not trained_run.kept():
            content = partial(trained_run.to_bytes, models)  # when it is asked for: it has some megabytes
            st.download_button(_("Models"), content, MODELS_FILE, key=f"take_{key}_models", on_click="ignore")
    st.code(python(picture, starts), language="python", wrap_lines=True)
