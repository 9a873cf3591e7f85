"""The parts of the page on claims: prediction, controls, verdict with its numbers, and the overview of all."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pe_core.chapters import claims as pictures
from pe_core.chapters.wording import number
from pe_core.claims import CLAIMS, VERDICTS, Claim, Finding, Verdict
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Figure
from pe_core.files import KEPT_RUNS
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import Parameter, Value
from ui.frame.shell import page_list
from ui.lab.jobs import job_manager
from ui.widgets.charts import show
from ui.widgets.controls import choose_one, control, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, paper_facts, write

KEPT = KEPT_RUNS / "claims.json"
EXAMPLE = next(iter(CLAIMS))  # settled from the start, so that the page shows how it goes
FIRST, AT_ONCE = "predict first", "at once"
CONTROLS_A_ROW = 4
ROUNDING = 1e-9
COLOURS: dict[Verdict, str] = {"true": "green", "false": "red", "depends": "orange"}

PICTURES: dict[str, Callable[..., Figure]] = {
    "falls": pictures.falls,
    "exponent": pictures.exponent,
    "plain_angle": pictures.plain_angle,
    "bases": pictures.first_points,
    "base_size": pictures.cosines,
    "direction": pictures.directions,
    "blind": pictures.moved,
    "index_norm": pictures.normed,
    "fractions": pictures.shares,
    "codes": pictures.collisions,
    "sinusoid_far": pictures.losses,
    "table_far": pictures.losses,
    "minus": pictures.places,
    "decays": pictures.decay,
    "rope_far": pictures.repaired,
    "alibi_sign": pictures.rows_of_softmax,
    "alibi_after": pictures.softmax_and_bias,
}


@st.cache_data(max_entries=1)
def kept_run() -> RunRecord:
    """Return the run that was made for this page: the default one, and a learned table beside."""
    return record_file.from_json(KEPT.read_text(encoding="utf-8"))


def run_for(claim: Claim) -> RunRecord:
    """Return the run that this session watches, if it has what the claim needs, else the kept one."""
    job_id = st.session_state.get("run")
    if job_id is not None and job_manager().knows(job_id):
        record = job_manager().snapshot(job_id).record
        if claim.accepts(record):
            return record
    return kept_run()


def choose(text: Mapping[str, str]) -> tuple[Claim, bool]:
    """Draw the choice of a claim; return it, and whether verdicts are shown without a prediction."""
    picker, following, settings = st.columns([5, 2, 4], vertical_alignment="bottom")
    with settings:
        help_ = text["settings-help"]
        parameter = Parameter("clm_shown", text["settings"], FIRST, help_, choices=(FIRST, AT_ONCE))
        at_once = control(parameter) == AT_ONCE
    following.button(text["next"], key="clm_next", icon=":material/arrow_forward:", on_click=_next, width="stretch")
    with picker:
        titles = {key: f"{place}. {claim.title}" for place, (key, claim) in enumerate(CLAIMS.items(), start=1)}
        key = choose_one("clm", text["pick"], titles, EXAMPLE)
    return CLAIMS[key], at_once


def _next() -> None:
    keys = list(CLAIMS)
    st.session_state["clm"] = keys[(keys.index(st.session_state["clm"]) + 1) % len(keys)]


def draw_claim(claim: Claim, at_once: bool, text: Mapping[str, str]) -> None:
    """Draw the controls of a claim, the question for a prediction, and after it what the computation shows."""
    values = _choose_values(claim)
    run = run_for(claim)
    finding = claim.settle(values, run)
    if at_once or claim.key == EXAMPLE or _predict(claim, finding, text):
        _draw_finding(claim, finding, values, run, text)
    else:
        write(text["ask"])
    _draw_score(text)


def _choose_values(claim: Claim) -> dict[str, Value]:
    """Draw the controls; each claim has names of its own in the link, since their ranges differ."""
    own = [replace(parameter, name=f"clm_{claim.key}_{parameter.name}") for parameter in claim.parameters]
    columns = min(CONTROLS_A_ROW, max(2, len(own)))
    values = side_by_side(*own, columns=columns)
    return {parameter.name: value for parameter, value in zip(claim.parameters, values, strict=True)}


def _predictions() -> dict[str, tuple[Verdict, Verdict]]:
    """Return what this session has said of each claim, and what came out at that moment."""
    made: dict[str, tuple[Verdict, Verdict]] = st.session_state.setdefault("clm_predictions", {})
    return made


def _predict(claim: Claim, finding: Finding, text: Mapping[str, str]) -> bool:
    """Draw the question for a prediction, or what came of it; return whether there is one."""
    made, place = _predictions(), st.empty()
    if claim.key not in made:
        said: Verdict | None = place.segmented_control(
            text["prediction"],
            VERDICTS,
            format_func=lambda verdict: text[f"verdict-{verdict}"],
            key=f"clm_{claim.key}_guess",
        )
        if said is None:
            return False
        made[claim.key] = said, finding.verdict
    said, verdict = made[claim.key]
    facts = {"said": text[f"verdict-{said}"], "verdict": text[f"verdict-{verdict}"]}
    if said == verdict:  # either takes the place of the question
        place.success(fill(text["right"], facts))
    else:
        place.warning(fill(text["wrong"], facts))
    return True


def _draw_finding(
    claim: Claim, finding: Finding, values: Mapping[str, Value], run: RunRecord, text: Mapping[str, str]
) -> None:
    facts = {name: shown(value) for name, value in {**values, **finding.measured}.items()}
    badge = f":{COLOURS[finding.verdict]}-badge[{text[f'verdict-{finding.verdict}']}]"
    write(f"{fill(text['verdict'], {'verdict': badge})}\n\n{fill(text[f'{claim.key}-{finding.verdict}'], facts)}")
    draw = PICTURES[claim.key]
    known: dict[str, Any] = {**values, "run": run}
    picture = partial(draw, **{name: known[name] for name in signature(draw).parameters})
    show(picture, key=f"clm_{claim.key}", alternative=fill(text[f"{claim.key}-alternative"], facts), height=340)
    write(fill(text["rule"], {"rule": text[f"{claim.key}-rule"]}))
    if finding.rows:
        write(_table(finding))
    if claim.encodings:
        _draw_run(claim, run, text)


def shown(value: Value | None) -> str:
    """Return a measured value for a sentence: what is rounding with one digit, what does not occur as "none"."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.0e}" if 0 < abs(value) < ROUNDING else number(value)
    return f"{value:,}" if isinstance(value, int) else value


def _table(finding: Finding) -> str:
    names = list(finding.rows[0])
    lines = [[shown(row[name]) for name in names] for row in finding.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (names, ["---"] * len(names), *lines))


def _draw_run(claim: Claim, run: RunRecord, text: Mapping[str, str]) -> None:
    """Say which run the numbers are from, and lead into the lab with what is needed chosen."""
    facts = {
        "which": text["run-kept" if run == kept_run() else "run-own"],
        "train": f"{run.config.train_length:,}",
        "steps": f"{run.config.steps:,}",
        "seed": run.config.seed,
        "text": run.text.name,
    }
    write(text["run"], facts)
    names = ", ".join(ENCODINGS[key].title for key in claim.encodings)
    st.page_link(
        "pages/lab.py",
        label=fill(text["run-lab"], {"names": names}),
        icon=":material/science:",
        query_params=[("encodings", key) for key in claim.encodings],
    )


def _draw_score(text: Mapping[str, str]) -> None:
    made = _predictions()
    right = sum(said == verdict for said, verdict in made.values())
    facts = {"right": right, "made": len(made), "left": len(CLAIMS) - 1 - len(made)}
    st.caption(fill(text["score" if made else "score-none"], facts))
    if made:
        st.button(text["again"], key="clm_again", icon=":material/replay:", type="tertiary", on_click=made.clear)


def draw_origin(claim: Claim, text: Mapping[str, str]) -> None:
    """Draw the source of a claim and a link to its chapter."""
    paper = claim.paper
    if paper is None:
        write(text["source-none"])
    else:
        write(text["source"], paper_facts(paper))
    page = _chapters()[claim.chapter]
    st.page_link(page, label=fill(text["chapter"], {"chapter": page.title}), icon=page.icon)


def _chapters() -> dict[str, StreamlitPage]:
    return {page.url_path: page for section in page_list().values() for page in section}


@st.cache_data(max_entries=1, show_spinner=False)
def verdicts() -> dict[str, Verdict]:
    """Return the verdict on every claim with its first settings and the kept run."""
    return {key: claim.settle(None, kept_run()).verdict for key, claim in CLAIMS.items()}


def draw_overview(at_once: bool, text: Mapping[str, str]) -> None:
    """Draw the table of all claims; it stays folded, and is not computed, until it is asked for."""
    block = st.expander(
        text["overview"], expanded=at_once, icon=":material/fact_check:", key=f"clm_all_{at_once}", on_change="rerun"
    )
    if block.open:
        with block:
            write(text["overview-text"])
            rows = [
                {
                    "Claim": claim.summary,
                    "Verdict": text[f"verdict-{verdicts()[key]}"],
                    "Chapter": _chapters()[claim.chapter].title,
                }
                for key, claim in CLAIMS.items()
            ]
            st.dataframe(rows, hide_index=True, height=35 * (len(rows) + 1) + 3)


def draw_exercise(text: Mapping[str, str]) -> None:
    """Ask how many of the claims are plainly true, and count them."""
    total = {"claims": len(CLAIMS)}
    guess = ask({**text, "exercise": fill(text["exercise"], total)}, "clm_guess", 0, len(CLAIMS))
    if guess is None:
        return
    found = verdicts()
    names = [CLAIMS[key].title for key, verdict in found.items() if verdict == "true"]
    facts = {"count": len(names), "guess": guess, "names": ", ".join(names) or "none"}
    facts |= {verdict: list(found.values()).count(verdict) for verdict in VERDICTS}
    judge(text, guess == len(names), facts)
