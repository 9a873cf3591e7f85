"""A trained model as it is and under each repair: what it can do over evaluated length, and at every position.

For a text that is its loss, for a task how many answers are right. With several seeds a line is the mean of the
trainings; bands would hide each other, since repairs of one model lie close together.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.lab import LENGTH, LOSS_OF_TEXT, SYMBOLS
from pe_core.figures.lab_lines import (
    SPREAD,
    Curve,
    Quantity,
    at_training_length,
    length_axis,
    over_seeds,
    training_length,
)
from pe_core.figures.lab_tasks import Share, at_guess, curve, guess, quantity
from pe_core.figures.palette import CATEGORICAL
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.results.record import RunRecord

BLOCKS = 8  # points of a line by position for one training length
DASHES = ([1, 0], [6, 3], [2, 2])  # another one each time round the colours

Readings = Sequence[Mapping[str, Measurement]]  # of each training, by the title of how it is read


def by_length(record: RunRecord, encoding: str) -> Figure:
    """Return the held-out loss of one encoding over evaluated length, a line as trained and one for each repair."""
    return _by_length(record, _each(record, encoding, Outcome.evaluations))


def by_position(record: RunRecord, encoding: str) -> Figure:
    """Return the held-out loss of one encoding at each position of the longest length, as trained and repaired.

    Every point is the mean of the positions since the one before, an eighth of the training length.
    """
    return _by_position(record, _each(record, encoding, Outcome.evaluations))


def tuned_by_length(record: RunRecord, encoding: str) -> Figure:
    """Return what `by_length` does, after a fine-tuning at the longest length."""
    return _by_length(record, _each(record, encoding, Outcome.tuned_evaluations))


def tuned_by_position(record: RunRecord, encoding: str) -> Figure:
    """Return what `by_position` does, after a fine-tuning at the longest length."""
    return _by_position(record, _each(record, encoding, Outcome.tuned_evaluations))


def right_by_length(record: RunRecord, encoding: str, share: Share) -> Figure:
    """Return a share of what one encoding has right in a task, by evaluated length, as trained and repaired.

    `share` is that of the right answers, beside what a guess has, or of the examples all of whose answers are right.
    """
    return _right_by_length(record, _each(record, encoding, Outcome.evaluations), share)


def tuned_right_by_length(record: RunRecord, encoding: str, share: Share) -> Figure:
    """Return what `right_by_length` does, after a fine-tuning at the longest length."""
    return _right_by_length(record, _each(record, encoding, Outcome.tuned_evaluations), share)


def _each(record: RunRecord, encoding: str, of: Callable[[Outcome], Mapping[str, Measurement]]) -> Readings:
    """Return the readings of each training; `KeyError` where the encoding is not done."""
    return [of(outcome) for outcome in record.outcomes[encoding].values()]


def _by_length(record: RunRecord, readings: Readings) -> Figure:
    curves = _curves(readings, lambda one: [(loss.length, loss.loss) for loss in one.lengths])
    frames = _frames(record, curves, "x", LOSS_OF_TEXT)
    return Figure(_spec(tuple(curves), record.config.lengths, None, record.config.n_seeds > 1), frames)


def _by_position(record: RunRecord, readings: Readings) -> Figure:
    stride = max(1, record.config.train_length // BLOCKS)

    def blocks(one: Measurement) -> Curve:
        means = np.asarray(one.positions).reshape(-1, stride).mean(axis=1)
        return [(stride * (block + 1), float(mean)) for block, mean in enumerate(means)]

    curves = _curves(readings, blocks)
    frames = _frames(record, curves, "x", LOSS_OF_TEXT)
    return Figure(_spec(tuple(curves), None, None, record.config.n_seeds > 1), frames)


def _right_by_length(record: RunRecord, readings: Readings, share: Share) -> Figure:
    curves = _curves(readings, lambda one: curve(one.lengths, share))
    frames = _frames(record, curves, "length", quantity(share)) | guess(record, share)
    return Figure(_spec(tuple(curves), record.config.lengths, share, record.config.n_seeds > 1), frames)


def _curves(readings: Readings, drawn: Callable[[Measurement], Curve]) -> dict[str, list[Curve]]:
    """Return the curves of each training by how it is read, as it is last, which is then drawn above the others."""
    titles = [title for title in readings[0] if title != AS_TRAINED.title] + [AS_TRAINED.title]
    return {title: [drawn(read[title]) for read in readings] for title in titles}


def _frames(
    record: RunRecord, curves: Mapping[str, Sequence[Curve]], column: str, shown: Quantity
) -> dict[str, pd.DataFrame]:
    points = [(*point, title) for title, by_seed in curves.items() for point in over_seeds(by_seed)]
    return {
        "lines": pd.DataFrame(points, columns=[column, shown.column, *SPREAD, "repair"]),
        "marks": training_length(record.config.train_length),
    }


@lru_cache(MOST_SPECS)
def _spec(
    titles: tuple[str, ...], lengths: tuple[int, ...] | None, share: Share | None, several: bool
) -> dict[str, Any]:
    """Return the spec for lines of these titles, the last as trained; with `lengths` the axis is logarithmic.

    It shows a share of what is right in a task, or where that is None the loss of a text.
    """
    *repairs, plain = titles
    colours = [CATEGORICAL[place % (len(CATEGORICAL) - 1)] for place in range(len(repairs))]
    dashes = [DASHES[place // (len(CATEGORICAL) - 1) % len(DASHES)] for place in range(len(repairs))]
    domain = [plain, *repairs]
    legend = alt.Legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=3, labelLimit=190)
    colour = alt.Color("repair:N").title(None).scale(domain=domain, range=["#7F7F7F", *colours]).legend(legend)
    dash = alt.StrokeDash("repair:N").title(None).scale(domain=domain, range=[[1, 0], *dashes]).legend(legend)
    shown = quantity(share) if share else LOSS_OF_TEXT
    column = "length" if share else "x"
    title = (SYMBOLS if share else LENGTH) if lengths else "Position"
    x = alt.X(f"{column}:Q").title(title).scale(nice=False, zero=True).axis(grid=False, format=",d")
    if lengths:
        x = length_axis(column, title, lengths)
    tooltip = [
        alt.Tooltip("repair:N").title("Read"),
        alt.Tooltip(f"{column}:Q").title(title).format(",d"),
        *shown.told(spread=several),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5, point=lengths is not None)
    spec: dict[str, Any] = alt.layer(
        *at_training_length(),
        *(at_guess(share) if share else []),
        lines.encode(x=x, y=shown.axis(), color=colour, strokeDash=dash, tooltip=tooltip),
    ).to_dict()
    return spec
