"""Points of several kinds over x, with a line for them to follow: a part of a picture over an x axis."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.curves import POWERS, Layers, Part, X, Y, across, layered, levels, reach, upwards
from pe_core.figures.figure import Figure, built_once, chart_of, tips
from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import CATEGORICAL, DASHED, GREY, area, grown

COMPLETE, PARTIAL = "a full turn", "never a full turn"
BEFORE, AFTER = "as trained", "after the rule"
TRAINING, EVALUATION = "in training", "in evaluation"
_LAST_POINTED = 511  # pair
_LONGEST = 1e7  # positions; to where the axis of wavelengths goes at least, so that it stays for usual bases


@dataclass(frozen=True)
class Kind:
    """A kind of point: its name in the legend, its colour, shape and size, and whether it is more than an outline."""

    name: str
    colour: str
    shape: str = "circle"
    size: int = 40
    filled: bool = True


def points(
    rows: pd.DataFrame,
    kinds: Sequence[Kind],
    x: X,
    y: Y,
    *,
    kind: str,
    under: tuple[str, Tensor, Tensor] | None = None,
    legend: str | None = None,
    together: bool = False,
) -> Part:
    """Return a point for each of `rows`, which have x, y and the name of their kind; later `kinds` lie above.

    `under` is a dashed line below them, by its name in the legend, if any, and its x and y (M,). `legend` is the title
    of the legend, and `kind` what a tooltip calls a kind. Where the pictures of a page point `together`, what is
    pointed at, by its x, is marked in the others. What is not finite is left out.
    """
    frames = {"points": rows[np.isfinite(rows.y)]}
    if under:
        name, *ends = under
        frames["under"] = pd.DataFrame({"x": ends[0].numpy(), "y": ends[1].numpy(), "kind": name})
    layers = _points(tuple(kinds), x, y, kind, under[0] if under else None, legend, together)
    return Part(layers, frames, {"x": x["title"], "y": y["title"], "kind": kind})


@built_once
def _points(
    kinds: tuple[Kind, ...], x: X, y: Y, told: str, under: str | None, title: str | None, together: bool
) -> Layers:
    shown = [*([Kind(under, GREY, "stroke")] if under else []), *kinds]
    domain = [kind.name for kind in shown]
    legend = alt.Legend(title=title, orient="top", columns=2, symbolOpacity=1, labelLimit=grown(260))
    colour = alt.Color("kind:N").scale(domain=domain, range=[kind.colour for kind in shown]).legend(legend)
    shape = alt.Shape("kind:N").scale(domain=domain, range=[kind.shape for kind in shown]).legend(legend)
    tooltip = tips(("x:Q", x["title"], ",.5~g"), ("y:Q", y["title"], ",.5~g"), ("kind:N", told))
    chart = chart_of("points").encode(x=x, tooltip=tooltip)
    # Unseen where it is of another kind: of a filter that leaves no point the browser warns.
    dots = [
        chart.mark_point(filled=kind.filled, size=area(kind.size), strokeWidth=1.5, opacity=alt.ExprRef(is_it)).encode(
            y=y, color=colour, shape=shape
        )
        for kind in kinds
        for is_it in [f"datum.kind === {json.dumps(kind.name)} ? 1 : 0"]
    ]
    below = []
    if under is not None:
        line = chart_of("under").mark_line(strokeDash=DASHED, strokeWidth=grown(1.5), color=GREY)
        below.append(line.encode(x=x, y=y, **({"color": colour} if under else {})))
    if not together:
        return Layers(below, dots)
    # A band over each point, as high as the picture, that is seen where its x is pointed at.
    seen, wide = alt.ExprRef(f"datum.x === {motion.POINTED} ? 0.2 : 0"), alt.ExprRef("width / max(1, domain('x')[1])")
    band = chart.mark_bar(orient="vertical", color=GREY, opacity=seen, size=wide).properties(name="band")
    band = band.encode(y=alt.value(0), y2=alt.value("height"))
    return Layers(below, dots, [band], [motion.pointed("band", "x", last=_LAST_POINTED)])


def rows_of(x: Tensor, y: Tensor, kind_of: Sequence[str]) -> pd.DataFrame:
    """Return the rows x, y, kind of points at `x` and `y` (N,), of the kinds that `kind_of` (N,) names."""
    return pd.DataFrame({"x": x.numpy(), "y": y.numpy(), "kind": list(kind_of)})


def wavelengths(frequencies: Tensor, length: int) -> Figure:
    """Return the wavelength of each pair of `frequencies` (P,), with a line at `length` positions."""
    found = sinusoidal.wavelengths(frequencies)
    turns = [COMPLETE if wavelength <= length else PARTIAL for wavelength in found.tolist()]
    kinds = Kind(COMPLETE, CATEGORICAL[0]), Kind(PARTIAL, CATEGORICAL[4], "square")
    rows, kind = rows_of(found.new_tensor(range(len(found))), found, turns), "Within the length"
    y = upwards("Wavelength (positions)", log=True, ticks=POWERS, form=",d")
    drawn = points(rows, kinds, across("Pair"), y, kind=kind, legend=kind, together=True)
    return layered(drawn, reach(1, _LONGEST), levels([(f"length {length}", length)]))


def scaled_wavelengths(before: Tensor, after: Tensor, train_length: int, target_length: int) -> Figure:
    """Return the wavelength of each pair under the frequencies `before` and `after` (P,), with lines at the lengths."""
    lengths = [("training length", train_length), ("target length", target_length)]
    if train_length == target_length:
        lengths = [("training and target length", train_length)]
    waves = sinusoidal.wavelengths(torch.cat([before.double(), after.double()]))
    kind_of = [BEFORE] * len(before) + [AFTER] * len(after)
    kinds = Kind(BEFORE, GREY, size=70, filled=False), Kind(AFTER, CATEGORICAL[4], size=22)
    y = upwards("Wavelength (positions)", log=True, ticks=tuple(10.0**power for power in range(13)), form="~s")
    rows = rows_of(torch.arange(len(before)).repeat(2), waves, kind_of)
    return layered(points(rows, kinds, across("Pair"), y, kind="Frequencies"), levels(lengths))


def told_positions(training: Tensor, evaluation: Tensor) -> Figure:
    """Return the positions that are given to each index, `training` (N,) and `evaluation` (T,), beside index itself."""
    index = torch.cat([torch.arange(len(training)), torch.arange(len(evaluation))])
    kind_of = [TRAINING] * len(training) + [EVALUATION] * len(evaluation)
    kinds = Kind(TRAINING, CATEGORICAL[1], "diamond", 36), Kind(EVALUATION, CATEGORICAL[0], size=36)
    ends = torch.tensor([0, max(len(training), len(evaluation)) - 1])
    rows = rows_of(index, torch.cat([training.double(), evaluation.double()]), kind_of)
    x, y = across("Index of the token in its text"), upwards("Position that the model is told")
    return layered(points(rows, kinds, x, y, kind="Told", under=("", ends, ends)))
