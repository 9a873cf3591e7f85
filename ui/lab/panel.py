"""What a run shows: where it stands, its curves as they grow, and its results."""

from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.figures import lab as figures
from pe_core.lab.experiment.dataset import Dataset
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.job import LIVE, Snapshot
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.verdicts import BREAKS_FROM, HOLDS_UP_TO, ratio
from ui.frame.turns import fragment
from ui.lab import jobs as lab
from ui.lab.repaired import show_repaired
from ui.lab.table import draw_table
from ui.lab.task import rule_of_answers, show_answers, worst_at_task
from ui.lab.words import over_seeds
from ui.widgets.charts import show, with_legend
from ui.widgets.prose import fill, sections

POLL = 0.7  # seconds between two looks at a run
FORM = ".2f"  # of losses in words


def buttons(config: RunConfig | None, dataset: Dataset | None, job_id: str | None) -> None:
    """Draw Train, Pause or Resume, and Stop; `config` is None where nothing can be trained."""
    jobs = lab.job_manager()
    state = jobs.snapshot(job_id).state if job_id else None
    live = state in LIVE
    train, pause, stop = st.columns(3)
    ready = config is not None and dataset is not None
    train.button(
        "Train",
        key="train",
        type="primary",
        icon=":material/play_arrow:",
        disabled=live or not ready,
        on_click=lab.start,
        args=(config, dataset),
        width="stretch",
    )
    if state == "paused":
        name, icon, action = "Resume", ":material/resume:", jobs.resume
    else:
        name, icon, action = "Pause", ":material/pause:", jobs.pause
    pause.button(name, key="pause", icon=icon, disabled=not live, on_click=action, args=(job_id,), width="stretch")
    stop.button(
        "Stop",
        key="stop",
        icon=":material/stop:",
        disabled=not live,
        on_click=jobs.cancel,
        args=(job_id,),
        width="stretch",
    )
    if refusal := st.session_state.pop("refusal", None):
        st.error(f"Not started: {refusal}. Try again when a run has ended.")
    if config and dataset and not live:
        needed = lab.need(config, dataset)
        st.caption(
            f"This run will take about **{lab.duration(needed.seconds)}** on this machine while nobody else trains, "
            f"and at most some {needed.bytes / 2**20:,.0f} MB of memory."
        )


def watch_run(job_id: str) -> RunRecord:
    """Draw a run and keep looking while it lives; the page runs once more when it has ended. Return it as it is now."""
    was_live = lab.job_manager().snapshot(job_id).state in LIVE

    def panel() -> None:
        lab.watch().job_ids.add(job_id)  # each time: any client can empty the caches, and with them what is watched
        snapshot = lab.job_manager().snapshot(job_id)
        progress(snapshot)
        show_record(snapshot.record)
        if was_live and snapshot.state not in LIVE:
            st.rerun()  # takes the timer away and gives the buttons their other state

    fragment(panel, run_every=POLL if was_live else None)()
    return lab.job_manager().snapshot(job_id).record


def standing(snapshot: Snapshot) -> str:
    """Return where a run stands, in words."""
    config = snapshot.record.config
    total = config.steps * len(config.encodings) * config.n_seeds
    parts = [f"Step {snapshot.steps:,} of {total:,}"]
    if snapshot.tokens_per_second:
        parts.append(f"{snapshot.tokens_per_second:,.0f} tokens/s")
    if snapshot.seconds_left is not None:
        parts.append(f"{lab.duration(snapshot.seconds_left)} left")
    if snapshot.state == "paused":
        parts.append("paused")
    elif snapshot.place:
        parts.append(f"place {snapshot.place + 1} in the line, others have their turn")
    return " · ".join(parts)


def progress(snapshot: Snapshot) -> None:
    """Draw the bar of a run that lives, and a sentence on one that has ended early."""
    text = standing(snapshot)
    if snapshot.state in LIVE:
        st.progress(snapshot.done, text=text)
    elif snapshot.state == "finished":
        st.progress(1.0, text=text + (" · done" if snapshot.tokens_per_second else " · done, kept from before"))
    elif snapshot.state == "failed":
        st.error(f"This run failed: {snapshot.message}")
    else:
        st.info(f"{snapshot.message} {text}.")
    if snapshot.unkept:
        st.warning(f"This run is shown, but not kept for later: {snapshot.unkept}.")


def show_record(record: RunRecord) -> None:
    """Draw what a run has brought so far: curves, what came out by length, repairs, table."""
    show(
        partial(figures.training_curves, record=record),
        key="lab_curves",
        alternative=describe_training(record),
        height=with_legend(300, len(record.config.encodings)),
    )
    seeds = record.config.seeds
    if len(seeds) > 1:
        st.caption(fill(sections("lab")["band"], {"n": len(seeds), "first": seeds[0], "last": seeds[-1]}))
    if not record.done:
        return
    if record.text.is_task:
        show_answers(record)
    else:
        show_losses(record)
    for key in record.done:
        show_repaired(record, key)
    draw_table(record)
    st.caption(rule_of_answers(record) if record.text.is_task else rule_of_losses(record))


def show_losses(record: RunRecord) -> None:
    """Draw the losses of a text by position and by length."""
    height = with_legend(380, len(record.config.encodings))
    by_position, by_length = st.columns(2)
    with by_position:
        st.markdown("**Loss at every position of the longest texts**")
        made = partial(figures.position_losses, record=record)
        show(made, key="lab_positions", alternative=describe_lengths(record), height=height)
    with by_length:
        st.markdown("**Loss against evaluated length**")
        made = partial(figures.length_losses, record=record)
        show(made, key="lab_lengths", alternative=describe_lengths(record), height=height)


def rule_of_losses(record: RunRecord) -> str:
    """Return what the numbers of the table are, and the rule of its verdicts."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    return (
        f"Held-out loss in nats per character. Ratio: loss at {last:,} over loss at {first:,}. Verdict: *holds* up to "
        f"{HOLDS_UP_TO}, *breaks* from {BREAKS_FROM}, *degrades* between; *not learned* where the loss at {first:,} is "
        f"no better than guessing by frequency ({record.text.unigram_loss:.3f})."
    )


def describe_training(record: RunRecord) -> str:
    """Return the text alternative of the training curves."""
    begun = {key: record.curves.get(key, {}).values() for key in record.config.encodings}
    latest = {key: [curve[-1] for curve in curves] for key, curves in begun.items()}
    ends = ", ".join(f"{ENCODINGS[key].title} {over_seeds(losses, FORM)}" for key, losses in latest.items() if losses)
    asked = "answer" if record.text.is_task else "character"
    return f"Training loss over steps. Latest loss in nats per {asked}: {ends or 'none yet'}."


def describe_lengths(record: RunRecord) -> str:
    """Return what the losses by length and by position show, in one sentence per encoding."""
    return " ".join(
        f"{ENCODINGS[key].title}: loss {_at(record, key, 0)} at the training length of {record.config.lengths[0]}, "
        f"{_at(record, key, -1)} at {record.config.lengths[-1]}; {record.verdict(key)}."
        for key in record.done
    )


def _at(record: RunRecord, key: str, place: int) -> str:
    return over_seeds([outcome.lengths[place].loss for outcome in record.outcomes[key].values()], FORM)


def worst_encoding(record: RunRecord) -> str:
    """Return the answer to the exercise for a run, computed."""
    ratios = {key: ratio(record.mean(key).lengths) for key in record.done}
    if not ratios:
        return "Train first: this run has no results yet."
    if record.text.is_task:
        return worst_at_task(record)
    worst = max(ratios, key=ratios.__getitem__)
    times = record.config.lengths[-1] // record.config.train_length
    title, ratio_text = ENCODINGS[worst].title, f"{ratios[worst]:.2f}"
    return f"**{title}**: at {times} times the training length its loss is {ratio_text} times as high."


def follow_from_afar() -> None:
    """Draw in the sidebar of every page where this session's run stands; that look keeps it going."""
    job_id = st.session_state.get("run")
    if job_id is None or not lab.job_manager().knows(job_id):
        return
    if lab.job_manager().snapshot(job_id).state not in LIVE:
        return

    def status() -> None:
        snapshot = lab.job_manager().snapshot(job_id)
        if snapshot.state in LIVE:
            st.progress(snapshot.done, text=f"Lab: {standing(snapshot)}")
        else:
            st.markdown(f"Lab: the run has {'ended' if snapshot.state == 'finished' else snapshot.state}.")
        st.page_link("pages/lab.py", label="See the run", query_params={"run": job_id})

    with st.sidebar:
        fragment(status, run_every=3 * POLL)()
