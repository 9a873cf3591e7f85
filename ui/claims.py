"""What the page on claims keeps: the predictions of a session, in its link too, and the run that settles a claim."""

import streamlit as st

from pe_core.chapters import claims
from pe_core.claims import CLAIMS, VERDICTS, Claim, ClaimVerdict
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import MAX_SHOWN
from ui.lab.jobs import job_manager
from ui.widgets.link import newly_linked, remember, say_instead
from ui.widgets.prose import Text

SAID = "clm_said"  # name of the predictions in the link
PART = "."  # between the parts of one

Predictions = dict[str, tuple[ClaimVerdict, ClaimVerdict]]  # what was said of each claim, and what came out then


def run_for(claim: Claim) -> RunRecord:
    """Return the run that this session watches, if it has what the claim needs, else the kept one."""
    job_id = st.session_state.get("run")
    if job_id is not None and job_manager().knows(job_id):
        record = job_manager().snapshot(job_id).record
        if claim.accepts(record):
            return record
    return claims.kept_run()


def _made() -> Predictions:
    made: Predictions = st.session_state.setdefault("clm_predictions", {})
    return made


def follow_predictions() -> None:
    """Take over the predictions of a link that was followed; what cannot be one is named.

    One is a claim, what was said of it, and what came out at that moment, with PART between them.
    """
    asked = newly_linked(SAID)
    if asked:
        _made().clear()
    for told in asked:
        claim, *verdicts = told.split(PART)
        known = [verdict for one in verdicts for verdict in VERDICTS if verdict == one]
        if claim in CLAIMS and len(known) == len(verdicts) == 2:
            _made()[claim] = known[0], known[1]
        else:
            rule = f"be a claim and two of {', '.join(VERDICTS)}, with a {PART!r} between them"
            problem = f"prediction must {rule}, got {told[:MAX_SHOWN]!r}"
            say_instead(problem, "the question without a prediction")


def predict(claim: str, verdict: ClaimVerdict, text: Text) -> bool:
    """Draw the question for a prediction, or what came of it; return whether there is one."""
    made, place = _made(), st.empty()
    if claim not in made:
        said: ClaimVerdict | None = place.segmented_control(
            text("prediction"),
            VERDICTS,
            format_func=lambda verdict: text(f"verdict-{verdict}"),
            key=f"clm_{claim}_guess",
        )
        if said is None:
            return False
        made[claim] = said, verdict
    said, verdict = made[claim]
    facts = {"said": text(f"verdict-{said}"), "verdict": text(f"verdict-{verdict}")}
    if said == verdict:  # either takes the place of the question
        place.success(text("right", facts))
    else:
        place.warning(text("wrong", facts))
    return True


def draw_score(text: Text) -> None:
    """Write the predictions into the link, say how many were right, and let the visitor begin anew."""
    made = _made()
    remember(SAID, [PART.join([claim, *told]) for claim, told in made.items()])
    st.caption(text("score" if made else "score-none", claims.score(made)))
    if made:
        st.button(text("again"), key="clm_again", icon=":material/replay:", type="tertiary", on_click=made.clear)
