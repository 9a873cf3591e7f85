"""Points of several kinds over x, with marks across either axis and a line for them to follow."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.across import across_x, across_y
from pe_core.figures.figure import Figure, built_once
from pe_core.figures.lines import Axes, x_axis, y_axis
from pe_core.figures.looks import motion
from pe_core.figures.looks.growth import area, grown
from pe_core.figures.looks.palette import CATEGORICAL, DASHED, GREY
from pe_core.figures.looks.tables import worded

COMPLETE, PARTIAL = "a full turn", "never a full turn"
BEFORE, AFTER = "as trained", "after the rule"
TRAINING, EVALUATION = "in training", "in evaluation"
_LAST_POINTED = 511  # pair
_LONGEST = 1e7  # positions; end of the axis of wavelengths, above the longest one that a page offers


@dataclass(frozen=True)
class Kind:
    """A kind of point: its name in the legend, its colour, shape and size, and whether it is more than an outline."""

    name: str
    colour: str
    shape: str = "circle"
    size: int = 40
    filled: bool = True


def points(
    x: Tensor,
    y: Tensor,
    kind_of: Sequence[str],
    kinds: Sequence[Kind],
    axes: Axes,
    *,
    under: tuple[str, Tensor, Tensor] | None = None,
    marks: Sequence[tuple[str, float]] = (),
    levels: Sequence[tuple[str, float]] = (),
    legend: str = "",
    together: bool = False,
) -> Figure:
    """Return a point at each of `x` and `y` (N,), of the kind that `kind_of` (N,) names; later `kinds` lie above.

    `under` is a dashed line below them, by its name in the legend, if any, and its x and y (M,). `marks` are named
    places on the x axis, `levels` named heights. `legend` is the title of the legend; `axes.line` is what a tooltip
    calls a kind. Where the pictures of a page point `together`, what is pointed at, by its x, is marked in the others.
    What is not finite is left out.
    """
    frame = pd.DataFrame({"x": x.numpy(), "y": y.numpy(), "kind": list(kind_of)})
    frames = {"points": frame[np.isfinite(frame.y)]}
    if marks:
        frames["marks"] = pd.DataFrame(marks, columns=["label", "x"])
    if levels:
        frames["levels"] = pd.DataFrame(levels, columns=["label", "y"])
    if under:
        frames["under"] = pd.DataFrame({"x": under[1].numpy(), "y": under[2].numpy(), "kind": under[0]})
    behind = worded(frames, {"x": axes.x, "y": axes.y, "kind": axes.line})
    spec = _spec(axes, tuple(kinds), tuple(frames), under[0] if under else "", legend, together)
    return Figure(spec, frames, behind=behind)


def _pointing(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec with a band over each point, as high as the picture, that is seen where its x is pointed at."""
    last, dots = "max(1, domain('x')[1])", spec["layer"][-1]["encoding"]
    seen, wide = {"expr": f"datum.x === {motion.POINTED} ? 0.2 : 0"}, {"expr": f"width / {last}"}
    bands = {
        "name": "band",
        "data": {"name": "points"},
        "mark": {"type": "bar", "orient": "vertical", "color": GREY, "opacity": seen, "size": wide},
        "encoding": {**{name: dots[name] for name in ("x", "tooltip")}, "y": {"value": 0}, "y2": {"value": "height"}},
    }
    signals = [motion.pointed("band", "x", last=_LAST_POINTED)]
    return {**spec, "layer": [*spec["layer"], bands], "config": {**spec["config"], "signals": signals}}


def wavelengths(frequencies: Tensor, length: int) -> Figure:
    """Return the wavelength of each pair of `frequencies` (P,), with a line at `length` positions."""
    found = sinusoidal.wavelengths(frequencies)
    turns = [COMPLETE if wavelength <= length else PARTIAL for wavelength in found.tolist()]
    kinds = Kind(COMPLETE, CATEGORICAL[0]), Kind(PARTIAL, CATEGORICAL[4], "square")
    levels = [(f"length {length}", length)]
    pairs = found.new_tensor(range(len(found)))
    return points(pairs, found, turns, kinds, _WAVELENGTHS, levels=levels, legend=_WAVELENGTHS.line, together=True)


def scaled_wavelengths(before: Tensor, after: Tensor, train_length: int, target_length: int) -> Figure:
    """Return the wavelength of each pair under the frequencies `before` and `after` (P,), with a line at each length.

    A pair that no longer turns has no wavelength and is left out.
    """
    lengths = [("training length", train_length), ("target length", target_length)]
    if train_length == target_length:
        lengths = [("training and target length", train_length)]
    waves = sinusoidal.wavelengths(torch.cat([before.double(), after.double()]))
    kind_of = [BEFORE] * len(before) + [AFTER] * len(after)
    kinds = Kind(BEFORE, GREY, size=70, filled=False), Kind(AFTER, CATEGORICAL[4], size=22)
    return points(torch.arange(len(before)).repeat(2), waves, kind_of, kinds, _SCALED, levels=lengths)


def told_positions(training: Tensor, evaluation: Tensor) -> Figure:
    """Return the positions that are given to each index, `training` (N,) and `evaluation` (T,), beside index itself."""
    index = torch.cat([torch.arange(len(training)), torch.arange(len(evaluation))])
    kind_of = [TRAINING] * len(training) + [EVALUATION] * len(evaluation)
    kinds = Kind(TRAINING, CATEGORICAL[1], "diamond", 36), Kind(EVALUATION, CATEGORICAL[0], size=36)
    ends = torch.tensor([0, max(len(training), len(evaluation)) - 1])
    positions = torch.cat([training.double(), evaluation.double()])
    return points(index, positions, kind_of, kinds, _TOLD, under=("", ends, ends))


_SCALED = Axes(
    "Pair",
    "Wavelength (positions)",
    log_y=True,
    y_ticks=tuple(10.0**power for power in range(13)),
    y_format="~s",
    line="Frequencies",
)
_TOLD = Axes("Index of the token in its text", "Position that the model is told", line="Told")
_WAVELENGTHS = Axes(
    "Pair",
    "Wavelength (positions)",
    y_ends=(1, _LONGEST),
    log_y=True,
    y_ticks=tuple(10.0**power for power in range(8)),
    y_format=",d",
    line="Within the length",
)


@built_once
def _spec(
    axes: Axes, kinds: tuple[Kind, ...], frames: tuple[str, ...], under: str, title: str, together: bool
) -> dict[str, Any]:
    x, y = x_axis(axes), y_axis(axes)
    named = [Kind(under, GREY, "stroke")] if under else []
    shown = [*named, *kinds]
    domain = [kind.name for kind in shown]
    legend = alt.Legend(title=title or None, orient="top", columns=2, symbolOpacity=1, labelLimit=grown(260))
    colour = alt.Color("kind:N").scale(domain=domain, range=[kind.colour for kind in shown]).legend(legend)
    shape = alt.Shape("kind:N").scale(domain=domain, range=[kind.shape for kind in shown]).legend(legend)
    tooltip = [
        alt.Tooltip("x:Q").title(axes.x).format(",.5~g"),
        alt.Tooltip("y:Q").title(axes.y).format(",.5~g"),
        alt.Tooltip("kind:N").title(axes.line),
    ]
    below: list[alt.Chart] = []
    if "marks" in frames:
        below += across_x()
    if "levels" in frames:
        below += across_y()
    if "under" in frames:
        line = alt.Chart(alt.NamedData("under")).mark_line(strokeDash=DASHED, strokeWidth=grown(1.5), color=GREY)
        below.append(line.encode(x=x, y=y, **({"color": colour} if under else {})))
    chart = alt.Chart(alt.NamedData("points"))
    dots = [
        chart.transform_filter(f"datum.kind === {json.dumps(kind.name)}")
        .mark_point(filled=kind.filled, size=area(kind.size), strokeWidth=1.5, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
        for kind in kinds
    ]
    spec: dict[str, Any] = alt.layer(*below, *dots).configure(aria=False).to_dict()
    spec = _pointing(spec) if together else spec
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
