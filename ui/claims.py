"""What only the page on claims has: predictions that a session makes, and the runs that it watches."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.chapters import claims
from pe_core.claims import CLAIMS, VERDICTS, Claim, ClaimVerdict
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import MAX_SHOWN, require
from ui.frame.room import first_screen
from ui.frame.shell import linked
from ui.lab.jobs import job_manager
from ui.language.words import _
from ui.widgets.charts import picture_of
from ui.widgets.controls import control, row
from ui.widgets.link import newly_linked, remember, warn_of_link
from ui.widgets.prose import Text, fill
from ui.widgets.tables import show_lines

SAID = "clm_said"  # name of the predictions in the link
PART = "."  # between the parts of one


def choose(text: Text) -> str:
    """Draw the choice of a claim, its sentence and its source; return its key."""
    key = control(claims.CLAIM)
    st.subheader(_(CLAIMS[key].summary))
    facts = claims.source(CLAIMS[key])
    st.markdown(text(facts["source"], facts))
    return key


def go_on(text: Text) -> bool:
    """Draw the way to the next claim; return whether verdicts wait for no prediction, which can be chosen beside it."""
    following, settings = st.columns([2, 4], vertical_alignment="bottom")
    with settings:
        at_once = control(claims.WHEN) == claims.AT_ONCE
    following.button(text("next"), key="clm_next", icon=":material/arrow_forward:", on_click=_next, width="stretch")
    return at_once


def _next() -> None:
    st.session_state["clm"] = claims.next_claim(st.session_state["clm"])


def settle(claim: str, at_once: bool, text: Text) -> None:
    """Draw the controls of a claim, the question for a prediction, and after it what the computation shows."""
    _follow_link(_predictions())
    asked, chosen = claims.controls(CLAIMS[claim]), CLAIMS[claim]
    picture, controls = first_screen()
    with controls:
        said = row(*asked, columns=claims.columns(chosen)) if asked else ()
    values = {parameter.name: value for parameter, value in zip(chosen.parameters, said, strict=True)}
    found = claims.settled(chosen, values, run_for(chosen))
    if at_once or claim == claims.EXAMPLE or _predict(chosen, found.verdict, text):
        _draw_settled(chosen, found, picture, text)
    else:
        st.markdown(text("ask"))
    _draw_score(text)


def run_for(claim: Claim) -> RunRecord:
    """Return the run that this session watches, if it has what the claim needs, else the kept one."""
    job_id = st.session_state.get("run")
    if job_id is not None and job_manager().knows(job_id):
        record = job_manager().snapshot(job_id).record
        if claim.accepts(record):
            return record
    return claims.kept_run()


def _predictions() -> dict[str, tuple[ClaimVerdict, ClaimVerdict]]:
    """Return what this session has said of each claim, and what came out at that moment."""
    made: dict[str, tuple[ClaimVerdict, ClaimVerdict]] = st.session_state.setdefault("clm_predictions", {})
    return made


def _predict(claim: Claim, verdict: ClaimVerdict, text: Text) -> bool:
    """Draw the question for a prediction, or what came of it; return whether there is one."""
    made, place = _predictions(), st.empty()
    if claim.key not in made:
        said: ClaimVerdict | None = place.segmented_control(
            text("prediction"),
            VERDICTS,
            format_func=lambda verdict: text(f"verdict-{verdict}"),
            key=f"clm_{claim.key}_guess",
        )
        if said is None:
            return False
        made[claim.key] = said, verdict
    said, verdict = made[claim.key]
    facts = {"said": text(f"verdict-{said}"), "verdict": text(f"verdict-{verdict}")}
    if said == verdict:  # either takes the place of the question
        place.success(text("right", facts))
    else:
        place.warning(text("wrong", facts))
    return True


def _draw_settled(claim: Claim, found: claims.Settled, place: DeltaGenerator, text: Text) -> None:
    """Draw the picture in its place, the verdict with its numbers, the rule, and which run was measured if one was."""
    facts = {**found.facts, "word": text(f"verdict-{found.verdict}"), "rule": text(f"{claim.key}-rule")}
    st.markdown(f"{text('verdict', facts)}\n\n{text(f'{claim.key}-{found.verdict}', facts)}")
    alternative = text(f"{claim.key}-alternative", facts)
    with place:
        picture_of(found.picture).chart(f"clm_{claim.key}", alternative, height=340)
    st.markdown(text("rule", facts))
    if facts["table"]:
        st.markdown(fill("[[table]]", facts))
    if claim.encodings:
        st.markdown(text("run", {**facts, "which": text(facts["which"])}))
        st.page_link(
            "pages/lab.py",
            label=text("run-lab", facts),
            icon=":material/science:",
            query_params=[("encodings", key) for key in claim.encodings],
        )


def _prediction(told: str) -> tuple[str, tuple[ClaimVerdict, ClaimVerdict]]:
    """Return the claim of a prediction in a link, what was said of it, and what came out at that moment.

    `ValueError` for a text that is not the key of a claim and two verdicts, with PART between them.
    """
    claim, said, found = (*told.split(PART), "", "")[:3]
    verdicts = [verdict for part in (said, found) for verdict in VERDICTS if verdict == part]
    whole = claim in CLAIMS and len(verdicts) == 2 and told.count(PART) == 2
    rule = f"be a claim and two of {', '.join(VERDICTS)}, with a {PART!r} between them"
    require(whole, "prediction", rule, repr(told[:MAX_SHOWN]))
    return claim, (verdicts[0], verdicts[1])


def _follow_link(made: dict[str, tuple[ClaimVerdict, ClaimVerdict]]) -> None:
    """Take over the predictions of a link that was followed; what cannot be one is named."""
    asked = newly_linked(SAID)
    if asked:
        made.clear()
    for told in asked:
        try:
            made.update([_prediction(told)])
        except ValueError as error:
            warn_of_link(str(error), "the question without a prediction")


def _draw_score(text: Text) -> None:
    made = _predictions()
    remember(SAID, [PART.join([claim, *told]) for claim, told in made.items()])
    st.caption(text("score" if made else "score-none", claims.score(made)))
    if made:
        st.button(text("again"), key="clm_again", icon=":material/replay:", type="tertiary", on_click=made.clear)


def lead_to_chapter(claim: str, text: Text) -> None:
    """Draw a link to the chapter of a claim."""
    page = linked()[CLAIMS[claim].chapter]
    st.page_link(page, label=text("chapter", {"chapter": page.title}))


def draw_overview(at_once: bool, text: Text) -> None:
    """Draw the table of all claims; it stays folded, and is not computed, until it is asked for."""
    block = st.expander(
        text("overview"), expanded=at_once, icon=":material/fact_check:", key=f"clm_all_{at_once}", on_change="rerun"
    )
    if block.open:
        with block:
            st.markdown(text("overview-text"))
            verdicts, chapters = claims.verdicts(), linked()
            rows = [
                {
                    "Claim": claim.summary,
                    "Verdict": text(f"verdict-{verdicts[key]}"),
                    "Chapter": chapters[claim.chapter].title,
                }
                for key, claim in CLAIMS.items()
            ]
            show_lines(rows, "claims")
