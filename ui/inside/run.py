"""Whose models the page Inside looks into: those that come with the project, or those of a run of the lab."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pe_core.lab.experiment.tasks.base import Task
from pe_core.lab.inspection import sample_input, trained_run
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.lab.queue.job import LIVE
from pe_core.lab.results.record import is_own
from pe_core.lab.storage.database import StoreError
from pe_core.parameters import Parameter, require
from ui.inside.kept import choose_kept
from ui.lab import jobs as lab
from ui.widgets.controls import control, literal
from ui.widgets.prose import fill

NAME = "ins_models"
PROJECT, COPYING, OWN, KEPT = "of this project", "of this project, copying", "of your run", "of a kept run"


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
        return sample_input.task_of(self.run)


@st.cache_resource(show_spinner=False)
def _copying() -> TrainedRun:
    """Return the run of a task that comes with the project."""
    return trained_run.read(trained_run.KEPT_COPY)


def choose_run(text: Mapping[str, str]) -> Chosen:
    """Return the run to look into, by default the project's of a text.

    A run of the lab can be chosen while the link or the session names one, and a kept one where there is a store, which
    is asked once its runs are wanted. What cannot be shown is named, and the project's run stands in its place.
    """
    asks_for_own = st.query_params.get(NAME) == OWN and "run" in st.query_params and NAME not in st.session_state
    own, store = lab.current_run(text["run-gone"]), lab.run_store()
    if asks_for_own and own is None:
        del st.query_params[NAME]  # that the run is gone has just been said
    offered = (PROJECT, COPYING, *([OWN] if own else []), *([KEPT] if store else []))
    models = Parameter(NAME, "Models", PROJECT, text["models-help"], choices=offered)
    whose = control(models)
    if whose == COPYING:
        return Chosen(_copying(), "_copying", trained_run.KEPT_COPY)
    job_id = own if whose == OWN else choose_kept(store, text) if whose == KEPT and store else None
    return _chosen(job_id, text) if job_id else _of_project()


def _of_project() -> Chosen:
    return Chosen(trained_run.kept(), file=trained_run.KEPT)


def _chosen(job_id: str, text: Mapping[str, str]) -> Chosen:
    """Return a run of the lab with the seed that the visitor chooses, or else that of the project with the reason."""
    try:
        if problem := lab.missing(job_id):
            raise ValueError(problem)
        record = lab.job_manager().snapshot(job_id).record
        own = is_own(record.text)
        rule = "be one that you have started since you opened this page, as its text is somebody's own"
        require(lab.may_see(job_id, record.text), "run", rule, "another one")
        seeds = record.config.seeds
        suffix = f"_of_{job_id[:8]}"
        seed = seeds[0]
        if len(seeds) > 1:
            seed = int(control(Parameter(f"ins_seed{suffix}", "Seed", seed, "Of the training.", choices=seeds)))
        return Chosen((_of_own_text if own else _of_public_text)(job_id, seed), suffix)
    except (ValueError, StoreError) as error:
        st.warning(fill(text["run-refused"], {"problem": literal(str(error))}))
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
    sample_input.task_of(run)  # refused here, where it can still be said, if this version has no such task
    return run


_of_public_text = st.cache_resource(max_entries=4, show_spinner=False)(_of_run)
_of_own_text = st.cache_resource(max_entries=1, show_spinner=False, scope="session")(_of_run)
