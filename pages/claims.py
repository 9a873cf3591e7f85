"""Claims, checked: predict first, then the computation runs and gives the verdict."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.chapters import claims
from pe_core.claims import CLAIMS
from ui.claims import draw_score, follow_predictions, predict, run_for
from ui.frame.room import first_screen
from ui.frame.shell import linked
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import exercise, mathematics, open_page
from ui.widgets.charts import picture_of, with_legend
from ui.widgets.controls import control, row
from ui.widgets.prose import fill, show_source
from ui.widgets.tables import show_lines

text = open_page("claims", "Claims, checked")
claim = control(claims.CLAIM)
chosen = CLAIMS[claim]
st.subheader(_(chosen.summary))
origin = claims.source(chosen)
st.markdown(text(origin["source"], origin))


def go_on() -> None:
    """Choose the next claim."""
    st.session_state[claims.CLAIM.name] = claims.next_claim(claim)


@fragment
def one_claim() -> None:
    """Draw the controls of a claim, the question for a prediction, and after it what the computation shows."""
    follow_predictions()
    asked = claims.controls(chosen)
    picture, controls = first_screen()
    with controls:
        said = row(*asked, columns=max(2, len(asked))) if asked else ()
    values = {parameter.name: value for parameter, value in zip(chosen.parameters, said, strict=True)}
    found = claims.settled(chosen, values, run_for(chosen))
    if at_once or claim == claims.EXAMPLE or predict(claim, found.verdict, text):
        settle(found, picture)
    else:
        st.markdown(text("ask"))
    draw_score(text)


def settle(found: claims.Settled, place: DeltaGenerator) -> None:
    """Draw the picture in its place, the verdict with its numbers, the rule, and which run was measured if one was."""
    facts = {**found.facts, "word": text(f"verdict-{found.verdict}"), "rule": text(f"{claim}-rule")}
    st.markdown(f"{text('verdict', facts)}\n\n{text(f'{claim}-{found.verdict}', facts)}")
    height = with_legend(340, 1 + len(chosen.encodings))
    picture_of(found.picture).chart(f"clm_{claim}", text(f"{claim}-alternative", facts), height=height, place=place)
    st.markdown(text("rule", facts))
    if facts["table"]:
        st.markdown(fill("[[table]]", facts))
    if chosen.encodings:
        st.markdown(text("run", {**facts, "which": text(facts["which"])}))
        way = [("encodings", key) for key in chosen.encodings]
        st.page_link("pages/lab.py", label=text("run-lab", facts), icon=":material/science:", query_params=way)


place = st.container()  # of what waits for the choice below it
following, settings = st.columns([2, 4], vertical_alignment="bottom")
with settings:
    at_once = control(claims.WHEN) == claims.AT_ONCE
following.button(text("next"), key="clm_next", icon=":material/arrow_forward:", on_click=go_on, width="stretch")
with place:
    one_claim()
chapters = linked()
chapter = chapters[chosen.chapter]
st.page_link(chapter, label=text("chapter", {"chapter": chapter.title}))
show_source(chosen.decide, *chosen.sources)
st.markdown(text("about"))
st.markdown(text("look"))
mathematics(text)
exercise(text, "clm_guess", 0, len(CLAIMS), claims.true_ones, facts={"claims": len(CLAIMS)})

overview = st.expander(
    text("overview"), expanded=at_once, icon=":material/fact_check:", key=f"clm_all_{at_once}", on_change="rerun"
)
if overview.open:  # else nothing of it is computed
    with overview:
        st.markdown(text("overview-text"))
        verdicts = claims.verdicts()
        rows = [
            {"Claim": one.summary, "Verdict": text(f"verdict-{verdicts[key]}"), "Chapter": chapters[one.chapter].title}
            for key, one in CLAIMS.items()
        ]
        show_lines(rows, "claims")
