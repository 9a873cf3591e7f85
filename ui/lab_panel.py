"""What a run shows: where it stands, its curves as they grow, and its results."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.figures import lab as figures
from pe_core.figures import repair
from pe_core.figures.figure import Figure
from pe_core.lab.evaluation import BREAKS_FROM, HOLDS_UP_TO, ratio
from pe_core.lab.examples import Material
from pe_core.lab.job import LIVE, Snapshot
from pe_core.lab.results import Measurement, RunRecord
from pe_core.lab.training import RunConfig
from ui import lab
from ui.charts import show
from ui.lab_table import draw_table
from ui.lab_task import show_answers, worst_at_task
from ui.prose import fill, sections

POLL = 0.7  # seconds between two looks at a run


def buttons(config: RunConfig | None, material: Material | None, job_id: str | None) -> None:
    """Draw Train, Pause or Resume, and Stop; `config` is None where nothing can be trained."""
    jobs = lab.job_manager()
    state = jobs.snapshot(job_id).state if job_id else None
    live = state in LIVE
    train, pause, stop = st.columns(3)
    ready = config is not None and material is not None
    train.button(
        "Train",
        key="train",
        type="primary",
        icon=":material/play_arrow:",
        disabled=live or not ready,
        on_click=lab.start,
        args=(config, material),
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
    if config and material and not live:
        seconds = lab.expected_seconds(config, len(material.symbols), material.n_held_out)
        st.caption(
            f"This run will take about **{lab.duration(seconds)}** on this machine, by a step measured just now."
        )


def watch_run(job_id: str) -> RunRecord:
    """Draw a run and keep looking while it lives; the page runs once more when it has ended. Return it as it is now."""
    was_live = lab.job_manager().snapshot(job_id).state in LIVE

    @st.fragment(run_every=POLL if was_live else None)
    def panel() -> None:
        snapshot = lab.job_manager().snapshot(job_id)
        progress(snapshot)
        show_record(snapshot.record)
        if was_live and snapshot.state not in LIVE:
            st.rerun()  # takes the timer away and gives the buttons their other state

    panel()
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
    """Draw what a run has brought so far: curves, loss by length and by position, table."""
    show(
        partial(figures.training_curves, record=record),
        key="lab_curves",
        alternative=describe_training(record),
        height=300,
    )
    seeds = record.config.seeds
    if len(seeds) > 1:
        st.caption(fill(sections("lab")["band"], {"n": len(seeds), "first": seeds[0], "last": seeds[-1]}))
    if not record.done:
        return
    if record.text.is_task:
        show_answers(record)
        return
    by_position, by_length = st.columns(2)
    with by_position:
        st.markdown("**Loss at every position of the longest texts**")
        show(partial(figures.position_losses, record=record), key="lab_positions", alternative=describe_lengths(record))
    with by_length:
        st.markdown("**Loss against evaluated length**")
        show(partial(figures.length_losses, record=record), key="lab_lengths", alternative=describe_lengths(record))
    for key in record.done:
        show_repaired(record, key)
    show_table(record)


def show_repaired(record: RunRecord, key: str) -> None:
    """Draw the losses of one trained encoding as it is and under each repair, and then after a fine-tuning."""
    outcome = record.mean(key)
    if outcome.repaired:
        st.markdown(f"**{ENCODINGS[key].title}, as trained and repaired**{_mean_of(record, key)}")
        said = describe_readings(record, key, outcome.readings())
        _show_readings(record, key, "repaired", (repair.by_position, repair.by_length), said)
    if outcome.tuned:
        steps, length = record.config.tune_steps, max(record.config.lengths)
        title = f"{ENCODINGS[key].title}, after {steps} more steps at {length:,} characters under each"
        st.markdown(f"**{title}**{_mean_of(record, key)}")
        said = f"{title}. {describe_readings(record, key, outcome.tuned_readings())}"
        _show_readings(record, key, "tuned", (repair.tuned_by_position, repair.tuned_by_length), said)


def _show_readings(
    record: RunRecord, key: str, kind: str, pictures: Sequence[Callable[..., Figure]], said: str
) -> None:
    for column, name, picture in zip(st.columns(2), ("positions", "lengths"), pictures, strict=True):
        with column:
            made = partial(picture, record=record, encoding=key)
            show(made, key=f"lab_{kind}_{name}_{key}", alternative=said, height=460)


def show_table(record: RunRecord) -> None:
    """Draw the table of losses, ratios and verdicts, and the rule of the verdicts."""
    draw_table(record)
    first, last = record.config.lengths[0], record.config.lengths[-1]
    st.caption(
        f"Held-out loss in nats per character. Ratio: loss at {last:,} over loss at {first:,}. Verdict: *holds* up to "
        f"{HOLDS_UP_TO}, *breaks* from {BREAKS_FROM}, *degrades* between; *not learned* where the loss at {first:,} is "
        f"no better than guessing by frequency ({record.text.unigram_loss:.3f})."
    )


def describe_training(record: RunRecord) -> str:
    """Return the text alternative of the training curves."""
    begun = [one.curves for one in record.by_seed.values()]
    latest = {key: [curves[key][-1] for curves in begun if key in curves] for key in record.config.encodings}
    ends = ", ".join(f"{ENCODINGS[key].title} {_over_seeds(losses)}" for key, losses in latest.items() if losses)
    return f"Training loss over steps. Latest loss in nats per character: {ends or 'none yet'}."


def describe_lengths(record: RunRecord) -> str:
    """Return what the losses by length and by position show, in one sentence per encoding."""
    return " ".join(
        f"{ENCODINGS[key].title}: loss {_at(record, key, 0)} at the training length of {record.config.lengths[0]}, "
        f"{_at(record, key, -1)} at {record.config.lengths[-1]}; {record.verdict(key)}."
        for key in record.done
    )


def _at(record: RunRecord, key: str, place: int) -> str:
    return _over_seeds([outcome.lengths[place].loss for outcome in record.seeds_of(key).values()])


def _over_seeds(losses: Sequence[float]) -> str:
    """Return a loss in words, of several trainings the mean with the smallest, the largest and their number."""
    mean = f"{sum(losses) / len(losses):.2f}"
    return mean if len(losses) == 1 else f"{mean} ({min(losses):.2f} to {max(losses):.2f}, n={len(losses)})"


def describe_readings(record: RunRecord, key: str, readings: Mapping[str, Measurement]) -> str:
    """Return how an encoding ends under each way of reading it, in one sentence."""
    ends = ", ".join(f"{title} {one.lengths[-1].loss:.2f}" for title, one in readings.items())
    return (
        f"Loss of {ENCODINGS[key].title} at {max(record.config.lengths):,} characters{_mean_of(record, key)}: {ends}."
    )


def _mean_of(record: RunRecord, key: str) -> str:
    n = len(record.seeds_of(key))
    return f", mean of {n} trainings" if n > 1 else ""


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

    @st.fragment(run_every=3 * POLL)
    def status() -> None:
        snapshot = lab.job_manager().snapshot(job_id)
        if snapshot.state in LIVE:
            st.progress(snapshot.done, text=f"Lab: {standing(snapshot)}")
        else:
            st.markdown(f"Lab: the run has {'ended' if snapshot.state == 'finished' else snapshot.state}.")
        st.page_link("pages/lab.py", label="See the run", query_params={"run": job_id})

    with st.sidebar:
        status()
