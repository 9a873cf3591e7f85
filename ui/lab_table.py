"""The table of a run: every encoding, its numbers with those of the further trainings, and who can be told apart."""

import streamlit as st

from pe_core.lab import results
from pe_core.lab.results import RunRecord
from pe_core.lab.seeds import compact
from pe_core.measures.agreement import LEVEL

WRITTEN = {False: (".3f", "%.3f"), True: (".0%", "percent")}  # numbers of a text and of a task, in words and in columns


def draw_table(record: RunRecord) -> None:
    """Draw the rows of a run, and say what several trainings add to them."""
    in_words, in_columns = WRITTEN[record.text.is_task]
    rows = [compact(row, in_words) for row in results.rows(record)]
    numbers = [name for name, value in rows[0].items() if isinstance(value, float)]
    formats = {name: st.column_config.NumberColumn(format=in_columns) for name in numbers}
    if record.config.n_seeds == 1:
        st.dataframe(rows, hide_index=True, column_config=formats)
    else:
        # What follows from the numbers first: with their spread they are too wide to be seen beside it.
        order = sorted(rows[0], key=lambda name: " at " in name)
        st.dataframe(rows, hide_index=True, column_config=formats, column_order=order)
        by = f"what is right at {record.config.lengths[-1]:,}" if record.text.is_task else "the ratio"
        st.caption(
            f"*n*: trainings, each with another seed. A cell has their mean, and in brackets the smallest and the "
            f"largest; the verdict is that of the mean losses. The rows go from the best to the worst, what has not "
            f"learned at the end. *Told apart from the next*: a paired t-test of this row and the one below it, by "
            f"{by} with each common seed, has p below {LEVEL}; of equals, one pair in {1 / LEVEL:.0f} has."
        )
