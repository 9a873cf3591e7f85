"""Channels of the sinusoid as waves over the position, and the wavelengths of all pairs on one axis."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.measures.channels import Channel

MOST_WAVES = 6
MOST_DOTS = 64  # positions that are marked on the waves; more would run together
SAMPLES = 20  # of a wave, per turn
MOST_SAMPLES = 2000  # of a wave, over the whole length: more than there are pixels
LONGEST = 1e7  # positions; end of the axis, above the longest wavelength that the page offers


def waves(channels: Sequence[Channel], length: int) -> Figure:
    """Return the waves of `channels` over positions 0 .. length - 1, with a dot where a position reads them."""
    curves, dots = [], []
    whole = torch.arange(length) if length <= MOST_DOTS else torch.tensor([0, length - 1])  # the ends, else a crowd
    for place, channel in enumerate(channels):
        name = str(channel.index)
        n_samples = min(MOST_SAMPLES, 2 + int(SAMPLES * length / min(channel.wavelength, length)))
        between = torch.linspace(0, length - 1, n_samples, dtype=torch.float64)
        curves.append(_wave_frame(channel, between).assign(channel=name, order=place))
        dots.append(_wave_frame(channel, whole).assign(channel=name, order=place))
    return Figure(_waves_spec(), {"curves": pd.concat(curves), "dots": pd.concat(dots)})


def wavelengths(frequencies: Tensor, length: int) -> Figure:
    """Return the wavelength of each pair of `frequencies` (P,), with a line at `length` positions."""
    frame = pd.DataFrame({"pair": range(len(frequencies)), "wavelength": sinusoidal.wavelengths(frequencies).numpy()})
    completes = frame.wavelength <= length
    frame["turn"] = completes.map({True: _COMPLETE, False: _PARTIAL})
    return Figure(_wavelengths_spec(), {"pairs": frame, "length": pd.DataFrame([{"length": length}])})


_WHOLE = "datum.value % 1 ? '' : datum.label"  # over a span of 2, Vega sets a tick at every half
_COMPLETE, _PARTIAL = "a full turn", "never a full turn"


def _wave_frame(channel: Channel, positions: Tensor) -> pd.DataFrame:
    return pd.DataFrame({"position": positions.numpy(), "value": channel.values(positions).numpy()})


@cache
def _waves_spec() -> dict[str, Any]:
    x = alt.X("position:Q").title("Position").scale(nice=False, zero=False)
    x = x.axis(tickMinStep=1, format="d", grid=False, labelExpr=_WHOLE)
    y = alt.Y("value:Q").title("Value").scale(domain=[-1.05, 1.05], nice=False).axis(values=[-1, -0.5, 0, 0.5, 1])
    colour = alt.Color("channel:N").title("Channel").sort(field="order", op="min")
    colour = colour.scale(range=list(CATEGORICAL[:MOST_WAVES])).legend(orient="top", symbolStrokeWidth=3)
    lines = (
        alt.Chart(alt.NamedData("curves")).mark_line(strokeWidth=2, strokeJoin="round").encode(x=x, y=y, color=colour)
    )
    dots = alt.Chart(alt.NamedData("dots")).mark_circle(size=36, opacity=1)
    layers = lines, dots.encode(x=x, y=y, color=colour)
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}  # hundreds of dots as elements are slow


@cache
def _wavelengths_spec() -> dict[str, Any]:
    x = alt.X("pair:Q").title("Pair").scale(nice=False).axis(tickMinStep=1, format="d", grid=False, labelExpr=_WHOLE)
    y = alt.Y("wavelength:Q").title("Wavelength (positions)").scale(type="log", domain=[1, LONGEST], nice=False)
    y = y.axis(format=",d", values=[10**power for power in range(8)])
    turns, legend = [_COMPLETE, _PARTIAL], alt.Legend(title="Within the length", orient="top")
    colour = alt.Color("turn:N").legend(legend).scale(domain=turns, range=[CATEGORICAL[0], CATEGORICAL[4]])
    shape = alt.Shape("turn:N").legend(legend).scale(domain=turns, range=["circle", "square"])
    tooltip = [
        alt.Tooltip("pair:Q").title("Pair"),
        alt.Tooltip("wavelength:Q").title("Wavelength (positions)").format(",.5~g"),
        alt.Tooltip("turn:N").title("Within the length"),
    ]
    pairs = alt.Chart(alt.NamedData("pairs")).mark_point(filled=True, size=40, opacity=1)
    line = alt.Chart(alt.NamedData("length")).encode(y=alt.Y("length:Q"))
    rule = line.mark_rule(strokeDash=[6, 4], strokeWidth=2, color=CATEGORICAL[7])
    name = line.transform_calculate(label="'length ' + datum.length").encode(text="label:N", x=alt.value(4))
    label = name.mark_text(align="left", baseline="bottom", dy=-4, fontSize=12, color={"expr": INK})
    layers = rule, label, pairs.encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return spec
