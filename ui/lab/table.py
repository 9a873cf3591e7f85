"""The table of a run: every encoding, its numbers with those of the further trainings, and who can be told apart."""

from collections.abc import Iterable, Mapping

import streamlit as st
from streamlit.column_config import Column, NumberColumn

from pe_core.lab.results import table
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import MAX, MIN
from pe_core.measures.agreement import LEVEL

SHORT = {MIN: "Smallest", MAX: "Largest"}  # headers beside that of their mean
PERCENT = " (%)"
NARROW = 48  # pixels

Row = Mapping[str, str | float]


def draw_table(record: RunRecord) -> None:
    """Draw the rows of a run, and say what several trainings add to them."""
    rows = table.rows(record)
    if record.text.is_task:
        rows = [in_percent(row) for row in rows]
    columns = {"Encoding": Column(pinned=True), "n": Column(width=NARROW, pinned=True)}
    columns["Trainings of that verdict"] = Column("n of that verdict")
    for name in (name for name, value in rows[0].items() if isinstance(value, float)):
        header, hint = _header(name)
        columns[name] = NumberColumn(header, help=hint, format="%.1f" if record.text.is_task else "%.3f")
    if record.config.n_seeds == 1:
        st.dataframe(rows, hide_index=True, column_config=columns)
        return
    st.dataframe(rows, hide_index=True, column_config=columns, column_order=deciding_first(rows[0], record))
    by = f"what is right at {record.config.lengths[-1]:,}" if record.text.is_task else "the ratio"
    st.caption(
        f"*n*: trainings, each with another seed. Each number is their mean, with the smallest and the largest of them "
        f"to its right; the verdict is that of the means, *n of that verdict* how many trainings have it alone. The "
        f"rows go from the best to the worst by {by}, what has not learned at the end. *Told apart from the next*: a "
        f"paired t-test of this row and the one below it, by {by} with each common seed, has p below {LEVEL}; of "
        f"equals, one pair in {1 / LEVEL:.0f} has."
    )


def in_percent(row: Row) -> dict[str, str | float]:
    """Return the row of a task with its shares in percent, which their names say."""
    cells: dict[str, str | float] = {}
    for name, value in row.items():
        if isinstance(value, float):
            cells[f"{name}{PERCENT}"] = 100 * value
        else:
            cells[name] = value
    return cells


def deciding_first(names: Iterable[str], record: RunRecord) -> list[str]:
    """Return the columns as they are seen: the number that puts the rows in order, what follows from it, the others."""
    deciding = f"Right at {record.config.lengths[-1]:,}" if record.text.is_task else "Ratio"
    unit = PERCENT if record.text.is_task else ""
    first = ("Encoding", "n", *(f"{deciding}{ending}{unit}" for ending in ("", *SHORT)))
    others = [name for name in names if name not in first]
    return [*first, *sorted(others, key=lambda name: " at " in name)]


def _header(name: str) -> tuple[str, str | None]:
    """Return the header of a number, short for what lies beside a mean, and a hint that says of what it is then."""
    for ending, short in SHORT.items():
        mean, found, unit = name.partition(ending)
        if found:
            return short, f"{mean}{unit}: the {short.lower()} of the trainings"
    return name, None
