"""The lab's part of the process and of the session: the job queue, its limits, the store, what a session watches."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import streamlit as st

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.datasets import Corpus
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue import estimate
from pe_core.lab.queue.cluster import Cluster
from pe_core.lab.queue.estimate import Calibration, Need, calibrate
from pe_core.lab.queue.job import LIVE
from pe_core.lab.queue.jobs import OPERATOR, JobManager, Pool
from pe_core.lab.queue.process import OneProcess
from pe_core.lab.queue.trainer import TrainerOptions
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError
from pe_core.parameters import MAX_SHOWN, Parameter
from ui.frame import visitor
from ui.frame.limits import limit
from ui.frame.process import Once
from ui.language.words import _
from ui.widgets.link import literal
from ui.widgets.prose import in_line

# A hosted demo lowers these by environment variables; a laptop raises them.
MAX_SECONDS = Parameter("PE_MAX_SECONDS", "Longest run", 900, "Expected seconds up to which a run is taken.", 1, 86_400)
MAX_MEMORY = Parameter(
    "PE_MAX_MEMORY", "Largest run", 2_000, "Expected megabytes up to which a run is taken.", 100, 1_000_000
)
MAX_RUNS = Parameter(
    "PE_MAX_RUNS", "Longest queue", 8, "Runs that may wait or train, and that may be paused.", 1, 1_000
)
WORKERS = Parameter("PE_WORKERS", "Workers", 2, "Encodings that a trainer trains at once.", 1, 1_000)
MAX_OWN_RUNS = Parameter("PE_MAX_OWN_RUNS", "Live runs of a visitor", 2, "Runs that have not ended.", 1, 1_000)

# Where finished runs are kept, as a URL of SQLAlchemy; nowhere if it is empty.
STORE = "PE_STORE"
STORE_FILE = Path(__file__).parents[2] / "runs" / "lab.sqlite"
SCHEDULER = "PE_SCHEDULER"  # the address of a Dask scheduler on whose workers runs train; empty for this machine

OWN_TEXT = "own text"  # what every text that a visitor brings is called
KEEPS_WEIGHTS = "keeps_weights"  # the control with which a visitor asks that models of an own text are stored
REFUSAL = "_refusal"  # where a session notes why something was not done


@Once
def job_manager() -> JobManager:
    """Return the runs of this process; their trainer is started, so that it is ready when one is asked for."""
    trainers, store = pool(), run_store()
    threading.Thread(target=_start, args=(trainers,), name="trainers", daemon=True).start()
    return JobManager(trainers, store, max_own=limit(MAX_OWN_RUNS))


def _start(trainers: Pool) -> None:
    with suppress(ValueError):  # who wants to train is told
        trainers.trainers()


def pool() -> Pool:
    """Return where runs train: a process of this machine, or the cluster that the environment names."""
    options = TrainerOptions(store=store_url(), max_live=limit(MAX_RUNS))
    if WORKERS.name in os.environ:
        options = replace(options, n_workers=limit(WORKERS))
    scheduler = os.environ.get(SCHEDULER, "").strip()
    return Cluster(scheduler, options) if scheduler else OneProcess(options)


def store_url() -> str:
    """Return the URL of the database of finished runs, empty for none."""
    return os.environ.get(STORE, f"sqlite:///{STORE_FILE}").strip()


@Once
def run_store() -> RunStore | None:
    """Return where this process keeps finished runs, None if it keeps none; it is opened when it is first asked."""
    url = store_url()
    return RunStore(url) if url else None


calibration = Once(calibrate)


def need(config: RunConfig, dataset: Dataset) -> Need:
    """Return what a run is expected to need on this machine, by arithmetic."""
    return _need(config, dataset, calibration())


def least(config: RunConfig, dataset: Dataset) -> Need:
    """Return what a run needs at least: what models without an encoding would, for which none is measured."""
    return _need(config, dataset, calibration().without_encodings())


def _need(config: RunConfig, dataset: Dataset, known: Calibration) -> Need:
    vocab_size, n_workers = len(dataset.vocabulary), job_manager().n_workers
    return estimate.need(config, vocab_size, known, n_workers=n_workers, n_held_out=dataset.n_held_out)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)  # gone with the page
def own_corpus(brought: str | bytes) -> Corpus:
    """Return the corpus of a pasted text or an uploaded file, whose name is not taken; `ValueError` if not usable."""
    if isinstance(brought, bytes):
        return datasets.from_bytes(brought, name=OWN_TEXT)
    return datasets.from_text(brought)


def too_much(config: RunConfig, dataset: Dataset) -> str:
    """Return why this machine does not take the run, empty if it does."""
    return _beyond(least(config, dataset), " or more") or _beyond(need(config, dataset))


def _beyond(needed: Need, more: str = "") -> str:
    longest, most = limit(MAX_SECONDS), limit(MAX_MEMORY)
    if needed.seconds > longest:
        expected = f"{duration(needed.seconds)}{more}"
        return f"run must take at most {duration(longest)} on this machine, got an expected {expected}"
    if needed.bytes > most * 2**20:
        expected = f"{needed.bytes / 2**20:,.0f} MB{more}"
        return f"run must need at most {most:,} MB of memory, got an expected {expected}"
    return ""


def current_run(advice: str) -> str | None:
    """Return the id of the run that the link names, or else the last one of this session; None if there is none.

    The link follows: it always names the run that the page shows. For a run that is gone, `advice` says what to do.
    """
    job_id = st.query_params.get("run") or st.session_state.get("run")
    if job_id is None:
        return None
    if problem := missing(job_id):
        st.session_state.pop("run", None)
        if "run" in st.query_params:
            del st.query_params["run"]
        gone = _(f"The run {literal(job_id[:MAX_SHOWN])} is not here any more: {problem}.")
        st.warning(in_line([gone, advice]))
        return None
    kept = job_manager().snapshot(job_id).kept
    if kept and job_manager().knows(kept):
        job_id = kept  # a name that the run still has when the server has been restarted
    show(job_id)
    return job_id


def show(job_id: str) -> None:
    """Make a run the one that the page shows; the link names it."""
    st.session_state["run"] = st.query_params["run"] = job_id


def missing(job_id: str) -> str:
    """Return why there is no run of this id, empty if there is one; a kept one is fetched from the store."""
    try:
        found = job_manager().find(job_id)
    except StoreError as error:
        return str(error)
    if found:
        return ""
    if run_store() is None:
        return "the server keeps the last runs only, until it is restarted"
    return (
        "the server keeps runs that were finished, until they are removed, those of own texts for some days, "
        "and the last ones that were not"
    )


def kept_run(config: RunConfig, dataset: Dataset) -> str | None:
    """Return the hash of the kept run with these settings and this dataset, None if there is none."""
    run = run_hash(config, text_facts(dataset))
    with suppress(StoreError):
        return run if job_manager().find(run) else None
    return None


def is_run(job_id: str, config: RunConfig, dataset: Dataset) -> bool:
    """Return whether a run that has finished has these settings and this dataset."""
    snapshot = job_manager().snapshot(job_id)
    found = snapshot.record.config, snapshot.record.text
    return snapshot.state == "finished" and found == (config, text_facts(dataset))


def is_live(job_id: str | None) -> bool:
    """Return whether there is such a run, and it waits, runs or is paused."""
    known = job_id is not None and job_manager().knows(job_id)
    return known and job_manager().snapshot(str(job_id)).state in LIVE


def is_busy() -> bool:
    """Return whether the run that this session looks at is still going on."""
    return is_live(st.session_state.get("run"))


def is_from_before(job_id: str) -> bool:
    """Return whether a run was fetched from the store: nobody here has seen it train."""
    return job_manager().snapshot(job_id).tokens_per_second is None


def start(config: RunConfig, dataset: Dataset, *, again: bool = False) -> None:
    """Submit a run, a kept one only to train it `again`, and make it the current one; a refusal is said."""
    keeps_weights = bool(st.session_state.get(KEEPS_WEIGHTS))
    try:
        job_id = job_manager().submit(config, dataset, visitor.owner(), again=again, keeps_weights=keeps_weights)
    except ValueError as error:
        st.session_state[REFUSAL] = f"Not started: {error}. Try again when a run has ended."
        return
    show(job_id)


def change(job_id: str, how: Callable[[JobManager, str, str], None]) -> None:
    """Pause, resume or end a run of this visitor; a refusal is said."""
    try:
        how(job_manager(), job_id, actor())
    except ValueError as error:
        st.session_state[REFUSAL] = f"Not changed: {error}."


def actor() -> str:
    """Return who changes runs in this session: the owner of some, or the operator."""
    return OPERATOR if visitor.is_operator() else visitor.owner()


def duration(seconds: float) -> str:
    """Return a time in words: seconds up to two minutes, minutes above."""
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"
