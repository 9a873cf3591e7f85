"""What the lab shows of a run that has learned a task: how many answers are right at each length."""

from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.figures.lab_tasks import TITLES, Share, right_answers, share_of
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.verdicts import KEEPS_FROM, LEARNED_FROM, LOSES_FROM
from ui.lab.words import over_seeds
from ui.widgets.charts import show, with_legend


def show_answers(record: RunRecord) -> None:
    """Draw the shares of right answers and of examples without a mistake by length."""
    for place, share in zip(st.columns(len(TITLES)), TITLES, strict=True):
        with place:
            st.markdown(f"**{TITLES[share]} against evaluated length**")
            show(
                partial(right_answers, record=record, share=share),
                key=f"lab_task_{share}",
                alternative=describe_answers(record, share),
                height=with_legend(380, len(record.config.encodings)),
            )


def rule_of_answers(record: RunRecord) -> str:
    """Return what the numbers of the table are, and the rule of its verdicts."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    return (
        f"*Right*: of the answers to examples of the largest size that fits into the length. *All right*: of the "
        f"examples, those without a mistake. A guess has {record.text.chance:.0%} of the answers right; *skill* is how "
        f"much of the rest a model has. Verdict: *holds* where at least {KEEPS_FROM:.0%} of the skill at {first:,} is "
        f"left at {last:,}, *breaks* where at most {LOSES_FROM:.0%} is, *degrades* between; *not learned* where the "
        f"skill at {first:,} is below {LEARNED_FROM:.0%}."
    )


def describe_answers(record: RunRecord, share: Share) -> str:
    """Return what a picture of the answers shows, in one sentence per encoding."""
    return f"{TITLES[share]}. " + " ".join(
        f"{ENCODINGS[key].title}: {_at(record, key, share, 0)} at the training length of {record.config.lengths[0]}, "
        f"{_at(record, key, share, -1)} at {record.config.lengths[-1]}; {record.verdict(key)}."
        for key in record.done
    )


def worst_at_task(record: RunRecord) -> str:
    """Return the answer to the exercise for a run of a task, computed."""
    ends = {key: [share_of(mark, "accuracy") for mark in record.mean(key).lengths] for key in record.done}
    worst = max(ends, key=lambda key: ends[key][0] - ends[key][-1])
    times = record.config.lengths[-1] // record.config.train_length
    return (
        "For a task it is the share of right answers that tells, not the ratio of the losses. "
        f"**{ENCODINGS[worst].title}** loses most of it: {ends[worst][0]:.0%} at the training length, "
        f"{ends[worst][-1]:.0%} at {times} times as much."
    )


def _at(record: RunRecord, key: str, share: Share, place: int) -> str:
    return over_seeds([share_of(one.lengths[place], share) for one in record.outcomes[key].values()], ".0%")
