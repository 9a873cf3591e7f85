"""Figures of the lab: loss over training, loss at every position, loss over evaluated length."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.lab_lines import (
    GREY,
    SPREAD,
    Curve,
    Quantity,
    at_training_length,
    band,
    encoding_colour,
    length_axis,
    over_seeds,
    training_length,
)
from pe_core.lab.results.record import RunRecord, TextFacts

CURVE_POINTS = 100  # of one encoding: more are not told apart, and all are sent again and again while a run goes on
LOSS = "Loss (nats per character)"
LOSS_OF_TEXT = Quantity("loss", LOSS, ".3f")
LOSS_OF_TASK = Quantity("loss", "Loss (nats per answer)", ".3f")
STEP = "Step"
LENGTH = "Evaluated length (characters)"
SYMBOLS = "Evaluated length (symbols)"
UNIFORM = "uniform guess"
GUESS = alt.Tooltip("label:N").title("Guess")


def training_curves(record: RunRecord) -> Figure:
    """Return the training loss over steps, a line per encoding of some 100 points, with the lines of guessing.

    Every point is the mean of the steps since the one before, of all trainings that have begun, as far as each of them
    has come.
    """
    stride = max(1, record.config.steps // CURVE_POINTS)
    curves = {
        key: [_block_means(curve, stride) for curve in record.curves.get(key, {}).values()]
        for key in record.config.encodings
    }
    return _figure(record, curves, STEP, last=record.config.steps)


def position_losses(record: RunRecord) -> Figure:
    """Return the held-out loss at each position of the longest length, with a line at the training length.

    Every point is the mean of the positions since the one before, an eighth of the training length.
    """
    stride = max(1, record.config.train_length // 8)
    curves = {
        key: [_block_means(outcome.positions, stride) for outcome in record.outcomes[key].values()]
        for key in record.done
    }
    return _figure(record, curves, "Position", last=max(record.config.lengths))


def length_losses(record: RunRecord) -> Figure:
    """Return the held-out loss over evaluated length on a logarithmic axis, with a line at the training length."""
    curves = {
        key: [[(loss.length, loss.loss) for loss in outcome.lengths] for outcome in record.outcomes[key].values()]
        for key in record.done
    }
    title = SYMBOLS if record.text.is_task else LENGTH
    return _figure(record, curves, title, last=max(record.config.lengths), logarithmic=True)


def _block_means(values: Sequence[float], stride: int) -> list[tuple[int, float]]:
    whole = len(values) // stride * stride
    means = np.asarray(values[:whole]).reshape(-1, stride).mean(axis=1)
    return [(stride * (block + 1), float(mean)) for block, mean in enumerate(means)]


def _figure(
    record: RunRecord, curves: Mapping[str, Sequence[Curve]], x_title: str, *, last: int, logarithmic: bool = False
) -> Figure:
    points = [(*point, ENCODINGS[key].title) for key, by_seed in curves.items() for point in over_seeds(by_seed)]
    marks = training_length(record.config.train_length)
    guesses = _guesses(record.text)
    frames = {
        "lines": pd.DataFrame(points, columns=["x", "loss", *SPREAD, "encoding"]),
        "guesses": pd.DataFrame(list(guesses.items()), columns=["label", "loss"]),
        "marks": marks.assign(last=last),  # where the axis ends, so that the frame stays while the lines grow
    }
    lengths = record.config.lengths if logarithmic else None
    loss = LOSS_OF_TASK if record.text.is_task else LOSS_OF_TEXT
    spec = _spec(x_title, loss, tuple(guesses), record.config.encodings, lengths, record.config.n_seeds > 1)
    return Figure(spec, frames)


def _guesses(text: TextFacts) -> dict[str, float]:
    """Return what guessing costs; the answers to a task are equally likely, so that both guesses are one."""
    uniform = {UNIFORM: text.chance_loss}
    return uniform if text.is_task else {"guess by frequency": text.unigram_loss, **uniform}


@lru_cache(MOST_SPECS)
def _spec(
    x_title: str,
    loss: Quantity,
    guesses: tuple[str, ...],
    encodings: tuple[str, ...],
    lengths: tuple[int, ...] | None,
    banded: bool,
) -> dict[str, Any]:
    """Return the spec of a run's encodings; with `lengths` the axis is logarithmic and names them."""
    colour = encoding_colour(encodings)
    dashes = [[2, 3], [8, 4]][: len(guesses)]
    dash = alt.StrokeDash("label:N").title(None).scale(domain=list(guesses), range=dashes)
    x = alt.X("x:Q").title(x_title).scale(nice=False, zero=True).axis(grid=False, format=",d")
    if lengths:
        x = length_axis("x", x_title, lengths)
    tooltip = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("x:Q").title(x_title).format(",d"),
        *loss.told(spread=banded),
    ]
    below = alt.Legend(orient="bottom", columns=2, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5, point=lengths is not None)
    guessing = alt.Chart(alt.NamedData("guesses")).mark_rule(color=GREY)
    end = alt.Chart(alt.NamedData("marks")).mark_point(opacity=0, tooltip=None)
    spec: dict[str, Any] = alt.layer(
        guessing.encode(y="loss:Q", strokeDash=dash.legend(below), tooltip=[GUESS, *loss.told(spread=False)]),
        end.encode(x="last:Q"),
        *([] if x_title == STEP else at_training_length()),
        *([band(x, encodings)] if banded else []),
        lines.encode(x=x, y=loss.axis(), color=colour, tooltip=tooltip),
    ).to_dict()
    return spec
