"""A table whose cells are coloured by how good they are within their column."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from pe_core.figures.looks.shades import ink, shade
from pe_core.measures.criteria import Better

Grade = float | None  # from 0, the worst, to 1, the best; None where there is nothing to judge

ARROWS: Mapping[Better, str] = {
    "higher": "↑",
    "lower": "↓",
    "neutral": "↕",
}  # which way is better, in the head of a column


def grades(values: Sequence[float | None], better: Better) -> list[Grade]:
    """Return for each of `values` which fraction of the others is not better than it: 1 for the best, also if shared.

    None where there is no value, and everywhere if neither end is better.
    """
    known = [value for value in values if value is not None]
    if better == "neutral":
        return [None] * len(values)
    sign = 1 if better == "higher" else -1
    others = max(1, len(known) - 1)
    return [None if value is None else 1 - sum(sign * one > sign * value for one in known) / others for value in values]


def graded(rows: Sequence[Mapping[str, object]], judged: Mapping[str, Sequence[Grade]]) -> Styler:
    """Return a table of `rows` with a background and a colour of words for each grade, `judged` by column.

    What has no grade keeps the colours of the page.
    """
    looks = pd.DataFrame("", index=range(len(rows)), columns=list(rows[0]))
    for column, found in judged.items():
        looks[column] = ["" if grade is None else _look(grade) for grade in found]
    return pd.DataFrame(rows).style.apply(lambda _: looks, axis=None)


def _look(grade: float) -> str:
    colour = shade(grade)
    return f"background-color: {colour}; color: {ink(colour)}"
