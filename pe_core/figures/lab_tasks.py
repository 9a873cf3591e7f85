"""Figure of the lab's tasks: how many answers are right at each evaluated length, beside those of a guess."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.lab import GUESS, SYMBOLS, UNIFORM
from pe_core.figures.lab_lines import (
    GREY,
    SPREAD,
    Quantity,
    at_training_length,
    band,
    encoding_colour,
    length_axis,
    over_seeds,
    training_length,
)
from pe_core.figures.palette import INK
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.results.record import RunRecord

Share = Literal["accuracy", "exact"]
TITLES: dict[Share, str] = {"accuracy": "Right answers", "exact": "Examples without a mistake"}


def right_answers(record: RunRecord, share: Share) -> Figure:
    """Return a share by evaluated length, a line for each encoding, with a line at the training length.

    `share` is that of the right answers, beside what a guess has, or of the examples all of whose answers are right.
    Where there are several trainings, the line is their mean, in a band from the smallest share to the largest.
    """
    points = [
        (*point, ENCODINGS[key].title)
        for key in record.done
        for point in over_seeds([curve(one.lengths, share) for one in record.outcomes[key].values()])
    ]
    config = record.config
    frames = {
        "lines": pd.DataFrame(points, columns=["length", "share", *SPREAD, "encoding"]),
        "marks": training_length(config.train_length),
        **guess(record, share),
    }
    return Figure(_spec(config.encodings, config.lengths, share, config.n_seeds > 1), frames)


def share_of(one: LengthLoss, share: Share) -> float:
    """Return a share of what a model of a task has right at one length."""
    value = one.accuracy if share == "accuracy" else one.exact
    assert value is not None  # of a task both are known
    return value


def curve(lengths: Sequence[LengthLoss], share: Share) -> list[tuple[int, float]]:
    """Return the evaluated lengths, each with a share of what is right there."""
    return [(one.length, share_of(one, share)) for one in lengths]


def quantity(share: Share) -> Quantity:
    """Return a share as what a picture shows upwards."""
    return Quantity("share", TITLES[share], ".1%", is_share=True)


def guess(record: RunRecord, share: Share) -> dict[str, pd.DataFrame]:
    """Return the frame `guesses`, what a uniform guess has right; a whole example it hardly ever has."""
    return {"guesses": pd.DataFrame({"share": [record.text.chance], "label": [UNIFORM]})} if share == "accuracy" else {}


def at_guess(share: Share) -> list[alt.Chart]:
    """Return a dotted line at what a uniform guess has right, and its label at the right end."""
    if share == "exact":
        return []
    told = [GUESS, *quantity(share).told(spread=False)]
    guesses = alt.Chart(alt.NamedData("guesses")).encode(y="share:Q", tooltip=told)
    word = guesses.mark_text(align="right", baseline="top", dx=-4, dy=3, color=alt.ExprRef(INK))
    return [guesses.mark_rule(strokeDash=[2, 3], color=GREY), word.encode(x=alt.value("width"), text="label:N")]


@lru_cache(MOST_SPECS)
def _spec(encodings: tuple[str, ...], lengths: tuple[int, ...], share: Share, banded: bool) -> dict[str, Any]:
    """Return the spec of a run's encodings, the lengths on a logarithmic axis."""
    colour, x, shown = encoding_colour(encodings), length_axis("length", SYMBOLS, lengths), quantity(share)
    tooltip = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("length:Q").title(SYMBOLS).format(",d"),
        *shown.told(spread=banded),
    ]
    lines = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2.5, point=True)
    spec: dict[str, Any] = alt.layer(
        *at_training_length(),
        *([band(x, encodings)] if banded else []),
        *at_guess(share),
        lines.encode(x=x, y=shown.axis(), color=colour, tooltip=tooltip),
    ).to_dict()
    return spec
