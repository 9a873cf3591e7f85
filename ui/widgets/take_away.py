"""What a visitor can take away from a page: a link to it as it is now, and every picture as files and as Python."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord
from ui.widgets.charts import Picture, Shown, shown
from ui.widgets.prose import sections, write

MAX_LINE = 100  # characters of a line of Python; a longer call has a line for each argument
RUN_FILE = "run.json"
MODELS_FILE = "models.safetensors"
TITLE = "Link, pictures, Python"
_ASKED = "_take_away"


def offer() -> None:
    """Draw the button that opens the dialog."""
    # By a note of the callback, which outlives the rerun of a page that had to fetch its frame first.
    st.button(TITLE, key="take_away", icon=":material/ios_share:", type="tertiary", on_click=_ask)
    if st.session_state.pop(_ASKED, False):
        _dialog()


def _ask() -> None:
    st.session_state[_ASKED] = True


def link() -> str:
    """Return the address of the page as it is now."""
    asked = [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]
    address = (st.context.url or "").partition("?")[0]
    return f"{address}?{urlencode(asked)}" if asked else address


def python(picture: Picture) -> str:
    """Return a script that makes the picture and writes it to a file.

    A run of the lab is too large for a script: it is read from the file that the dialog offers beside it. So are
    trained models, unless they come with the project.
    """
    function = picture.func
    arguments = [f"{name}={_expression(value)}" for name, value in picture.keywords.items()]
    imports = [f"from {function.__module__} import {function.__name__}"]
    if _record(picture):
        imports = ["from pathlib import Path", "", *imports, "from pe_core.lab.results.record_file import from_json"]
    if _models(picture):
        imports.append("from pe_core.lab.inspection.trained_run import read")
    call = f"figure = {function.__name__}({', '.join(arguments)})"
    if len(call) > MAX_LINE:
        call = "\n".join([f"figure = {function.__name__}(", *(f"    {argument}," for argument in arguments), ")"])
    return "\n".join([*imports, "", call, f'figure.save("{function.__name__}.svg")', ""])


def _expression(value: object) -> str:
    if isinstance(value, RunRecord):
        return f'from_json(Path("{RUN_FILE}").read_text(encoding="utf-8"))'
    if isinstance(value, TrainedRun):
        return "read()" if value is trained_run.kept() else f'read("{MODELS_FILE}")'
    return repr(value)


def _record(picture: Picture) -> RunRecord | None:
    return next((value for value in picture.keywords.values() if isinstance(value, RunRecord)), None)


def _models(picture: Picture) -> TrainedRun | None:
    return next((value for value in picture.keywords.values() if isinstance(value, TrainedRun)), None)


@st.dialog(TITLE, width="large")
def _dialog() -> None:
    text = sections("take_away")
    write(text["link"])
    st.code(link(), language=None, wrap_lines=True)
    write(text["pictures"])
    for key, one in shown().items():
        with st.container(border=True):
            _draw(key, one)


def _draw(key: str, one: Shown) -> None:
    """Draw what there is of one picture; a file is made when it is asked for."""
    picture, name = one.picture, one.picture.func.__name__
    st.markdown(f"**{name.replace('_', ' ').capitalize()}.** {one.alternative}")
    files: dict[str, tuple[str, Callable[[], bytes | str]]] = {
        "png": ("image/png", lambda: picture().png(height=one.height)),
        "svg": ("image/svg+xml", lambda: picture().svg(height=one.height)),
        "csv": ("text/csv", lambda: picture().csv()),
    }
    with st.container(horizontal=True):
        for suffix, (mime, make) in files.items():
            st.download_button(
                suffix.upper(), make, f"{key}.{suffix}", mime, key=f"take_{key}_{suffix}", on_click="ignore"
            )
        if record := _record(picture):
            file = record_file.to_json(record)
            st.download_button("Run", file, RUN_FILE, "application/json", key=f"take_{key}_run", on_click="ignore")
        models = _models(picture)
        if models is not None and models is not trained_run.kept():
            made = partial(trained_run.to_bytes, models)  # when it is asked for: it has some megabytes
            st.download_button("Models", made, MODELS_FILE, key=f"take_{key}_models", on_click="ignore")
    st.code(python(picture), language="python", wrap_lines=True)
