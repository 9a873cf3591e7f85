"""Inspect a model: what its configuration does with positions, how far its pairs turn, and what a change would do."""

import json
from collections.abc import Iterable

import streamlit as st

from pe_core.chapters import models
from pe_core.measures.rotation import first_negative
from pe_core.models import KNOWN, ConfigError, inspected
from pe_core.models.at_length import at_length
from pe_core.models.reading import parsed
from pe_core.models.what_if import what_if
from pe_core.parameters import Parameter
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import plain, show_source
from ui.widgets.remembered import result_of
from ui.widgets.tables import show_lines

KNOWN_ONE, PASTE, UPLOAD = "a known model", "paste", "upload"
ORIGIN = Parameter(
    "model_from", "Configuration", KNOWN_ONE, "Which configuration is read.", choices=(KNOWN_ONE, PASTE, UPLOAD)
)
MAX_MEGABYTES = 10
MAX_KEPT = 1_000_000  # characters of a configuration that a session keeps, and reads anew with each change
GOOD = "_model_good"  # where a session keeps the last configuration that could be read

text = open_page("models", "Inspect a model")


@fragment
def one_model() -> None:
    """Draw what a configuration says of positions, how far its pairs turn, and what a change would do."""
    above, controls = first_screen()
    with controls:
        source = choose()
        length = control(models.AT)
    told = facts_of(models.told, source=source)
    missing = models.missing(source)
    with above:
        at = facts_of(models.at, source=source, length=length)
        st.markdown(text.paragraph((at["at"], at["and-more"]), told, at))
        if missing:
            st.info(text(missing, told))
        else:
            waves = picture(models.wavelengths, source=source)
            waves.chart("model_waves", text("wavelengths-alternative", told, waves.facts), height=400)
            st.markdown(text.paragraph(("read", waves.facts["scaled"], waves.facts["sharper"]), told, waves.facts))
            if waves.facts["by-axis"]:
                st.markdown(text("by-axis", told, waves.facts))
            st.markdown(text("preferred", told, waves.facts))
    if not missing:  # wider than the picture
        show_lines(result_of(models.layers, source=source), "layers")
    say_parts(source)
    st.markdown(text(told["origin"], told))
    if told["growing"]:
        st.markdown(text("growing", told))
    warn(source)
    show_engines(source, length)
    st.markdown(text("about"))
    st.subheader(_("What if"))
    draw_change(source)
    st.subheader(_("Where each value comes from"))
    st.markdown(text("fields", told))
    show_lines(result_of(models.fields, source=source), "fields")
    if told["unknown"]:
        st.markdown(text("unknown", told))


def choose() -> str:
    """Draw the choice of a known model or the field of a configuration; return the last that could be read."""
    model = st.container()  # first, since it alone is seen on a telephone
    origin = control(ORIGIN)
    if origin == KNOWN_ONE:
        with model:
            st.session_state[GOOD] = chosen = control(models.MODEL)
        return chosen
    st.info(text("private"), icon=":material/lock:")
    source = brought_by(origin)
    if source is not None:
        st.session_state[GOOD] = source
        return source
    shown: str = st.session_state.get(GOOD, models.MODEL.default)
    name = KNOWN[shown].title if shown in KNOWN else text("last-one")
    st.caption(text("instead", {"shown": name}))
    return shown


def brought_by(origin: str) -> str | None:
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
        models.positions(brought)
    except ConfigError as error:
        st.error(text("wrong", {"problem": plain(_(str(error)))}))
        return None
    return brought


def say_parts(source: str) -> None:
    """Write what each part of a model does: that of the text in bold, the others as a list."""
    first, *others = models.positions(source).parts
    st.markdown("\n".join([f"**{plain(_(first))}**", "", listed(others)]))


def warn(source: str) -> None:
    """Write the warnings on a model as a list."""
    if found := models.positions(source).warnings:
        st.info(listed(found), icon=":material/warning:")


def listed(sentences: Iterable[str]) -> str:
    """Return sentences in the visitor's language as a list in Markdown."""
    return "\n".join(f"- {plain(_(one))}" for one in sentences)


def show_engines(source: str, length: int | None) -> None:
    """Write what engines do with the same file, each with its source; nothing where they do the same."""
    found = models.differing(source, length)
    if not found:
        return
    names = [f"[{one.name}]({one.source})" if one.source else one.name for one in found]
    lines = [f"- {name}{_(': ')}{plain(_('; '.join(one.does)))}" for name, one in zip(names, found, strict=True)]
    st.markdown("\n".join([text("engines"), "", *lines]))


def draw_change(source: str) -> None:
    """Ask for a change of the rotation, and draw what it would do."""
    if models.missing(source):
        st.caption(text("no-change"))
        return
    st.markdown(text("what-if"))
    rule, factor, base, part = row(models.RULE, models.FACTOR, models.BASE, models.PART)
    long_factors = control(models.LONG_FACTORS) if rule == "longrope" else ""
    try:
        changed = picture(
            models.changed_wavelengths,
            source=source,
            rule=rule,
            factor=factor,
            base=base,
            part=part,
            long_factors=long_factors,
        )
    except ValueError as error:
        st.info(text("refused", {"problem": plain(_(str(error)))}))
        return
    changed.chart("model_changed", text("changed-alternative", changed.facts), height=400)
    sections = ("changed", changed.facts["stands-still"], changed.facts["stands-in"])
    st.markdown(text.paragraph(sections, changed.facts))
    st.markdown(text("lines", changed.facts))
    # In one colour: those of JSON are too faint to be read.
    st.code(changed.facts["lines"], language=None, wrap_lines=True)


one_model()
show_source(inspected, at_length, models.wavelengths, what_if, first_negative)
mathematics(text)
exercise(text, "model_guess", 0, 4, models.never_turning)
