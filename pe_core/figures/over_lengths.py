"""What runs measure over steps, positions or evaluated lengths: a line for each name, the mean of its runs.

With several runs the line lies in a band from the smallest number to the largest. The training length is marked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks.growth import GROWTH, area, grown
from pe_core.figures.looks.palette import DASHED, DASHES, GREY, INK, SOLID, colour_of, dashes_of, on_ground
from pe_core.figures.looks.tables import worded

RUNS = ("first run", "second run")
TIMES = "Evaluated length (training lengths)"
SPREAD = ("min", "max", "n")  # columns beside the mean
BAND_OPACITY, FAINT_OPACITY, EDGE_OPACITY = 0.2, 0.12, 0.5  # so that a line is seen through the bands of the others
MAX_CLEAR = 4  # lines, beyond which bands lie on each other so often that they have to be fainter
GUESS_DASHES = ((2, 3), (8, 3, 2, 3))  # neither is that of the training length
SHAPES = ("circle", "square", "triangle-up", "diamond")  # of points, one for each dash: the dash tells the run

Curve = Sequence[tuple[int, float]]


@dataclass(frozen=True)
class Quantity:
    """What a picture shows upwards: its title with the unit, how a tooltip writes it, and whether it is a fraction."""

    title: str
    form: str = ".3f"
    is_fraction: bool = False

    def axis(self, field: str = "y") -> alt.Y:
        """Return the axis: for a fraction all from 0 to 1, else as far as the numbers go."""
        axis = alt.Y(f"{field}:Q").title(self.title)
        if self.is_fraction:
            return axis.scale(domain=[0, 1]).axis(format=".0%")
        return axis.scale(zero=False, nice=True)

    def told(self, *, spread: bool) -> list[alt.Tooltip]:
        """Return what a tooltip says of a point; with several runs also their spread and number."""
        told = [alt.Tooltip("y:Q").title(self.title).format(self.form)]
        if spread:
            told += [
                alt.Tooltip("min:Q").title("Smallest").format(self.form),
                alt.Tooltip("max:Q").title("Largest").format(self.form),
                alt.Tooltip("n:Q").title("Runs"),
            ]
        return told


@dataclass(frozen=True)
class Named:
    """The names of the lines, as the legend has them, their colours, their dashes if any, and what a line is called."""

    names: tuple[str, ...]
    colours: tuple[str, ...]
    dashes: tuple[tuple[int, ...], ...] = ()
    line: str = "Encoding"

    @classmethod
    def encodings(cls, titles: Sequence[str], names: Sequence[str] = ()) -> "Named":
        """Return the lines of encodings, each with the colour of its title; in the legend they have their `names`."""
        colours = tuple(map(colour_of, titles))
        dashes = dashes_of(colours)
        return cls(tuple(names or titles), colours, dashes if len({*dashes}) > 1 else ())

    def scales(self) -> dict[str, dict[str, Any]]:
        """Return the colours, and the dashes if any, by name, for each channel of a spec that shows the name."""
        names, colours = list(self.names), list(self.colours)
        scales = {channel: {"domain": names, "range": colours} for channel in ("color", "stroke")}
        return {**scales, "strokeDash": {"domain": names, "range": [list(dash) for dash in self.dashes]}}


def over_lengths(
    curves: Mapping[str, Sequence[Curve]],
    named: Named,
    x: str,
    shown: Quantity,
    *,
    train_length: int | None = None,
    last: int | None = None,
    lengths: tuple[int, ...] = (),
    guesses: Mapping[str, float] | None = None,
    banded: bool = False,
    spread: bool = False,
) -> Figure:
    """Return a line for each of `curves`, which are those of each run by name, the one drawn last above the others.

    The x axis is called `x`; with `lengths` it is logarithmic and names them. It reaches to `last` from the start. The
    training length and what each of the `guesses`, one or two, is worth are marked. `banded` adds the bands, `spread`
    has a tooltip tell the ends of the runs.
    """
    points = [(*point, name) for name, by_run in curves.items() for point in over_runs(by_run)]
    frames = {"lines": pd.DataFrame(points, columns=["x", "y", *SPREAD, "name"])}
    if guesses:
        frames["guesses"] = pd.DataFrame(list(guesses.items()), columns=["label", "y"])
    if train_length is not None:
        frames["marks"] = pd.DataFrame({"x": [train_length], "label": ["training length"]})
    if last is not None:
        frames["end"] = pd.DataFrame({"x": [last]})
    spec = _spec(named, x, shown, lengths, tuple(guesses or ()), tuple(frames), banded, spread)
    return Figure(spec, frames, behind=worded(frames, {"x": x, "y": shown.title, "name": named.line}))


def over_runs(curves: Sequence[Curve]) -> Iterator[tuple[int, float, float, float, int]]:
    """Yield place, mean, min, max and number of the runs' values, as far as all curves go."""
    for points in zip(*curves, strict=False):
        values = [value for _, value in points]
        yield points[0][0], sum(values) / len(values), min(values), max(values), len(values)


def block_means(values: Sequence[float], stride: int) -> Curve:
    """Return the mean of each `stride` values, at the number of values so far; what does not fill a block is left."""
    whole = len(values) // stride * stride
    means = np.asarray(values[:whole]).reshape(-1, stride).mean(axis=1)
    return [(stride * (block + 1), float(mean)) for block, mean in enumerate(means)]


def two_runs(
    first: Mapping[str, Sequence[tuple[float, float]]],
    second: Mapping[str, Sequence[tuple[float, float]]],
    shown: Quantity,
) -> Figure:
    """Return what is shown over the length, in training lengths of its run: a colour for each name, a dash per run.

    Names are titles of encodings. Where two have the same colour or colours alike, their points differ in shape.
    """
    points = [
        (times, value, name, run)
        for run, lines in zip(RUNS, (first, second), strict=True)
        for name, line in lines.items()
        for times, value in line
    ]
    frames = {"lines": pd.DataFrame(points, columns=["x", "y", "name", "run"])}
    names = tuple(dict.fromkeys([*first, *second]))
    words = {"x": TIMES, "y": shown.title, "name": "Encoding", "run": "Run"}
    return Figure(_two_runs_spec(names, shown), frames, behind=worded(frames, words))


def _above(symbol: str = "stroke", *, dashed: bool = False) -> alt.Legend:
    return alt.Legend(
        title=None,
        orient="top",
        columns=2,
        symbolType=alt.Undefined if symbol == "circle" else symbol,
        symbolSize=area(400) if dashed else alt.Undefined,  # so long that dashes are seen
        symbolStrokeWidth=3,
        symbolOpacity=1,
        labelLimit=grown(190),
    )


@built_once
def _spec(
    named: Named,
    x_title: str,
    shown: Quantity,
    lengths: tuple[int, ...],
    guesses: tuple[str, ...],
    frames: tuple[str, ...],
    banded: bool,
    spread: bool,
) -> dict[str, Any]:
    """Return the spec: what Altair has built for lines of any names, with the scales of these in their places."""
    opacity = (BAND_OPACITY if len(named.names) <= MAX_CLEAR else FAINT_OPACITY) if banded else 0.0
    template = _template(named.line, bool(named.dashes), x_title, shown, lengths, guesses, frames, opacity, spread)
    return {**template, "layer": [_scaled(layer, named.scales()) for layer in template["layer"]]}


def _scaled(layer: dict[str, Any], scales: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a layer with a scale for each of its channels that shows the name of a line."""
    channels = {
        channel: {**shown, "scale": scales[channel]} if channel in scales and shown["field"] == "name" else shown
        for channel, shown in layer["encoding"].items()
    }
    return {**layer, "encoding": channels}


@built_once
def _template(
    line_title: str,
    dashed: bool,
    x_title: str,
    shown: Quantity,
    lengths: tuple[int, ...],
    guesses: tuple[str, ...],
    frames: tuple[str, ...],
    band_opacity: float,
    spread: bool,
) -> dict[str, Any]:
    """Return the spec of lines without what depends on their names; bands of no opacity are not there."""
    # Channels are spelled out: of a short word Altair needs 5 ms to find out which channel is meant.
    x = alt.X("x:Q").title(x_title)
    if lengths:
        x = x.scale(type="log", base=2, nice=False).axis(grid=False, format=",d", values=list(lengths))
    else:
        x = x.scale(nice=False, zero=True).axis(grid=False, format=",d")
    looks: dict[str, Any] = {"color": alt.Color("name:N").legend(_above(dashed=dashed))}
    if dashed:
        looks["strokeDash"] = alt.StrokeDash("name:N").legend(_above(dashed=dashed))
    tooltip = [
        alt.Tooltip("name:N").title(line_title),
        alt.Tooltip("x:Q").title(x_title).format(",d"),
        *shown.told(spread=spread),
    ]
    lines = alt.Chart(alt.NamedData("lines"))
    layers: list[alt.Chart] = []
    if guesses:
        layers += _guesses(guesses, shown)
    if "end" in frames:  # where the axis ends, so that the picture stays while the lines grow
        layers.append(alt.Chart(alt.NamedData("end")).mark_point(opacity=0, tooltip=None).encode(x=alt.X("x:Q")))
    if "marks" in frames:
        marks = alt.Chart(alt.NamedData("marks")).encode(x=alt.X("x:Q"))
        word = marks.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=alt.ExprRef(INK), tooltip=None)
        rule = marks.mark_rule(strokeDash=DASHED, color=GREY, tooltip=None)
        # The rule goes up to its word, above the plot, where no line crosses it; a guess may be the top of the plot.
        layers.append(rule.encode(y=alt.value(alt.expr(f"-15 * {GROWTH}")), y2=alt.value(alt.expr("height"))))
        layers.append(word.encode(y=alt.value(0), text=alt.Text("label:N")))
    if band_opacity:
        area = lines.mark_area(fillOpacity=band_opacity, strokeOpacity=EDGE_OPACITY, strokeWidth=1, tooltip=None)
        edge = alt.Stroke("name:N").legend(_above(dashed=dashed))
        layers.append(area.encode(x=x, y=alt.Y("min:Q"), y2=alt.Y2("max:Q"), color=looks["color"], stroke=edge))
    line = lines.mark_line(strokeWidth=grown(2.5), point=bool(lengths))
    layers.append(line.encode(x=x, y=shown.axis(), tooltip=tooltip, **looks))
    if len(guesses) == 1:
        layers += _guess_words(at_start=bool(lengths))
    spec: dict[str, Any] = alt.layer(*layers).to_dict()
    return spec


def _guesses(names: tuple[str, ...], shown: Quantity) -> list[alt.Chart]:
    """Return a dashed line at what each guess is worth; two of them have a legend."""
    tooltip = [alt.Tooltip("label:N").title("Guess"), *shown.told(spread=False)]
    guesses = alt.Chart(alt.NamedData("guesses")).encode(y=alt.Y("y:Q"), tooltip=tooltip)
    if len(names) == 1:
        return [guesses.mark_rule(strokeDash=GUESS_DASHES[0], color=GREY)]
    below = alt.Legend(orient="bottom", columns=2, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    dash = alt.StrokeDash("label:N").title(None).scale(domain=list(names), range=[list(dash) for dash in GUESS_DASHES])
    return [guesses.mark_rule(color=GREY).encode(strokeDash=dash.legend(below))]


def _guess_words(*, at_start: bool) -> list[alt.Chart]:
    """Return the name of a single guess at one end of its line; paper around the letters, where lines cross them.

    Models go astray over evaluated lengths, and lines often end near the guess: the name stands at the start. They
    learn over steps, and lines start there: it stands at the end.
    """
    x, align, dx = (0, "left", 4) if at_start else ("width", "right", -4)
    ends = alt.Chart(alt.NamedData("guesses")).encode(x=alt.value(x), y=alt.Y("y:Q"), text=alt.Text("label:N"))
    place: dict[str, Any] = {"align": align, "baseline": "top", "dx": dx, "dy": 6, "tooltip": None}
    return [ends.mark_text(**place, **on_ground(grown(4))), ends.mark_text(**place, color=alt.ExprRef(INK))]


@built_once
def _two_runs_spec(names: tuple[str, ...], shown: Quantity) -> dict[str, Any]:
    colours = [colour_of(name) for name in names]
    shapes = [SHAPES[DASHES.index(dash)] for dash in dashes_of(colours)]
    below = alt.Legend(
        orient="bottom", symbolType="stroke", symbolStrokeColor=GREY, symbolStrokeWidth=2.5, symbolSize=400
    )
    x = alt.X("x:Q").title(TIMES).scale(type="log", base=2, domain=[1, 8], nice=False)
    x = x.axis(grid=False, format="g", values=[1, 2, 3, 4, 6, 8])
    shaped = len({*shapes}) > 1
    colour = alt.Color("name:N").scale(domain=list(names), range=colours)
    colour = colour.legend(_above("circle" if shaped else "stroke"))
    dash = alt.StrokeDash("run:N").title(None).scale(domain=list(RUNS), range=[list(SOLID), list(DASHED)]).legend(below)
    tooltip = [
        alt.Tooltip("name:N").title("Encoding"),
        alt.Tooltip("run:N").title("Run"),
        alt.Tooltip("x:Q").title(TIMES).format("g"),
        *shown.told(spread=False),
    ]
    chart = alt.Chart(alt.NamedData("lines"))
    line = chart.mark_line(strokeWidth=grown(2.5)).encode(
        x=x, y=shown.axis(), color=colour, strokeDash=dash, tooltip=tooltip
    )
    # On their own, not as a part of the line: the key of the dashes would be drawn without a colour.
    dots = chart.mark_point(filled=True, size=area(60), opacity=1)
    dots = dots.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), color=alt.Color("name:N"), tooltip=tooltip)
    if shaped:
        dots = dots.encode(shape=alt.Shape("name:N").scale(domain=list(names), range=shapes).legend(_above("circle")))
    spec: dict[str, Any] = alt.layer(line, dots).configure(aria=False).to_dict()
    return spec
