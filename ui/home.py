"""The length cliff of the home page, and its ways in."""

from functools import partial
from typing import Literal

import streamlit as st

from pe_core.chapters.lab import length_losses, position_losses
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Facts
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import Verdict, ratio
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
    counts = [record.mean(key).n_parameters for key in record.done]
    return {
        "train": record.config.train_length,
        "longest": max(record.config.lengths),
        "parameters": " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)})),
        "steps": record.config.steps,
        "text": record.text.name,
        "seed": record.config.seed,
    }


def show_cliff(record: RunRecord) -> None:
    """Draw loss by length and by position, and a number per encoding."""
    columns = st.columns(len(record.done))
    for column, key in zip(columns, record.done, strict=True):
        outcome, verdict = record.mean(key), record.verdict(key)
        column.metric(
            ENCODINGS[key].title,
            f"× {ratio(outcome.lengths):.2f}",
            f"{verdict}: {outcome.lengths[0].loss:.2f} → {outcome.lengths[-1].loss:.2f}",
            delta_color=COLOURS[verdict],
            delta_arrow="off",
            help=ENCODINGS[key].summary,
            border=True,
        )
    by_position, by_length = st.columns(2)
    with by_position:
        st.markdown("**Loss at every position**")
        show(partial(position_losses, record=record), key="home_positions", alternative=describe_lengths(record))
    with by_length:
        st.markdown("**Loss against the length of the text**")
        show(partial(length_losses, record=record), key="home_lengths", alternative=describe_lengths(record))


def ways_in() -> None:
    """Draw a link to each page with what it shows, which stands in the page's own text."""
    _, *chapters = [page for section in page_list().values() for page in section]
    for first in range(0, len(chapters), CHAPTERS_A_ROW):
        for place, page in zip(st.columns(CHAPTERS_A_ROW), chapters[first : first + CHAPTERS_A_ROW], strict=False):
            with place.container(border=True, height="stretch"):
                st.page_link(page, label=f"**{page.title}**", icon=page.icon)
                write(sections(page.url_path)["way"], {"encodings": len(ENCODINGS)})
