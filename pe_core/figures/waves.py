"""Waves over the position, and what all of them make of a distance, with the places where it rises again."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL
from pe_core.measures.channels import Channel
from pe_core.measures.similarity import dot_products, rises

MAX_WAVES = 6
MAX_DOTS = 64  # positions that are marked on the waves; more would run together
SAMPLES = 20  # of a wave, per turn
MAX_SAMPLES = 2000  # of a wave, over the whole length: more than there are pixels


def waves(channels: Sequence[Channel], length: int) -> Figure:
    """Return the waves of `channels` over positions 0 .. length - 1, with a dot where a position reads them."""
    curves, dots = [], []
    whole = torch.arange(length) if length <= MAX_DOTS else torch.tensor([0, length - 1])  # the ends, else a crowd
    for place, channel in enumerate(channels):
        name = str(channel.index)
        n_samples = min(MAX_SAMPLES, 2 + int(SAMPLES * length / min(channel.wavelength, length)))
        between = torch.linspace(0, length - 1, n_samples, dtype=torch.float64)
        curves.append(_wave_frame(channel, between).assign(channel=name, order=place))
        dots.append(_wave_frame(channel, whole).assign(channel=name, order=place))
    return Figure(_waves_spec(), {"curves": pd.concat(curves), "dots": pd.concat(dots)})


def similarity(frequencies: Tensor, length: int) -> Figure:
    """Return the similarity at the distances 1 - length .. length - 1, as a share of that at distance 0.

    `frequencies` (P,) are those of the complete pairs, one at least; `length` is at least 2. The steps outwards on
    which the similarity rises are drawn over the curve; a line marks the first of them on each side.
    """
    ahead = (dot_products(torch.arange(length), frequencies) / len(frequencies)).numpy()
    both = np.arange(1 - length, length)
    far = rises(torch.from_numpy(ahead)).numpy()
    steps = pd.DataFrame({"distance": far, "nearer": far - 1, "similarity": ahead[far], "before": ahead[far - 1]})
    mirrored = steps.assign(distance=-steps.distance, nearer=-steps.nearer)
    # Where nothing rises a segment of no length stands in: an empty frame makes the browser warn of its extent.
    none = pd.DataFrame([{"distance": 0, "nearer": 0, "similarity": ahead[0], "before": ahead[0]}])
    rising = pd.concat([mirrored, steps]) if len(far) else none
    first = rising[rising.distance.abs() == rising.distance.abs().min()]
    frames = {
        "curve": pd.DataFrame({"distance": both, "similarity": ahead[np.abs(both)]}),
        "rising": rising,
        "first": first.assign(low=min(ahead) if len(far) else ahead[0], high=ahead[0]),
    }
    return Figure(_similarity_spec(), frames)


_WHOLE = "datum.value % 1 ? '' : datum.label"  # over a span of 2, Vega sets a tick at every half


def _wave_frame(channel: Channel, positions: Tensor) -> pd.DataFrame:
    return pd.DataFrame({"position": positions.numpy(), "value": channel.values(positions).numpy()})


@cache
def _waves_spec() -> dict[str, Any]:
    x = alt.X("position:Q").title("Position").scale(nice=False, zero=False)
    x = x.axis(tickMinStep=1, format="d", grid=False, labelExpr=_WHOLE)
    y = alt.Y("value:Q").title("Value").scale(domain=[-1.05, 1.05], nice=False).axis(values=[-1, -0.5, 0, 0.5, 1])
    colour = alt.Color("channel:N").title("Channel").sort(field="order", op="min")
    colour = colour.scale(range=list(CATEGORICAL[:MAX_WAVES])).legend(orient="top", symbolStrokeWidth=3)
    lines = (
        alt.Chart(alt.NamedData("curves")).mark_line(strokeWidth=2, strokeJoin="round").encode(x=x, y=y, color=colour)
    )
    dots = alt.Chart(alt.NamedData("dots")).mark_circle(size=36, opacity=1)
    layers = lines, dots.encode(x=x, y=y, color=colour)
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}  # hundreds of dots as elements are slow


@cache
def _similarity_spec() -> dict[str, Any]:
    x = alt.X("distance:Q").title("Distance m − n").scale(nice=False, zero=False)
    x = x.axis(tickMinStep=1, format="d", grid=False, labelExpr=_WHOLE)
    y = alt.Y("similarity:Q").title("Similarity, 1 at distance 0").scale(nice=False, zero=False)
    tooltip = [
        alt.Tooltip("distance:Q").title("Distance"),
        alt.Tooltip("similarity:Q").title("Similarity").format(".5f"),
    ]
    curve = alt.Chart(alt.NamedData("curve")).mark_line(strokeWidth=2, color=CATEGORICAL[0], point={"size": 12})
    rising = alt.Chart(alt.NamedData("rising")).mark_rule(strokeWidth=4, color=CATEGORICAL[4])
    first = alt.Chart(alt.NamedData("first")).mark_rule(strokeDash=[4, 4], strokeWidth=1.5, color=CATEGORICAL[4])
    layers = (
        first.encode(x="distance:Q", y="low:Q", y2="high"),
        curve.encode(x=x, y=y, tooltip=tooltip),
        rising.encode(x=x, x2="nearer", y=y, y2="before", tooltip=tooltip),
    )
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return spec
