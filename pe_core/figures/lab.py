"""Figures of the lab: loss over training, loss at every position, loss over evaluated length.

With several seeds a line is the mean of the trainings, in a band from the smallest loss to the largest.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.lab.results import RunRecord

CURVE_POINTS = 100  # of one encoding: more are not told apart, and all are sent again and again while a run goes on
BAND_OPACITY = 0.2  # so that a line is seen through the bands of the others
LOSS = "Loss (nats per character)"
STEP = "Step"
LENGTH = "Evaluated length (characters)"
GUESSES = ("guess by frequency", "uniform guess")

Curve = Sequence[tuple[int, float]]


def training_curves(record: RunRecord) -> Figure:
    """Return the training loss over steps, a line per encoding of some 100 points, with the lines of guessing.

    Every point is the mean of the steps since the one before, of all trainings that have begun, as far as each of them
    has come.
    """
    stride = max(1, record.config.steps // CURVE_POINTS)
    begun = [one.curves for one in record.by_seed.values()]
    curves = {
        key: [_block_means(curves[key], stride) for curves in begun if key in curves] for key in record.config.encodings
    }
    return _figure(record, curves, STEP, last=record.config.steps)


def position_losses(record: RunRecord) -> Figure:
    """Return the held-out loss at each position of the longest length, with a line at the training length.

    Every point is the mean of the positions since the one before, an eighth of the training length.
    """
    stride = max(1, record.config.train_length // 8)
    curves = {
        key: [_block_means(outcome.positions, stride) for outcome in record.seeds_of(key).values()]
        for key in record.done
    }
    return _figure(record, curves, "Position", last=max(record.config.lengths))


def length_losses(record: RunRecord) -> Figure:
    """Return the held-out loss over evaluated length on a logarithmic axis, with a line at the training length."""
    curves = {
        key: [[(loss.length, loss.loss) for loss in outcome.lengths] for outcome in record.seeds_of(key).values()]
        for key in record.done
    }
    return _figure(record, curves, LENGTH, last=max(record.config.lengths), logarithmic=True)


def _block_means(values: Sequence[float], stride: int) -> list[tuple[int, float]]:
    whole = len(values) // stride * stride
    means = np.asarray(values[:whole]).reshape(-1, stride).mean(axis=1)
    return [(stride * (block + 1), float(mean)) for block, mean in enumerate(means)]


def _over_seeds(curves: Sequence[Curve]) -> Iterator[tuple[int, float, float, float, int]]:
    """Yield place, mean, least, greatest and number of the losses, as far as all curves go."""
    for points in zip(*curves, strict=False):
        losses = [loss for _, loss in points]
        yield points[0][0], sum(losses) / len(losses), min(losses), max(losses), len(losses)


def _figure(
    record: RunRecord, curves: Mapping[str, Sequence[Curve]], x_title: str, *, last: int, logarithmic: bool = False
) -> Figure:
    points = [(*point, ENCODINGS[key].title) for key, by_seed in curves.items() for point in _over_seeds(by_seed)]
    guesses = [record.text.unigram_loss, record.text.chance_loss]
    frames = {
        "lines": pd.DataFrame(points, columns=["x", "loss", "least", "greatest", "n", "encoding"]),
        "guesses": pd.DataFrame({"loss": guesses, "label": GUESSES}),
        # where the axis ends, so that the frame stays while the lines grow, and where the training length lies
        "marks": pd.DataFrame({"last": [last], "trained": [record.config.train_length], "label": ["training length"]}),
    }
    lengths = record.config.lengths if logarithmic else None
    return Figure(_spec(x_title, record.config.encodings, lengths, record.config.n_seeds > 1), frames)


@lru_cache(MOST_SPECS)
def _spec(x_title: str, encodings: tuple[str, ...], lengths: tuple[int, ...] | None, banded: bool) -> dict[str, Any]:
    """Return the spec of a run's encodings; with `lengths` the axis is logarithmic and names them."""
    titles = [ENCODINGS[key].title for key in encodings]
    colour = alt.Color("encoding:N").title(None).scale(domain=titles, range=list(CATEGORICAL[: len(encodings)]))
    dash = alt.StrokeDash("label:N").title(None).scale(domain=list(GUESSES), range=[[2, 3], [8, 4]])
    x = alt.X("x:Q").title(x_title).scale(nice=False, zero=True).axis(grid=False, format=",d")
    if lengths:
        x = x.scale(type="log", base=2, nice=False).axis(grid=False, format=",d", values=list(lengths))
    y = alt.Y("loss:Q").title(LOSS).scale(zero=False, nice=True)
    tooltip = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("x:Q").title(x_title).format(",d"),
        alt.Tooltip("loss:Q").title(LOSS).format(".3f"),
    ]
    if banded:
        tooltip += [
            alt.Tooltip("least:Q").title("Smallest").format(".3f"),
            alt.Tooltip("greatest:Q").title("Largest").format(".3f"),
            alt.Tooltip("n:Q").title("Trainings"),
        ]
    above = alt.Legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
    below = alt.Legend(orient="bottom", columns=2, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5, point=lengths is not None)
    guesses = alt.Chart(alt.NamedData("guesses")).mark_rule(color="#808080")
    marks = alt.Chart(alt.NamedData("marks"))
    trained_text = marks.mark_text(align="left", baseline="top", dx=4, color=alt.ExprRef(INK))
    trained = [
        marks.mark_rule(strokeDash=[6, 4], color="#808080").encode(x="trained:Q"),
        trained_text.encode(x="trained:Q", y=alt.value(0), text="label:N"),
    ]
    area = alt.Chart(alt.NamedData("lines")).mark_area(opacity=BAND_OPACITY)
    band = area.encode(x=x, y="least:Q", y2="greatest:Q", color=colour.legend(above))
    spec: dict[str, Any] = alt.layer(
        guesses.encode(y="loss:Q", strokeDash=dash.legend(below)),
        marks.mark_point(opacity=0).encode(x="last:Q"),
        *([] if x_title == STEP else trained),
        *([band] if banded else []),
        lines.encode(x=x, y=y, color=colour.legend(above), tooltip=tooltip),
    ).to_dict()
    return spec
