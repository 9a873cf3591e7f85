"""A run as it goes on: its buttons, where it stands, and what it has brought so far."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pe_core.lab.queue.job import LIVE, Snapshot
from pe_core.lab.queue.jobs import OPERATOR, JobManager
from ui.frame.turns import fragment
from ui.lab import jobs as lab
from ui.lab.results import show_training
from ui.language.words import _
from ui.widgets.prose import in_line

TRAIN = "train"  # its key: the page starts the run before it draws the button, when it knows all that was chosen
POLL = 1.0  # seconds between two looks at a run: each costs the browser a tenth of a second that training could have
RARELY = 3 * POLL  # at what changes with each length that is read, and from afar
_IN_VIEW = Path(__file__).with_name("panel.css")


def buttons(*, enabled: bool, job_id: str | None, label: str, note: str) -> bool:
    """Draw Train, which is called `label`, Pause or Resume, and Stop; return whether the run lived then.

    `note` is said of a run of somebody else.
    """
    run = lab.job_manager().snapshot(job_id) if job_id else None
    live = run is not None and run.state in LIVE
    own = run is not None and live and lab.actor() in (OPERATOR, run.owner)
    st.button(
        _(label),
        key=TRAIN,
        type="primary",
        icon=":material/play_arrow:",
        disabled=own or not enabled,
        width="stretch",
    )
    if run is not None and run.state == "paused":
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


def watch(job_id: str, draw: Callable[[Snapshot], None], *, lived: bool, every: float = POLL) -> None:
    """Draw a part of a run, and again `every` so many seconds while it lives; the page runs once more at its end.

    `lived` is what the buttons say of it: a run may end while the page is drawn.
    """

    def panel() -> None:
        snapshot = lab.job_manager().snapshot(job_id)
        draw(snapshot)
        if lived and snapshot.state not in LIVE:
            st.rerun()  # takes the timer away and gives the buttons their other state

    fragment(panel, run_every=every if lived else None)()


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


def show_progress(snapshot: Snapshot) -> None:
    """Draw the bar of a run that lives, or a sentence on one that has ended early, and its training curves."""
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
        st.info(in_line([_(snapshot.message), standing(snapshot, ".")]))
    if snapshot.unkept:
        st.warning(_(f"This run is shown, but not kept for later: {snapshot.unkept}."))
    show_training(snapshot.record)


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
