"""Figure of the lab's tasks: how many answers are right at each evaluated length, beside those of a guess."""

from functools import lru_cache
from typing import Any, Literal

import altair as alt
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.lab.evaluation import LengthLoss
from pe_core.lab.results import Outcome, RunRecord

Share = Literal["accuracy", "exact"]
TITLES: dict[Share, str] = {"accuracy": "Right answers", "exact": "Examples without a mistake"}
LENGTH = "Evaluated length (symbols)"
GUESS = "uniform guess"


def right_answers(record: RunRecord, share: Share) -> Figure:
    """Return a share by evaluated length, a line for each encoding, with a line at the training length.

    `share` is that of the right answers, beside what a guess has, or of the examples all of whose answers are right.
    Where there are several trainings, the line is their mean and each has a point.
    """
    lines = [point for key in record.done for point in _points(key, record.mean(key), share)]
    trainings = [
        point for key in record.done for one in record.seeds_of(key).values() for point in _points(key, one, share)
    ]
    config = record.config
    frames = {
        "lines": pd.DataFrame(lines, columns=["length", "share", "encoding"]),
        "trainings": pd.DataFrame(trainings, columns=["length", "share", "encoding"]),
        "marks": pd.DataFrame({"trained": [config.train_length], "label": ["training length"]}),
    }
    if share == "accuracy":
        frames["guesses"] = pd.DataFrame({"share": [record.text.chance], "label": [GUESS]})
    return Figure(_spec(config.encodings, config.lengths, share), frames)


def share_of(one: LengthLoss, share: Share) -> float:
    """Return a share of what a model of a task has right at one length."""
    value = one.accuracy if share == "accuracy" else one.exact
    assert value is not None  # of a task both are known
    return value


def _points(key: str, outcome: Outcome, share: Share) -> list[tuple[int, float, str]]:
    return [(one.length, share_of(one, share), ENCODINGS[key].title) for one in outcome.lengths]


@lru_cache(MOST_SPECS)
def _spec(encodings: tuple[str, ...], lengths: tuple[int, ...], share: Share) -> dict[str, Any]:
    """Return the spec of a run's encodings, the lengths on a logarithmic axis."""
    titles = [ENCODINGS[key].title for key in encodings]
    legend = alt.Legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=3)
    scale = alt.Scale(domain=titles, range=list(CATEGORICAL[: len(encodings)]))
    place = {
        "x": alt.X("length:Q")
        .title(LENGTH)
        .scale(type="log", base=2, nice=False)
        .axis(grid=False, format=",d", values=list(lengths)),
        "y": alt.Y("share:Q").title(TITLES[share]).scale(domain=[0, 1]).axis(format=".0%"),
    }
    tooltip = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("length:Q").title(LENGTH).format(",d"),
        alt.Tooltip("share:Q").title(TITLES[share]).format(".1%"),
    ]
    colour = alt.Color("encoding:N").title(None).scale(scale).legend(legend)
    marks = alt.Chart(alt.NamedData("marks")).encode(x="trained:Q")
    guesses = alt.Chart(alt.NamedData("guesses")).encode(y="share:Q")
    guessing = [
        guesses.mark_rule(strokeDash=[2, 3], color="#808080"),
        guesses.mark_text(align="right", baseline="top", dx=-4, dy=3, color=alt.ExprRef(INK)).encode(
            x=alt.value("width"), text="label:N"
        ),
    ]
    spec: dict[str, Any] = alt.layer(
        marks.mark_rule(strokeDash=[6, 4], color="#808080"),
        # above the plot: within it a line may begin at the top, where all is right, and another run along the bottom
        marks.mark_text(align="left", baseline="bottom", dy=-3, color=alt.ExprRef(INK)).encode(
            y=alt.value(0), text="label:N"
        ),
        *(guessing if share == "accuracy" else []),
        alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5).encode(color=colour, **place),
        alt.Chart(alt.NamedData("trainings"))
        .mark_point(filled=True, size=40, opacity=1)
        .encode(color=colour, tooltip=tooltip, **place),
    ).to_dict()
    return spec
