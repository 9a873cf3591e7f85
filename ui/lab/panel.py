"""A run as it goes on: its buttons, where it stands, and what it has brought so far."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import streamlit as st

from pe_core.chapters.lab import MAX_POINTS, training_points
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.job import LIVE, Snapshot
from pe_core.lab.queue.jobs import JobManager
from ui.frame.turns import fragment, others_first
from ui.lab import jobs as lab
from ui.lab.results import show_training
from ui.language.words import _

TRAIN = "train"  # its key: the page starts the run before it draws the button, when it knows all that was chosen
POLL = 1.0  # seconds between two looks at a run: each costs the browser a tenth of a second that training could have
MOMENT = 0.6  # seconds for which a look waits where the first point of a curve, or the end, is about to come
_AGAIN = 0.05  # seconds
RARELY = 3 * POLL  # at what changes with each length that is read, and from afar
_IN_VIEW = Path(__file__).with_name("panel.css")


def buttons(*, enabled: bool, job_id: str | None, label: str, note: str) -> bool:
    """Draw Train, which is called `label`, Pause or Resume, and Stop; return whether the run lived then.

    `note` is said of a run of somebody else.
    """
    state = lab.job_manager().snapshot(job_id).state if job_id else None
    live = state in LIVE
    own = live and job_id is not None and lab.may_change(job_id)
    st.button(
        _(label),
        key=TRAIN,
        type="primary",
        icon=":material/play_arrow:",
        disabled=own or not enabled,
        width="stretch",
    )
    if state == "paused":
        name, icon, how = "Resume", ":material/resume:", JobManager.resume
    else:
        name, icon, how = "Pause", ":material/pause:", JobManager.pause
    change: dict[str, Any] = {"disabled": not own, "on_click": lab.change, "width": "stretch"}
    with st.container(horizontal=True):  # beside each other on a telephone, too
        st.button(_(name), key="pause", icon=icon, args=(job_id, how), **change)
        st.button(_("Stop"), key="stop", icon=":material/stop:", args=(job_id, JobManager.cancel), **change)
    if live and not own:
        st.caption(note)
    if refusal := st.session_state.pop(lab.REFUSAL, None):
        st.error(_(refusal))
    return live


def say_need(config: RunConfig, dataset: Dataset) -> None:
    """Say what a run will take before it is started."""
    needed = lab.need(config, dataset)
    st.caption(
        _(
            f"Takes about **{lab.duration(needed.seconds)}** if nobody else trains, "
            f"and at most about {needed.bytes / 2**20:,.0f} MB of memory."
        )
    )


def watch(job_id: str, draw: Callable[[Snapshot], None], *, lived: bool, every: float = POLL) -> None:
    """Draw a part of a run, and again `every` so many seconds while it lives; the page runs once more at its end.

    `lived` is what the buttons say of it: a run may end while the page is drawn.
    """

    def panel() -> None:
        snapshot = about_to_come(job_id)
        draw(snapshot)
        if lived and snapshot.state not in LIVE:
            st.rerun()  # takes the timer away and gives the buttons their other state

    fragment(panel, run_every=every if lived else None)()


def about_to_come(job_id: str) -> Snapshot:
    """Return a run as it stands; where its first point or its end is a moment away, as it stands then."""
    snapshot, end = lab.job_manager().snapshot(job_id), time.monotonic() + MOMENT
    with others_first() if _is_soon(snapshot) else nullcontext():
        while _is_soon(snapshot) and time.monotonic() < end:
            time.sleep(_AGAIN)
            snapshot = lab.job_manager().snapshot(job_id)
    return snapshot


def _is_soon(snapshot: Snapshot) -> bool:
    if snapshot.state not in LIVE or snapshot.state == "paused" or snapshot.place:
        return False
    left, config = snapshot.seconds_left, snapshot.record.config
    if left is None:
        return not snapshot.steps
    if any(map(any, training_points(snapshot.record).values())):
        return left < MOMENT
    total = config.steps * len(config.encodings) * config.n_seeds
    first = total / MAX_POINTS  # the steps until all curves have a point
    return left * max(1.0, first - snapshot.steps) / total < POLL


def show_progress(snapshot: Snapshot) -> None:
    """Draw where a run stands, and its training curves."""
    progress(snapshot)
    show_training(snapshot.record)


def standing(snapshot: Snapshot, end: str = "") -> str:
    """Return where a run stands, in words; with an `end` it is a sentence."""
    config = snapshot.record.config
    models = len(config.encodings) * config.n_seeds
    each = f", {config.steps:,} for each of {models} models" if models > 1 else ""  # whose curves are drawn over these
    parts = [f"Step {snapshot.steps:,} of {config.steps * models:,}{each}"]
    if snapshot.tokens_per_second:
        parts.append(f"{snapshot.tokens_per_second:,.0f} tokens/s")
    if snapshot.seconds_left is not None:
        parts.append(f"{lab.duration(snapshot.seconds_left)} left")
    if snapshot.state == "paused":
        parts.append("paused")
    elif snapshot.place:
        parts.append(f"place {snapshot.place + 1} in the queue, others have their turn")
    parts[-1] += end
    return " · ".join(map(_, parts))


def progress(snapshot: Snapshot) -> None:
    """Draw the bar of a run that lives, and a sentence on one that has ended early."""
    text = standing(snapshot)
    if snapshot.state in LIVE:
        st.progress(snapshot.done, text=text)
        if snapshot.message:
            st.caption(_(snapshot.message))
    elif snapshot.state == "finished":
        st.progress(1.0, text=f"{text} · {_('done' if snapshot.tokens_per_second else 'done, kept from before')}")
    elif snapshot.state == "failed":
        st.error(_(f"This run failed: {snapshot.message}"))
    else:
        st.info(f"{_(snapshot.message)} {standing(snapshot, '.')}")
    if snapshot.unkept:
        st.warning(_(f"This run is shown, but not kept for later: {snapshot.unkept}."))


def follow_from_afar() -> None:
    """Draw in the sidebar of every page where this session's run stands; that look keeps it going."""
    if not lab.is_busy():
        return
    job_id = st.session_state["run"]

    def status() -> None:
        snapshot = lab.job_manager().snapshot(job_id)
        if snapshot.state in LIVE:
            st.progress(snapshot.done, text=f"{_('Lab')}{_(': ')}{standing(snapshot)}")
        else:
            st.markdown(_(f"Lab: the run has {'ended' if snapshot.state == 'finished' else snapshot.state}."))
        st.page_link("pages/lab.py", label=_("See the run"), query_params={"run": job_id})

    with st.sidebar, st.container(key="lab_afar"):
        st.html(_IN_VIEW)
        fragment(status, run_every=RARELY)()
