"""What the pictures of a run share: lines over its seeds in their bands, axes of lengths, the training length.

With several seeds a line is the mean of the trainings, in a band from the smallest number to the largest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from pe_core.encodings import ENCODINGS
from pe_core.figures.palette import CATEGORICAL, INK

SPREAD = ("least", "greatest", "n")  # columns beside the mean
BAND_OPACITY, FAINT_OPACITY = 0.2, 0.12  # so that a line is seen through the bands of the others
EDGE_OPACITY = 0.5
CLEAR_UP_TO = 4  # lines, beyond which bands lie on each other so often that they have to be fainter
GREY = "#808080"

Curve = Sequence[tuple[int, float]]
Point = tuple[int, float, float, float, int]


@dataclass(frozen=True)
class Quantity:
    """What a picture shows upwards: the column of its frame, its title and unit, and how a tooltip writes it."""

    column: str
    title: str
    form: str
    is_share: bool = False

    def axis(self) -> alt.Y:
        """Return the axis: for a share all from 0 to 1, else as far as the numbers go."""
        axis = alt.Y(f"{self.column}:Q").title(self.title)
        if self.is_share:
            return axis.scale(domain=[0, 1]).axis(format=".0%")
        return axis.scale(zero=False, nice=True)

    def told(self, *, spread: bool) -> list[alt.Tooltip]:
        """Return what a tooltip says of a point; with several trainings also their spread and number."""
        told = [alt.Tooltip(f"{self.column}:Q").title(self.title).format(self.form)]
        if spread:
            told += [
                alt.Tooltip("least:Q").title("Smallest").format(self.form),
                alt.Tooltip("greatest:Q").title("Largest").format(self.form),
                alt.Tooltip("n:Q").title("Trainings"),
            ]
        return told


def over_seeds(curves: Sequence[Curve]) -> Iterator[Point]:
    """Yield place, mean, least, greatest and number of the trainings' values, as far as all curves go."""
    for points in zip(*curves, strict=False):
        values = [value for _, value in points]
        yield points[0][0], sum(values) / len(values), min(values), max(values), len(values)


def encoding_colour(encodings: tuple[str, ...]) -> alt.Color:
    """Return the colour of each encoding of a run, with the legend above the picture."""
    return alt.Color("encoding:N").title(None).scale(_colours(encodings)).legend(_above())


def length_axis(column: str, title: str, lengths: tuple[int, ...]) -> alt.X:
    """Return the logarithmic axis of the evaluated lengths, which it names."""
    x = alt.X(f"{column}:Q").title(title).scale(type="log", base=2, nice=False)
    return x.axis(grid=False, format=",d", values=list(lengths))


def band(x: alt.X, encodings: tuple[str, ...]) -> alt.Chart:
    """Return the layer from the smallest to the largest of the frame `lines`, in the colour of each encoding."""
    opacity = BAND_OPACITY if len(encodings) <= CLEAR_UP_TO else FAINT_OPACITY
    lines = alt.Chart(alt.NamedData("lines"))
    area = lines.mark_area(fillOpacity=opacity, strokeOpacity=EDGE_OPACITY, strokeWidth=1, tooltip=None)
    edge = alt.Stroke("encoding:N").title(None).scale(_colours(encodings)).legend(_above())
    drawn: alt.Chart = area.encode(x=x, y="least:Q", y2="greatest:Q", color=encoding_colour(encodings), stroke=edge)
    return drawn


def training_length(train_length: int) -> pd.DataFrame:
    """Return the frame `marks`, which has the training length and its label."""
    return pd.DataFrame({"trained": [train_length], "label": ["training length"]})


def at_training_length() -> list[alt.Chart]:
    """Return a dashed line at the training length, and its label above the plot, where no other line crosses it."""
    marks = alt.Chart(alt.NamedData("marks")).encode(x="trained:Q")
    word = marks.mark_text(align="left", baseline="bottom", dy=-3, color=alt.ExprRef(INK), tooltip=None)
    return [marks.mark_rule(strokeDash=[6, 4], color=GREY, tooltip=None), word.encode(y=alt.value(0), text="label:N")]


def _colours(encodings: tuple[str, ...]) -> alt.Scale:
    titles = [ENCODINGS[key].title for key in encodings]
    return alt.Scale(domain=titles, range=list(CATEGORICAL[: len(encodings)]))


def _above() -> alt.Legend:
    return alt.Legend(orient="top", columns=2, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
