"""Inspect a model: what its configuration does with positions, how far its pairs turn, and what a change would do."""

import streamlit as st

from pe_core.chapters import models
from pe_core.measures.rotation import first_negative
from pe_core.models import inspected
from pe_core.models.at_length import at_length
from pe_core.models.what_if import what_if
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.models import choose, show_engines, warn
from ui.page import exercise, facts_of, mathematics, open_page, result_for, row
from ui.widgets.charts import picture
from ui.widgets.prose import show_source
from ui.widgets.tables import show_lines

text = open_page("models", "Inspect a model")
st.markdown(text("intro"))


@fragment
def one_model() -> None:
    """Draw what a configuration says of positions, how far its pairs turn, and what a change would do."""
    above, controls = first_screen()
    with controls:
        source = choose(text)
        [length] = row(models.AT)
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
        show_lines(result_for(models.layers, source=source), "layers")
    st.markdown(text("summary", told))
    st.markdown(text(told["origin"], told))
    if told["growing"]:
        st.markdown(text("growing", told))
    warn(source)
    show_engines(source, length, text)
    st.markdown(text("about"))
    st.subheader(_("What if"))
    draw_change(source)
    st.subheader(_("Where each value comes from"))
    st.markdown(text("fields", told))
    show_lines(result_for(models.fields, source=source), "fields")
    st.markdown(text("unknown", told))


def draw_change(source: str) -> None:
    """Ask for a change of the rotation, and draw what it would do."""
    if no_change := models.no_change(source):
        st.caption(text(no_change))
        return
    st.markdown(text("what-if"))
    rule, factor, base, part = row(models.WHAT_IF)
    asked = models.asked_more(rule)
    more = tuple(zip(asked, row(asked), strict=True))
    if refused := models.refused(source, rule, factor, base, part, more):
        st.info(text(refused, models.problem(source, rule, factor, base, part, more)))
        return
    changed = picture(
        models.changed_wavelengths, source=source, rule=rule, factor=factor, base=base, part=part, more=more
    )
    changed.chart("model_changed", text("changed-alternative", changed.facts), height=400)
    sections = ("changed", changed.facts["stands-still"], changed.facts["stands-in"])
    st.markdown(text.paragraph(sections, changed.facts))
    st.markdown(text("lines", changed.facts))
    lines = models.pasted_back(source, rule, factor, base, part, more)
    st.code(lines, language=None, wrap_lines=True)  # in one colour: those of JSON are too faint to be read


one_model()
show_source(inspected, at_length, models.wavelengths, what_if, first_negative)
mathematics(text)
st.subheader(_("Exercise"))
exercise(text, "model_guess", 0, 4, models.never_turning)
