"""The length cliff of the home page, and its ways in."""

from functools import partial
from typing import Literal

import streamlit as st

from pe_core.chapters.lab import length_losses, position_losses
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Facts
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import Verdict, at_end, compared, ratio
from ui.frame.room import PICTURE
from ui.frame.shell import page_list
from ui.lab.results import describe_lengths
from ui.widgets.charts import show
from ui.widgets.prose import sections, write

CHAPTERS_A_ROW = 3

COLOURS: dict[Verdict, Literal["green", "orange", "red", "gray"]] = {
    "holds": "green",
    "degrades": "orange",
    "breaks": "red",
    "not learned": "gray",
}


def facts(record: RunRecord) -> Facts:
    """Return what the text of the page says of the run."""
    means = [record.mean(key) for key in record.done]
    counts = [one.n_parameters for one in means]
    first, last = record.config.train_length, max(record.config.lengths)
    at_the_end = f"the last {first // 2} of {last:,} characters as for the same characters in texts of {first:,}"
    whole = f"texts of {last:,} characters as for texts of {first:,}"
    return {
        "train": record.config.train_length,
        "longest": max(record.config.lengths),
        "parameters": " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)})),
        "numbers": at_the_end if all(at_end(one.lengths) for one in means) else whole,
        "steps": record.config.steps,
        "text": record.text.name,
        "seed": record.config.seed,
    }


def show_cliff(record: RunRecord) -> None:
    """Draw loss by position and by length."""
    with st.container(key=PICTURE):
        by_position, by_length = st.columns(2)
        with by_position:
            st.markdown("**Loss at every position**")
            show(partial(position_losses, record=record), key="home_positions", alternative=describe_lengths(record))
        with by_length:
            st.markdown("**Loss against the length of the text**")
            show(partial(length_losses, record=record), key="home_lengths", alternative=describe_lengths(record))


def show_ratios(record: RunRecord) -> None:
    """Draw a number per encoding."""
    columns = st.columns(len(record.done))
    for column, key in zip(columns, record.done, strict=True):
        outcome, verdict = record.mean(key), record.verdict(key)
        within, far = compared(outcome.lengths)
        column.metric(
            ENCODINGS[key].title,
            f"× {ratio(outcome.lengths):.2f}",
            f"{verdict}: {within:.2f} → {far:.2f}",
            delta_color=COLOURS[verdict],
            delta_arrow="off",
            help=ENCODINGS[key].summary,
            border=True,
        )


def ways_in() -> None:
    """Draw a link to each page with what it shows, which stands in the page's own text."""
    _, *chapters = [page for section in page_list().values() for page in section]
    for first in range(0, len(chapters), CHAPTERS_A_ROW):
        for place, page in zip(st.columns(CHAPTERS_A_ROW), chapters[first : first + CHAPTERS_A_ROW], strict=False):
            with place.container(border=True, height="stretch"):
                st.page_link(page, label=f"**{page.title}**", icon=page.icon)
                write(sections(page.url_path)["way"], {"encodings": len(ENCODINGS)})
