"""What runs measure over steps, positions or evaluated lengths: a line for each name, the mean of its runs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pe_core.figures.curves import Layers, Looks, Part, Y, across, curves, layered, legend, long, marks, until
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips, worded
from pe_core.figures.looks.palette import DASHED, DASHES, GREY, INK, SOLID, area, colour_of, dashes_of, grown, on_ground

RUNS = ("first run", "second run")
TIMES = "Evaluated length (training lengths)"
GUESS_DASHES = ((2, 3), (8, 3, 2, 3))  # neither is that of the training length
SHAPES = ("circle", "square", "triangle-up", "diamond")  # of points, one for each dash: the dash tells the run

Curve = Sequence[tuple[int, float]]
Shown = tuple[Y, str]  # what a picture shows upwards: the axis, and how a tooltip writes a number (d3)


def looks_of(titles: Sequence[str], names: Sequence[str] = ()) -> Looks:
    """Return the looks of lines of encodings, each with the colour of its title; the legend has their `names`."""
    colours = tuple(map(colour_of, titles))
    dashes = dashes_of(colours)
    shown = dashes if len({*dashes}) > 1 else ()
    return {"names": tuple(names or titles), "colours": colours, "dashes": shown, "line": "Encoding"}


def over_lengths(
    found: Mapping[str, Sequence[Curve]],
    looks: Looks,
    x: str,
    shown: Shown,
    *,
    train_length: int | None = None,
    last: int | None = None,
    lengths: tuple[int, ...] = (),
    guesses: Mapping[str, float] | None = None,
    banded: bool = False,
    spread: bool = False,
) -> Figure:
    """Return a line for each of the curves `found` of each run by name, the one drawn last above the others.

    The x axis is called `x`; with `lengths` it is logarithmic and names them, else it starts at 0. It reaches to `last`
    from the start. The training length and what each of the `guesses`, one or two, is worth are marked. `banded` adds
    the bands, `spread` has a tooltip tell the ends of the runs.
    """
    points = [(*point, name) for name, by_run in found.items() for point in over_runs(by_run)]
    rows = pd.DataFrame(points, columns=["x", "y", "min", "max", "n", "name"])
    axis, looks = across(x, log=bool(lengths), ticks=lengths), {**looks, "dots": bool(lengths)}
    ends = [*([] if lengths else [0]), *([last] if last else [])]
    worth = pd.DataFrame((guesses or {}).items(), columns=["label", "y"])
    return layered(
        curves(rows, axis, shown[0], band=banded, spread=spread, cut=False, form=shown[1], **looks),
        *([until(*ends)] if ends else []),
        *([Part(_guess_layers(tuple(guesses), shown, at_start=bool(lengths)), {"guesses": worth})] if guesses else []),
        *([marks([("training length", train_length)])] if train_length is not None else []),
        canvas=False,
    )


def over_runs(found: Sequence[Curve]) -> Iterator[tuple[int, float, float, float, int]]:
    """Yield place, mean, min, max and number of the runs' values, as far as all curves go."""
    for points in zip(*found, strict=False):
        values = [value for _, value in points]
        yield points[0][0], sum(values) / len(values), min(values), max(values), len(values)


def block_means(values: Sequence[float], stride: int) -> Curve:
    """Return the mean of each `stride` values, at the number of values so far; what does not fill a block is left."""
    whole = len(values) // stride * stride
    means = np.asarray(values[:whole]).reshape(-1, stride).mean(axis=1)
    return [(stride * (block + 1), float(mean)) for block, mean in enumerate(means)]


@built_once
def _guess_layers(names: tuple[str, ...], shown: Shown, *, at_start: bool) -> Layers:
    """Return a dashed line at what each guess is worth; two have a legend, a single one its name at one end.

    Models go astray over evaluated lengths, and lines often end near the guess: the name stands at the start. They
    learn over steps, and lines start there: it stands at the end.
    """
    at = chart_of("guesses").encode(y="y:Q")
    guesses = at.encode(tooltip=tips(("label:N", "Guess"), ("y:Q", shown[0]["title"], shown[1])))
    if len(names) > 1:
        dashed = f"? {list(GUESS_DASHES[0])} : {list(GUESS_DASHES[1])}"
        dash: Any = {"expr": f"datum.label === {json.dumps(names[0])} {dashed}"}
        below = alt.Legend(orient="bottom", columns=2, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
        below.symbolDash = alt.ExprRef(f"datum.index === 0 {dashed}")
        # Of an opacity, always 1: beside a second scale of dashes Vega-Lite shows that of lines of colours alike twice.
        named = alt.Opacity("label:O").title(None).scale(domain=list(names), range=[1, 1])
        return Layers([guesses.mark_rule(color=GREY, strokeDash=dash).encode(opacity=named.legend(below))])
    x, align, dx = (0, "left", 4) if at_start else ("width", "right", -4)
    place: dict[str, Any] = {"align": align, "baseline": "top", "dx": dx, "dy": 6, "tooltip": None}
    ends = at.encode(x=alt.value(x), text="label:N")
    words = [ends.mark_text(**place, **on_ground(grown(4))), ends.mark_text(**place, color=alt.ExprRef(INK))]
    return Layers([guesses.mark_rule(color=GREY, strokeDash=list(GUESS_DASHES[0]))], above=words)


def two_runs(
    first: Mapping[str, Sequence[tuple[float, float]]],
    second: Mapping[str, Sequence[tuple[float, float]]],
    shown: Shown,
) -> Figure:
    """Return what is shown over the length, in training lengths of its run: a colour for each name, a dash per run."""
    points = [
        (times, value, name, run)
        for run, lines in zip(RUNS, (first, second), strict=True)
        for name, line in lines.items()
        for times, value in line
    ]
    frames = {"lines": pd.DataFrame(points, columns=["x", "y", "name", "run"])}
    names = tuple(dict.fromkeys([*first, *second]))
    words = {"x": TIMES, "y": shown[0]["title"], "name": "Encoding", "run": "Run"}
    return Figure(_two_runs_spec(names, *shown), frames, behind=worded(frames, words))


@built_once
def _two_runs_spec(names: tuple[str, ...], y: Y, form: str) -> dict[str, Any]:
    colours = [colour_of(name) for name in names]
    shapes = [SHAPES[DASHES.index(dash)] for dash in dashes_of(colours)]
    below = alt.Legend(
        orient="bottom", symbolType="stroke", symbolStrokeColor=GREY, symbolStrokeWidth=2.5, symbolSize=400
    )
    shaped = len({*shapes}) > 1
    key = legend("circle" if shaped else "stroke", is_long=long(names))
    colour = alt.Color("name:N").scale(domain=list(names), range=colours).legend(key)
    dash = alt.StrokeDash("run:N").title(None).scale(domain=list(RUNS), range=[list(SOLID), list(DASHED)]).legend(below)
    tooltip = tips(("name:N", "Encoding"), ("run:N", "Run"), ("x:Q", TIMES, "g"), ("y:Q", y["title"], form))
    x = across(TIMES, ends=(1, 8), log=True, ticks=(1, 2, 3, 4, 6, 8))
    chart = chart_of("lines").encode(x=x, y=y, color=colour, tooltip=tooltip)
    line = chart.mark_line(strokeWidth=grown(2.5)).encode(strokeDash=dash)
    # On their own, not as a part of the line: the key of the dashes would be drawn without a colour.
    dots = chart.mark_point(filled=True, size=area(60), opacity=1)
    if shaped:
        dots = dots.encode(shape=alt.Shape("name:N").scale(domain=list(names), range=shapes).legend(key))
    return spec_of(alt.layer(line, dots))
