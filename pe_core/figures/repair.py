"""A trained model as it is and under each repair: loss over evaluated length, and at every position."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.lab import LENGTH, LOSS
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.lab.repair import AS_TRAINED
from pe_core.lab.results import Measurement, RunRecord

BLOCKS = 8  # points of a line by position for one training length
DASHES = ([1, 0], [6, 3], [2, 2])  # another one each time round the colours


def by_length(record: RunRecord, encoding: str) -> Figure:
    """Return the held-out loss of one encoding over evaluated length, a line as trained and one for each repair."""
    return _by_length(record, record.mean(encoding).readings())


def by_position(record: RunRecord, encoding: str) -> Figure:
    """Return the held-out loss of one encoding at each position of the longest length, as trained and repaired.

    Every point is the mean of the positions since the one before, an eighth of the training length.
    """
    return _by_position(record, record.mean(encoding).readings())


def tuned_by_length(record: RunRecord, encoding: str) -> Figure:
    """Return what `by_length` does, after a fine-tuning at the longest length."""
    return _by_length(record, record.mean(encoding).tuned_readings())


def tuned_by_position(record: RunRecord, encoding: str) -> Figure:
    """Return what `by_position` does, after a fine-tuning at the longest length."""
    return _by_position(record, record.mean(encoding).tuned_readings())


def _by_length(record: RunRecord, readings: Mapping[str, Measurement]) -> Figure:
    read = _plain_last(readings)
    points = [(loss.length, loss.loss, title) for title, one in read.items() for loss in one.lengths]
    return _figure(record, points, tuple(read), logarithmic=True)


def _by_position(record: RunRecord, readings: Mapping[str, Measurement]) -> Figure:
    read, stride = _plain_last(readings), max(1, record.config.train_length // BLOCKS)
    points = []
    for title, one in read.items():
        means = np.asarray(one.positions).reshape(-1, stride).mean(axis=1)
        points += [(stride * (block + 1), float(mean), title) for block, mean in enumerate(means)]
    return _figure(record, points, tuple(read), logarithmic=False)


def _plain_last(readings: Mapping[str, Measurement]) -> dict[str, Measurement]:
    """Return the readings with that of the model as it is last, which is then drawn above the others."""
    read = dict(readings)
    plain = read.pop(AS_TRAINED.title)
    return {**read, AS_TRAINED.title: plain}


def _figure(
    record: RunRecord, points: list[tuple[int, float, str]], titles: tuple[str, ...], *, logarithmic: bool
) -> Figure:
    config = record.config
    frames = {
        "lines": pd.DataFrame(points, columns=["x", "loss", "repair"]),
        "marks": pd.DataFrame({"trained": [config.train_length], "label": ["training length"]}),
    }
    return Figure(_spec(titles, config.lengths if logarithmic else None), frames)


@lru_cache(MOST_SPECS)
def _spec(titles: tuple[str, ...], lengths: tuple[int, ...] | None) -> dict[str, Any]:
    """Return the spec for lines of these titles, the last as trained; with `lengths` the axis is logarithmic."""
    *repairs, plain = titles
    colours = [CATEGORICAL[place % (len(CATEGORICAL) - 1)] for place in range(len(repairs))]
    dashes = [DASHES[place // (len(CATEGORICAL) - 1) % len(DASHES)] for place in range(len(repairs))]
    domain = [plain, *repairs]
    legend = alt.Legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=3, labelLimit=190)
    colour = alt.Color("repair:N").title(None).scale(domain=domain, range=["#7F7F7F", *colours]).legend(legend)
    dash = alt.StrokeDash("repair:N").title(None).scale(domain=domain, range=[[1, 0], *dashes]).legend(legend)
    title = LENGTH if lengths else "Position"
    x = alt.X("x:Q").title(title).scale(nice=False, zero=True).axis(grid=False, format=",d")
    if lengths:
        x = x.scale(type="log", base=2, nice=False).axis(grid=False, format=",d", values=list(lengths))
    tooltip = [
        alt.Tooltip("repair:N").title("Read"),
        alt.Tooltip("x:Q").title(title).format(",d"),
        alt.Tooltip("loss:Q").title(LOSS).format(".3f"),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5, point=lengths is not None)
    marks = alt.Chart(alt.NamedData("marks")).encode(x="trained:Q")
    word = marks.mark_text(align="left", baseline="top", dx=4, color=alt.ExprRef(INK))
    spec: dict[str, Any] = alt.layer(
        marks.mark_rule(strokeDash=[6, 4], color="#808080"),
        word.encode(y=alt.value(0), text="label:N"),
        lines.encode(
            x=x, y=alt.Y("loss:Q").title(LOSS).scale(zero=False), color=colour, strokeDash=dash, tooltip=tooltip
        ),
    ).to_dict()
    return spec
