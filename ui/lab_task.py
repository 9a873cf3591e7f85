"""What the lab shows of a run that has learned a task: how many answers are right at each length."""

from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.figures.lab_tasks import TITLES, Share, right_answers, share_of
from pe_core.lab.evaluation import KEEPS_FROM, LEARNED_FROM, LOSES_FROM
from pe_core.lab.results import RunRecord
from ui.charts import show
from ui.lab_table import draw_table


def show_answers(record: RunRecord) -> None:
    """Draw the shares of right answers and of examples without a mistake by length, and the table."""
    for place, share in zip(st.columns(len(TITLES)), TITLES, strict=True):
        with place:
            st.markdown(f"**{TITLES[share]} against evaluated length**")
            show(
                partial(right_answers, record=record, share=share),
                key=f"lab_task_{share}",
                alternative=describe_answers(record, share),
            )
    draw_table(record)
    first, last = record.config.lengths[0], record.config.lengths[-1]
    st.caption(
        f"*Right*: of the answers to examples of the largest size that fits into the length. *All right*: of the "
        f"examples, those without a mistake. A guess has {record.text.chance:.0%} of the answers right; *skill* is how "
        f"much of the rest a model has. Verdict: *holds* where at least {KEEPS_FROM:.0%} of the skill at {first:,} is "
        f"left at {last:,}, *breaks* where at most {LOSES_FROM:.0%} is, *degrades* between; *not learned* where the "
        f"skill at {first:,} is below {LEARNED_FROM:.0%}."
    )


def describe_answers(record: RunRecord, share: Share) -> str:
    """Return what a picture of the answers shows, in one sentence per encoding; of several trainings the means."""
    return f"{TITLES[share]}. " + " ".join(
        f"{ENCODINGS[key].title}: {_percent(first)} at the training length of {record.config.lengths[0]}, "
        f"{_percent(last)} at {record.config.lengths[-1]}, n={len(record.seeds_of(key))}; {record.verdict(key)}."
        for key, (first, last) in _ends(record, share).items()
    )


def worst_at_task(record: RunRecord) -> str:
    """Return the answer to the exercise for a run of a task, computed."""
    ends = _ends(record, "accuracy")
    worst = max(ends, key=lambda key: ends[key][0] - ends[key][1])
    first, last = ends[worst]
    times = record.config.lengths[-1] // record.config.train_length
    return (
        "For a task it is the share of right answers that tells, not the ratio of the losses. "
        f"**{ENCODINGS[worst].title}** loses most of it: {_percent(first)} at the training length, {_percent(last)} at "
        f"{times} times as much."
    )


def _ends(record: RunRecord, share: Share) -> dict[str, tuple[float, float]]:
    """Return the mean share at the training length and at the longest one, by encoding."""
    means = {key: record.mean(key).lengths for key in record.done}
    return {key: (share_of(lengths[0], share), share_of(lengths[-1], share)) for key, lengths in means.items()}


def _percent(value: float) -> str:
    return f"{value:.0%}"
