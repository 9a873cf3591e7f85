"""What only the page that inspects a model has: which model, the field for a configuration, and its warnings."""

import json

import streamlit as st

from pe_core.chapters import models as chapter
from pe_core.models import KNOWN, ConfigError
from pe_core.models.reading import parsed
from pe_core.parameters import Parameter
from ui.language.words import _
from ui.widgets.controls import choose_one, control
from ui.widgets.prose import Text, plain

KNOWN_ONE, PASTE, UPLOAD = "a known model", "paste", "upload"
ORIGIN = Parameter(
    "model_from", "Configuration", KNOWN_ONE, "Which configuration is read.", choices=(KNOWN_ONE, PASTE, UPLOAD)
)
MAX_MEGABYTES = 10
MAX_KEPT = 1_000_000  # characters of a configuration that a session keeps, and reads anew with each change
_GOOD = "_model_good"  # where a session keeps the last configuration that could be read


def choose(text: Text) -> str:
    """Draw the choice of a known model, or the field of a configuration; return the source that is shown.

    What is wrong with a configuration is said in a sentence, and the last one that could be read is returned.
    """
    model = st.container()  # first, since it alone is seen on a telephone
    origin = control(ORIGIN)
    if origin == KNOWN_ONE:
        choice = chapter.MODEL
        with model:
            st.session_state[_GOOD] = choose_one(choice.name, choice.label, choice.titles, choice.default)
        chosen: str = st.session_state[_GOOD]
        return chosen
    st.info(text("private"), icon=":material/lock:")
    source = _brought(origin, text)
    if source is not None:
        st.session_state[_GOOD] = source
        return source
    shown: str = st.session_state.get(_GOOD, chapter.MODEL.default)
    name = KNOWN[shown].title if shown in KNOWN else text("last-one")
    st.caption(text("instead", {"shown": name}))
    return shown


def _brought(origin: str, text: Text) -> str | None:
    """Draw the field and return the text of a configuration that can be read; None where there is none."""
    try:
        if origin == PASTE:
            brought: str | None = st.text_area(
                text("paste"),
                key="model_pasted",
                height=180,
                max_chars=MAX_KEPT,
                placeholder=text("placeholder"),
                persist_state="session",
            )
        else:
            file = st.file_uploader(text("upload"), key="model_file", max_upload_size=MAX_MEGABYTES)
            brought = json.dumps(parsed(file.getvalue())) if file is not None else None
        if not brought:
            return None
        if len(brought) > MAX_KEPT:
            raise ConfigError(f"the configuration must have at most {MAX_KEPT:,} characters, got {len(brought):,}")
        chapter.positions(brought)
    except ConfigError as error:
        st.error(text("wrong", {"problem": plain(_(str(error)))}))
        return None
    return brought


def warn(source: str) -> None:
    """Write the warnings on a model as a list."""
    found = chapter.positions(source).warnings
    if found:
        st.info("\n".join(f"- {plain(_(one))}" for one in found), icon=":material/warning:")


def show_engines(source: str, length: int | None, text: Text) -> None:
    """Write what engines do with the same file, each with its source; nothing where they do the same."""
    found = chapter.differing(source, length)
    if not found:
        return
    names = [f"[{one.name}]({one.source})" if one.source else one.name for one in found]
    lines = [f"- {name}{_(': ')}{plain(_('; '.join(one.does)))}" for name, one in zip(names, found, strict=True)]
    st.markdown("\n".join([text("engines"), "", *lines]))
