"""Pictures of any registry entry: a matrix, scores over distance, wavelengths before and after, a mask, positions."""

import math
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures import image
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import heatmap
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.figures.raster import data_uri
from pe_core.measures.distances import by_distance

SMALLEST_LIMIT = 1e-4  # of a colour scale: numbers below it are nothing but rounding
LARGEST_LIMIT = 1e9
BEFORE, AFTER = "as trained", "after the rule"
TRAINING, EVALUATION = "in training", "in evaluation"
MAY = "may attend"


def limit_of(values: Tensor) -> float:
    """Return the end of a colour scale for `values`: 1, 2 or 5 times a power of ten, no smaller than any of them.

    Few ends serve all tables, so that the spec of a heatmap seldom changes.
    """
    finite = values[values.isfinite()]
    largest = float(finite.abs().max()) if finite.numel() else 0.0
    largest = min(max(largest, SMALLEST_LIMIT), LARGEST_LIMIT)
    power = 10.0 ** math.floor(math.log10(largest) + 1e-9)
    return next((step * power for step in (1, 2, 5) if largest <= step * power * (1 + 1e-9)), 10 * power)


def matrix(values: Tensor, *, rows: str, columns: str, title: str) -> Figure:
    """Return the heatmap of `values` (rows, columns); what is not finite is left empty."""
    figure = heatmap(values, rows=rows, columns=columns, title=title, limit=limit_of(values))
    table = figure.frames["table"]
    return Figure(figure.spec, {"table": table[np.isfinite(table.value)]}, behind=figure.behind)


def against_distance(scores: Tensor, *, title: str) -> Figure:
    """Return the mean of `scores` (H, T, T) at each distance query minus key, a line per head, with its whole range.

    Heads with the same scores share a line; -inf is left out.
    """
    groups = same_heads(scores)
    found = [by_distance(scores[heads[0]]) for heads in groups]
    numbers = [torch.stack([one.distances, one.means, one.lowest, one.highest], dim=1) for one in found]
    curves = pd.DataFrame(torch.cat(numbers).numpy(), columns=["distance", "mean", "low", "high"])
    sizes = [len(part) for part in numbers]
    curves["head"] = np.repeat([_heads_in_words(heads, len(scores)) for heads in groups], sizes)
    curves["order"] = np.repeat([heads[0] for heads in groups], sizes)
    curves = curves.astype({"distance": int})
    return Figure(_distance_spec(title), {"curves": curves})


def same_heads(scores: Tensor) -> list[list[int]]:
    """Return the heads of `scores` (H, T, T) in groups with equal scores, up to rounding."""
    groups: list[list[int]] = []
    for head, own in enumerate(scores):
        twin = next((group for group in groups if _same(scores[group[0]], own)), None)
        if twin is None:
            groups.append([head])
        else:
            twin.append(head)
    return groups


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two matrices are equal up to rounding; most that are not differ in their last row already."""
    parts = slice(-1, None), slice(None)
    return all(torch.allclose(one[part], other[part], rtol=0, atol=1e-12) for part in parts)


def scaled_wavelengths(before: Tensor, after: Tensor, train_length: int, target_length: int) -> Figure:
    """Return the wavelength of each pair under the frequencies `before` and `after` (P,), with a line at each length.

    A pair that no longer turns has no wavelength and is left out.
    """
    frames = []
    for when, frequencies in ((BEFORE, before), (AFTER, after)):
        waves = sinusoidal.wavelengths(frequencies.double()).numpy()
        frames.append(pd.DataFrame({"pair": range(len(waves)), "wavelength": waves, "when": when}))
    pairs = pd.concat(frames, ignore_index=True)
    lines = pd.DataFrame({"length": [train_length, target_length], "label": ["training length", "target length"]})
    if train_length == target_length:
        lines = pd.DataFrame({"length": [train_length], "label": ["training and target length"]})
    return Figure(_scaling_spec(), {"pairs": pairs[np.isfinite(pairs.wavelength)], "lengths": lines})


def allowed(mask: Tensor) -> Figure:
    """Return the picture of a boolean mask (T, T): coloured where the query of the row may attend to the key."""
    values = torch.where(mask, 0.0, torch.nan)
    frame = image.frame(values, data_uri(values, 1.0, colours=(CATEGORICAL[0], CATEGORICAL[0])))
    return Figure(_mask_spec(), {"mask": frame.assign(meaning=MAY)}, behind={"mask": lambda: _pairs(mask)})


def remapped(training: Tensor, evaluation: Tensor) -> Figure:
    """Return the positions that are given to each index, `training` (N,) and `evaluation` (T,), beside index itself."""
    frames = [
        pd.DataFrame({"index": range(len(positions)), "position": positions.double().numpy(), "when": when})
        for when, positions in ((TRAINING, training), (EVALUATION, evaluation))
    ]
    last = max(len(training), len(evaluation)) - 1
    same = pd.DataFrame({"index": [0, last], "position": [0, last]})
    return Figure(_remap_spec(), {"given": pd.concat(frames, ignore_index=True), "same": same})


def _pairs(mask: Tensor) -> pd.DataFrame:
    """Return one line per query and key: whether the one may attend to the other."""
    query, key = np.indices(mask.shape)
    return pd.DataFrame({"query": query.ravel(), "key": key.ravel(), "may attend": mask.numpy().ravel()})


def _heads_in_words(heads: list[int], n_heads: int) -> str:
    if len(heads) == n_heads:
        return "all heads" if n_heads > 1 else "mean and range"
    return f"head{'s' if len(heads) > 1 else ''} {', '.join(map(str, heads))}"


@cache
def _distance_spec(title: str) -> dict[str, Any]:
    x = alt.X("distance:Q").title("Distance m − n, query minus key").scale(nice=False, zero=False)
    x = x.axis(tickMinStep=1, format="d", grid=False)
    y = alt.Y("mean:Q").title(title).scale(zero=False)
    colour = alt.Color("head:N").title(None).sort(field="order", op="min").scale(range=list(CATEGORICAL))
    colour = colour.legend(orient="top", columns=4, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
    tooltip = [alt.Tooltip("head:N").title("Head"), alt.Tooltip("distance:Q").title("Distance")]
    tooltip += [alt.Tooltip(f"{part}:Q").title(part.capitalize()).format(".5~g") for part in ("mean", "low", "high")]
    curves = alt.Chart(alt.NamedData("curves"))
    band = curves.mark_area(opacity=0.18).encode(x=x, y=alt.Y("low:Q").title(title), y2="high:Q", color=colour)
    line = curves.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour)
    dots = curves.mark_circle(size=40, opacity=0).encode(x=x, y=y, color=colour, tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(band, line, dots).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}  # thousands of dots to be pointed at


@cache
def _scaling_spec() -> dict[str, Any]:
    x = alt.X("pair:Q").title("Pair").scale(nice=False).axis(tickMinStep=1, format="d", grid=False)
    y = alt.Y("wavelength:Q").title("Wavelength (positions)").scale(type="log", nice=True)
    y = y.axis(format="~s", values=[10**power for power in range(13)])
    colour = alt.Color("when:N").title(None).scale(domain=[BEFORE, AFTER], range=[CATEGORICAL[7], CATEGORICAL[4]])
    colour = colour.legend(orient="top")
    tooltip = [
        alt.Tooltip("pair:Q").title("Pair"),
        alt.Tooltip("when:N").title("Frequencies"),
        alt.Tooltip("wavelength:Q").title("Wavelength (positions)").format(",.5~r"),
    ]
    pairs = alt.Chart(alt.NamedData("pairs")).encode(x=x, y=y, color=colour, tooltip=tooltip)
    rings = pairs.transform_filter(f"datum.when === '{BEFORE}'").mark_point(size=70, strokeWidth=1.5, opacity=1)
    dots = pairs.transform_filter(f"datum.when === '{AFTER}'").mark_point(size=22, filled=True, opacity=1)
    lengths = alt.Chart(alt.NamedData("lengths"))
    rules = lengths.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=CATEGORICAL[0]).encode(y="length:Q")
    names = lengths.mark_text(align="left", baseline="bottom", dy=-3, fontSize=12, color={"expr": INK})
    names = names.encode(y="length:Q", x=alt.value(4), text="label:N")
    spec: dict[str, Any] = alt.layer(rules, names, rings, dots).configure(aria=False).to_dict()
    return spec


@cache
def _mask_spec() -> dict[str, Any]:
    place = image.place("Query", "Key")
    colour = alt.Color("meaning:N").title(None).scale(range=[CATEGORICAL[0]])
    colour = colour.legend(orient="top", symbolType="square", symbolOpacity=1)
    bearer = alt.Chart(alt.NamedData("mask")).mark_point(opacity=0, filled=True)
    bearer = bearer.encode(x=place["x"], y=place["y"], color=colour)
    return image.spec("mask", place, image.Words("Query", "Key", none="may not attend", meanings=(MAY,)), [bearer])


@cache
def _remap_spec() -> dict[str, Any]:
    x = alt.X("index:Q").title("Index of the token in its text").scale(nice=False)
    x = x.axis(tickMinStep=1, format="d", grid=False)
    y = alt.Y("position:Q").title("Position that the model is told").scale(nice=False)
    whens = [TRAINING, EVALUATION]
    colour = (
        alt.Color("when:N").title(None).scale(domain=whens, range=[CATEGORICAL[1], CATEGORICAL[0]]).legend(orient="top")
    )
    shape = alt.Shape("when:N").title(None).scale(domain=whens, range=["diamond", "circle"])
    tooltip = [
        alt.Tooltip("when:N").title("Told"),
        alt.Tooltip("index:Q").title("Index"),
        alt.Tooltip("position:Q").title("Position").format(",.5~r"),
    ]
    same = alt.Chart(alt.NamedData("same")).mark_line(strokeDash=[6, 4], strokeWidth=1.5, color=CATEGORICAL[7])
    given = alt.Chart(alt.NamedData("given")).mark_point(size=36, filled=True, opacity=1)
    layers = same.encode(x=x, y=y), given.encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return spec
