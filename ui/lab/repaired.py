"""What the lab shows of a model that was read with repairs: as trained beside each of them, and after a fine-tuning."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.figures import repair
from pe_core.figures.lab_tasks import TITLES, Share, share_of
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Measurement
from pe_core.lab.results.record import RunRecord
from ui.lab.words import longest, mean_of
from ui.widgets.charts import Picture, show, with_legend

Kind = Literal["repaired", "tuned"]


@dataclass(frozen=True)
class Look:
    """A picture of all readings of a model: its name, its title, the calls that draw it, a number of it in words."""

    name: str
    title: str
    pictures: Mapping[Kind, Picture]
    written: Callable[[LengthLoss], str]


def show_repaired(record: RunRecord, key: str) -> None:
    """Draw what one trained encoding can do as it is and under each repair, and then after a fine-tuning."""
    outcome, title = record.mean(key), ENCODINGS[key].title
    if outcome.repaired:
        st.markdown(f"**{title}, as trained and repaired**{mean_of(record, key)}")
        _draw(record, key, "repaired", outcome.evaluations())
    if outcome.tuned:
        after = f"{title}, after {record.config.tune_steps} more steps at {longest(record)} under each"
        st.markdown(f"**{after}**{mean_of(record, key)}")
        _draw(record, key, "tuned", outcome.tuned_evaluations(), f"{after}. ")


def looks(record: RunRecord) -> list[Look]:
    """Return the pictures of a run: of a text the loss by position and by length, of a task what is right by length."""
    if record.text.is_task:
        right, tuned_right = repair.right_by_length, repair.tuned_right_by_length
        return [
            Look(
                share,
                title,
                {
                    "repaired": partial(right, record=record, share=share),
                    "tuned": partial(tuned_right, record=record, share=share),
                },
                partial(_share_in_words, share=share),
            )
            for share, title in TITLES.items()
        ]
    calls = {
        "positions": (repair.by_position, repair.tuned_by_position),
        "lengths": (repair.by_length, repair.tuned_by_length),
    }
    return [
        Look(
            name,
            "Loss",
            {"repaired": partial(repaired, record=record), "tuned": partial(tuned, record=record)},
            lambda one: f"{one.loss:.2f}",
        )
        for name, (repaired, tuned) in calls.items()
    ]


def describe_readings(record: RunRecord, key: str, readings: Mapping[str, Measurement], look: Look) -> str:
    """Return how an encoding ends under each way of reading it, in one sentence."""
    ends = ", ".join(f"{title} {look.written(one.lengths[-1])}" for title, one in readings.items())
    return f"{look.title} of {ENCODINGS[key].title} at {longest(record)}{mean_of(record, key)}: {ends}."


def _share_in_words(one: LengthLoss, share: Share) -> str:
    return f"{share_of(one, share):.0%}"


def _draw(record: RunRecord, key: str, kind: Kind, readings: Mapping[str, Measurement], before: str = "") -> None:
    found = looks(record)
    for column, look in zip(st.columns(len(found)), found, strict=True):
        with column:
            show(
                partial(look.pictures[kind], encoding=key),
                key=f"lab_{kind}_{look.name}_{key}",
                alternative=before + describe_readings(record, key, readings, look),
                height=with_legend(380, len(readings)),
            )
