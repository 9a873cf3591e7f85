"""Requirements: what an encoding must do, and which encodings do it."""

import streamlit as st

from pe_core.chapters import requirements as chapter
from pe_core.measures import requirements as measures
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import close_page, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control
from ui.widgets.prose import show_source
from ui.widgets.tables import in_view, show_rows

text = open_page("requirements", "What must an encoding do?")


@fragment
def one_requirement() -> None:
    """Draw an encoding that fails a requirement beside one that meets it."""
    above, controls = first_screen()
    with controls:
        requirement = control(chapter.CHOSEN)
    told = facts_of(chapter.told, requirement=requirement)
    failing = picture(chapter.failing, requirement=requirement)
    meeting = picture(chapter.meeting, requirement=requirement)
    with above:
        st.markdown(text("number", told))
        left, right = st.columns(2)
        with left:
            st.markdown(text("fails", failing.facts, told))
            failing.chart("req_fails", text("fails-alternative", told, failing.facts), height=340)
        with right:
            st.markdown(text("meets", meeting.facts, told))
            meeting.chart("req_meets", text("meets-alternative", told, meeting.facts), height=340)
    st.markdown(text("look", told))
    st.markdown(text.paragraph((told["need"], told["seen"]), failing.facts, meeting.facts, told))
    st.markdown(text.paragraph(("rule", told["unjudged-section"]), told))
    show_source(*chapter.proof(requirement))


one_requirement()
st.subheader(_("Which encoding meets which"))
show_rows(chapter.table(), in_view("Requirement"))
st.markdown(text("table"))
mathematics(text, measures.read_out, measures.right_order, measures.relative_steps, measures.relative_cost)
exercise(text, "req_guess", 0, len(chapter.COMPARED), chapter.how_many_miss_one)
close_page(text)
