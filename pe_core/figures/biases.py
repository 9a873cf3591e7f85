"""Biases against the distance: the shape of each system in a band of its own, and the matrix of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.figures.catalogue import limit_of
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import heatmap
from pe_core.figures.palette import CATEGORICAL, INK

END, TRAINED = "query at the end of the text", "query at the end of a training text"
TOP, BOTTOM = 0.34, 0.92  # of a band, between which its curve runs


@dataclass(frozen=True)
class Band:
    """One system: its name, a note, its colour, and the bias (K,) at `distances` (K,) for two queries.

    The first query stands at the end of the text, the second one at the end of a text of the training length.
    """

    name: str
    note: str
    colour: str
    distances: Tensor
    bias: Tensor
    trained_distances: Tensor
    trained_bias: Tensor


def shapes(bands: Sequence[Band], train_length: int) -> Figure:
    """Return the bias of each band against the distance, each to a scale of its own, with a line at `train_length`.

    A curve that has the same number at neighbouring distances is drawn in steps.
    """
    curves, names, zeros = [], [], []
    for place, band in enumerate(bands):
        both = np.concatenate([band.bias.numpy(), band.trained_bias.numpy(), [0.0]])
        heights = place + _height(both)
        curves.append((np.concatenate([band.distances.numpy(), band.trained_distances.numpy()]), both, heights))
        names.append({"name": band.name, "note": band.note, "top": place, "bottom": place + 1, "colour": band.colour})
        zeros.append({"zero": float(heights[-1])})
    sizes = [len(distance) for distance, _, _ in curves]
    columns = {
        "distance": np.concatenate([distance for distance, _, _ in curves]),
        "bias": np.concatenate([both[:-1] for _, both, _ in curves]),
        "height": np.concatenate([heights[:-1] for _, _, heights in curves]),
        "query": np.concatenate([np.repeat([END, TRAINED], [len(b.bias), len(b.trained_bias)]) for b in bands]),
        "system": np.repeat([band.name for band in bands], sizes),
        "colour": np.repeat([band.colour for band in bands], sizes),
        "steps": np.repeat([bool((band.bias[1:] == band.bias[:-1]).any()) for band in bands], sizes),
    }
    frames = {
        "curves": pd.DataFrame(columns),
        "bands": pd.DataFrame(names),
        "zeros": pd.DataFrame(zeros),
        "length": pd.DataFrame([{"distance": train_length, "label": "training length"}]),
    }
    return Figure(_shapes_spec(), frames)


def causal_matrix(values: Tensor, limit: float, title: str) -> Figure:
    """Return the heatmap of `values` (T, T), row = query; what is not finite is left empty.

    The scale ends at the next 1, 2 or 5 times a power of ten from `limit` on.
    """
    limit = limit_of(values.new_tensor([limit]))
    figure = heatmap(values, rows="Query", columns="Key", title=title, limit=limit)
    table = figure.frames["table"]
    return Figure(figure.spec, {"table": table[np.isfinite(table.value)]})


def unnamed_y(field: str) -> alt.Y:
    """Return the vertical place of a mark in bands that stand one above the other, without an axis."""
    return alt.Y(f"{field}:Q").title(None).scale(nice=False, zero=False, reverse=True).axis(None)


def distance_axis() -> alt.X:
    """Return the horizontal axis of distances."""
    x = alt.X("distance:Q").title("Distance m − n, query minus key").scale(nice=False, zero=False)
    return x.axis(tickMinStep=1, format="d", grid=False)


def length_layers(x: alt.X) -> list[alt.Chart]:
    """Return the line at the training length, and its name above the picture."""
    length = alt.Chart(alt.NamedData("length")).encode(x=x)
    rule = length.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=CATEGORICAL[7])
    label = length.mark_text(align="left", baseline="top", dx=4, fontSize=12, color=alt.ExprRef(INK))
    return [rule, label.encode(y=alt.value(-14), text="label:N")]


def _height(bias: np.ndarray) -> np.ndarray:
    """Where a bias stands in its band, from TOP for the highest number to BOTTOM for the lowest."""
    span = float(bias.max() - bias.min())
    if span == 0:
        return np.full(len(bias), TOP)
    height: np.ndarray = TOP + (BOTTOM - TOP) * (bias.max() - bias) / span
    return height


@cache
def _shapes_spec() -> dict[str, Any]:
    x = distance_axis()
    y = unnamed_y("height")
    bands = alt.Chart(alt.NamedData("bands"))
    edges = bands.mark_rule(strokeWidth=1, opacity=0.5, color=CATEGORICAL[7]).encode(y=unnamed_y("bottom"))
    tops = bands.mark_rule(strokeWidth=1, opacity=0.5, color=CATEGORICAL[7]).encode(y=unnamed_y("top"))
    name = bands.mark_text(align="left", baseline="top", dx=2, dy=5, fontSize=13, fontWeight="bold")
    note = bands.mark_text(align="right", baseline="top", dx=-2, dy=5, fontSize=12, color=alt.ExprRef(INK))
    zero = alt.Chart(alt.NamedData("zeros")).mark_rule(strokeWidth=1, strokeDash=[1, 3], color=CATEGORICAL[7])
    dash = alt.StrokeDash("query:N").title(None).scale(domain=[END, TRAINED], range=[[1, 0], [3, 4]])
    dash = dash.legend(orient="top", columns=1, symbolStrokeWidth=2, symbolType="stroke", labelLimit=300)
    curves = alt.Chart(alt.NamedData("curves"))
    tooltip = [
        alt.Tooltip("system:N").title("System"),
        alt.Tooltip("query:N").title("For the"),
        alt.Tooltip("distance:Q").title("Distance"),
        alt.Tooltip("bias:Q").title("Bias").format(".4~g"),
    ]
    of_end, of_trained = (f"datum.query === '{query}'" for query in (END, TRAINED))
    interpolations: tuple[tuple[str, Literal["linear", "step"]], ...] = (
        ("!datum.steps", "linear"),
        ("datum.steps", "step"),
    )
    lines = []
    for shape, interpolate in interpolations:
        full = curves.transform_filter(f"{of_end} && {shape}").mark_line(strokeWidth=3, interpolate=interpolate)
        thin = curves.transform_filter(f"{of_trained} && {shape}").mark_line(strokeWidth=1.5, interpolate=interpolate)
        colour = alt.Color("colour:N").scale(None)
        lines.append(full.encode(x=x, y=y, strokeDash=dash, color=colour, detail="system:N"))
        lines.append(thin.encode(x=x, y=y, strokeDash=dash, color=alt.value({"expr": INK}), detail="system:N"))
    dots = curves.transform_filter(of_end).mark_circle(size=60, opacity=0).encode(x=x, y=y, tooltip=tooltip)
    layers = [
        tops,
        edges,
        zero.encode(y=unnamed_y("zero")),
        *length_layers(x),
        *lines,
        name.encode(y=unnamed_y("top"), x=alt.value(0), text="name:N", color=alt.Color("colour:N").scale(None)),
        note.encode(y=unnamed_y("top"), x=alt.value("width"), text="note:N"),
        dots,
    ]
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).configure_view(stroke=None).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}  # hundreds of dots to be pointed at
