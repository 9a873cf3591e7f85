"""Whose models the page Inside looks into: those that come with the project, or those of the visitor's run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from pe_core.lab import trained_run
from pe_core.lab.corpus import Corpus
from pe_core.lab.job import LIVE
from pe_core.lab.repeat import built_in
from pe_core.lab.store import StoreError
from pe_core.lab.trained_run import TrainedRun
from pe_core.lab.weights import from_bytes
from pe_core.parameters import Parameter, require
from ui import lab
from ui.controls import control, literal
from ui.prose import fill

PROJECT, OWN = "of this project", "of your run"
MODELS = Parameter(
    "ins_models", "Models", PROJECT, "Trained beforehand, or by the run in the link.", choices=(PROJECT, OWN)
)


@dataclass(frozen=True)
class Chosen:
    """A run with its models, and the end of the names of controls whose choices depend on it."""

    run: TrainedRun
    suffix: str = ""


@st.cache_resource(show_spinner=False)
def kept() -> TrainedRun:
    """Return the run that comes with the project."""
    return trained_run.read()


def choose_run(text: Mapping[str, str]) -> Chosen:
    """Return the run to look into; the visitor has a choice while the link or the session names a run of the lab."""
    job_id = lab.current_run()
    if job_id is None or control(MODELS) == PROJECT:
        return Chosen(kept())
    try:
        seeds = lab.job_manager().snapshot(job_id).record.config.seeds
        suffix = f"_of_{job_id[:8]}"
        seed = seeds[0]
        if len(seeds) > 1:
            seed = int(control(Parameter(f"ins_seed{suffix}", "Seed", seed, "Of the training.", choices=seeds)))
        return Chosen(_of_run(job_id, seed), suffix)
    except (ValueError, StoreError) as error:
        st.warning(fill(text["run-refused"], {"problem": literal(str(error))}))
        return Chosen(kept())


@st.cache_resource(max_entries=4, show_spinner=False)
def _of_run(job_id: str, seed: int) -> TrainedRun:
    """Return a run of the lab with its models; `ValueError` where they cannot be had."""
    snapshot = lab.job_manager().snapshot(job_id)
    require(snapshot.state not in LIVE, "run", "have ended, so that its models are trained", snapshot.state)
    whole = snapshot.record
    corpus = built_in(whole.text)
    require(isinstance(corpus, Corpus), "run", "be of the built-in text, since no other is kept", whole.text.name)
    assert corpus is not None
    record = replace(whole.by_seed[seed], config=whole.config.of_seed(seed), again=())
    require(bool(record.outcomes), "run", "have at least one encoding that is done", "none")
    models = {}
    for key in record.outcomes:
        content = lab.job_manager().weights(job_id, key, seed)
        require(content is not None, "run", "still have its weights; the server keeps those of the newest runs", "none")
        assert content is not None
        models[key] = from_bytes(content, record.config, key, len(corpus.symbols))
    return TrainedRun(record, corpus.symbols, models)
