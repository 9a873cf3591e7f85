"""Whose models the page Inside looks into, and what they read: a text of the visitor, or what their run gives them."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pe_core.chapters import inside
from pe_core.lab.experiment.task import Task
from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.sample_input import SampleInput, sample_input, task_of
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.lab.queue.job import LIVE
from pe_core.lab.results.record import is_own
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.parameters import MAX_SHOWN, Choice, Parameter, require
from ui.frame import visitor
from ui.lab import jobs as lab
from ui.lab.kept import described
from ui.language.words import _
from ui.widgets.controls import control
from ui.widgets.link import literal, say_instead
from ui.widgets.prose import Text

PROJECT, COPYING, OWN = "of this project", "of this project, copying", "of your run"
NONE = ""  # the choice of a kept run while there is none, or another one than the link asks for


@dataclass(frozen=True)
class Chosen:
    """A run with its models, the end of the names of controls whose choices depend on it, and the project's file of it.

    A run of the lab has no file.
    """

    run: TrainedRun
    suffix: str = ""
    file: Path | None = None

    @property
    def task(self) -> Task | None:
        """The task that the models have learned, None where it is a text."""
        return task_of(self.run)


@st.cache_resource(show_spinner=False)
def _copying() -> TrainedRun:
    """Return the run of a task that comes with the project."""
    return trained_run.read(trained_run.KEPT_COPY)


def choose_run(text: Text) -> Chosen:
    """Return the run to look into, by default the project's of a text.

    A run of the lab can be chosen while the link or the session names one, and a kept one where there is a store, which
    is asked once its runs are wanted. What cannot be shown is named, and the project's run stands in its place.
    """
    asks_for_own = (
        st.query_params.get(inside.WHOSE) == OWN and "run" in st.query_params and inside.WHOSE not in st.session_state
    )
    own, store = lab.current_run(text("run-gone")), lab.run_store()
    if asks_for_own and own is None:
        del st.query_params[inside.WHOSE]  # that the run is gone has just been said
    offered = (PROJECT, COPYING, *([OWN] if own else []), *([inside.KEPT_RUN] if store else []))
    models = Parameter(inside.WHOSE, "Models", PROJECT, text("models-help"), choices=offered)
    whose = control(models)
    if whose == COPYING:
        return Chosen(_copying(), "_copying", trained_run.KEPT_COPY)
    job_id = own if whose == OWN else choose_kept(store, text) if whose == inside.KEPT_RUN and store else None
    return _chosen(job_id, text) if job_id else _of_project()


def _of_project() -> Chosen:
    return Chosen(trained_run.kept(), file=trained_run.KEPT)


def _chosen(job_id: str, text: Text) -> Chosen:
    """Return a run of the lab with the seed that the visitor chooses, or else that of the project with the reason."""
    try:
        if problem := lab.missing(job_id):
            raise ValueError(problem)
        snapshot = lab.job_manager().snapshot(job_id)
        record, own = snapshot.record, is_own(snapshot.record.text)
        rule = "be one that you have started in this browser, as its text is somebody's own"
        require(not own or snapshot.owner == visitor.owner(), "run", rule, "another one")
        seeds = record.config.seeds
        suffix = f"_of_{job_id[:8]}"
        seed = seeds[0]
        if len(seeds) > 1:
            seed = control(Parameter(f"ins_seed{suffix}", "Seed", seed, "Of the training run.", choices=seeds))
        return Chosen((_of_own_text if own else _of_public_text)(job_id, seed), suffix)
    except (ValueError, StoreError) as error:
        st.warning(text("run-refused", {"problem": literal(_(str(error)))}))
        return _of_project()


def _of_run(job_id: str, seed: int) -> TrainedRun:
    """Return a run of the lab with its models; `ValueError` where they cannot be had."""
    snapshot = lab.job_manager().snapshot(job_id)
    require(snapshot.state not in LIVE, "run", "have ended, so that its models are trained", snapshot.state)
    contents = {}
    for key in snapshot.record.of_seed(seed).done:
        content = lab.job_manager().weights(job_id, key, seed)
        require(content is not None, "run", "still have its weights; the server keeps those of the newest runs", "none")
        assert content is not None
        contents[key] = content
    run = trained_run.of_seed(snapshot.record, seed, contents)
    task_of(run)  # refused here, where it can still be said, if this version has no such task
    return run


_of_public_text = st.cache_resource(max_entries=4, show_spinner=False)(_of_run)
_of_own_text = st.cache_resource(max_entries=1, show_spinner=False, scope="session")(_of_run)


def choose_kept(store: RunStore, text: Text) -> str | None:
    """Draw the choice and return the hash of a run; None where there is none, with the reason said."""
    try:
        runs = {run.hash: described(run) for run in store.with_weights(visitor.owner())}
    except StoreError as error:
        st.warning(text("run-refused", {"problem": literal(_(str(error)))}))
        return None
    asked = st.query_params.get(inside.WHICH) or st.session_state.get(inside.WHICH)
    if asked and asked not in runs:  # removed, or never here
        st.warning(text("kept-gone", {"run": literal(asked[:MAX_SHOWN])}))
        st.query_params.pop(inside.WHICH, None)
        st.session_state[inside.WHICH] = NONE
    elif asked is None and runs:
        st.session_state[inside.WHICH] = next(iter(runs))
    if not runs:
        st.markdown(text("kept-none"))
        return None
    return control(Choice(inside.WHICH, "Kept run", {NONE: text("kept-choose"), **runs}, NONE)) or None


def choose_text(chosen: Chosen, length: int, text: Text) -> str:
    """Draw the field of the visitor's text and return at most `length` symbols of what is read.

    It is the text of the visitor, or that of the run where the field is empty or cannot be read.
    """
    own = typed(chosen, text)
    if own:
        return own[:length]
    found = sample_input(chosen.run, length)
    say_origin(found, text)
    return found.text


def say_origin(found: SampleInput, text: Text) -> None:
    """Say what is read in the place of an own text, which is never kept."""
    if f"read-{found.origin}" in text.sections:
        st.markdown(text(f"read-{found.origin}"))


def typed(chosen: Chosen, text: Text) -> str:
    """Draw the field of the visitor's text and return it; nothing, with the reason, where it cannot be read."""
    run = chosen.run
    of = "-task" if chosen.task else ""
    own = st.text_input(
        text(f"text-label{of}"),
        key="ins_text",
        help=text(f"text-help{of}"),
        max_chars=inside.max_length(run),
        bind="query-params",
    )
    if not own:
        return ""
    try:
        require(len(own) >= 2, "text", f"have at least 2 {run.unit}s", len(own))
        run.tokens(own)
    except ValueError as error:
        say_instead(str(error), "an example of the task" if chosen.task else "held-out text")
        return ""
    return own


def draw_hint(chosen: Chosen, text: Text) -> None:
    """Say what to look for in the models of the project, of a task, or of any text."""
    kind = "-task" if chosen.task else "" if chosen.file else "-other"
    st.markdown(text(f"look{kind}"))
    st.markdown(text(f"more{kind}"))


def draw_origin(chosen: Chosen, text: Text) -> None:
    """Say where the models come from, and lead to the lab and to the page that watches a table while it is trained."""
    record = chosen.run.record
    facts = {
        "text": record.text.name,
        "steps": record.config.steps,
        "seed": record.config.seed,
        "layers": record.config.n_layers,
        "channels": record.config.d_model,
        "file": f"pe_core/runs/{chosen.file.name}" if chosen.file else "",
    }
    st.markdown(text("origin" if chosen.file else "origin-own", facts))
    with st.container(horizontal=True):
        st.page_link("pages/lab.py", label=_("Train models yourself"), icon=":material/science:")
        st.page_link("pages/learned.py", label=_("A learned table as it trains"), icon=":material/school:")
