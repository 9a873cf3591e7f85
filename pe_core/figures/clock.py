"""Every pair of the sinusoid as the hand of a clock; the position is moved in the browser."""

from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

MOST_CLOCKS = 24
CLOCKS_A_ROW = 6  # at 390 px a dial is then still 45 px wide
FARTHEST = 511  # of the slider under the picture; fixed, so that no other control resets it
START = 7  # fast hands have passed 12 o'clock, slow ones have hardly left it

# In pixels, so that a dial is round whatever the shape of the picture.
_RADIUS = "0.4 * min(abs(scale('x', 1) - scale('x', 0)), abs(scale('y', 1) - scale('y', 0)), 150)"


def clocks(frequencies: Tensor, pairs: list[int]) -> Figure:
    """Return one dial for each of `pairs`, by its index in `frequencies` (P,).

    A hand starts at 12 o'clock and turns clockwise: its tip is the sine to the right and the cosine upwards. The angle
    is computed in the browser as position times frequency.
    """
    chosen = frequencies[pairs]
    place = np.arange(len(pairs))
    frame = pd.DataFrame({"pair": pairs, "frequency": chosen.numpy()})
    frame["wavelength"] = sinusoidal.wavelengths(chosen).numpy()
    frame["column"], frame["row"] = place % CLOCKS_A_ROW, place // CLOCKS_A_ROW
    edges = {"left": frame.column - 0.5, "right": frame.column + 0.5, "top": frame.row - 0.5, "bottom": frame.row + 0.5}
    return Figure(_clock_spec(), {"hands": frame.assign(**edges)})


@cache
def _clock_spec() -> dict[str, Any]:
    position = alt.param(
        name="position", value=START, bind=alt.binding_range(min=0, max=FARTHEST, step=1, name="Position ")
    )
    hands = (
        alt.Chart(alt.NamedData("hands"))
        .transform_calculate(
            angle="position * datum.frequency",
            degrees="180 / PI * position * datum.frequency",
            sine="sin(position * datum.frequency)",
            cosine="cos(position * datum.frequency)",
            turns="position / datum.wavelength",
            label="'pair ' + datum.pair",
        )
        .encode(x=_x("column"), y=_y("row"))
    )
    size = {"expr": f"pow(2 * {_RADIUS}, 2)"}
    cells = hands.mark_rect(opacity=0).encode(x=_x("left"), x2="right", y=_y("top"), y2="bottom", tooltip=_tooltip())
    dial = hands.mark_point(shape="circle", size=size, color=CATEGORICAL[7], filled=False, strokeWidth=1)
    hand = hands.mark_point(
        shape="M0,0L0,-1", size=size, color=CATEGORICAL[4], opacity=1, strokeWidth=3, strokeCap="round"
    )
    label = hands.mark_text(dy={"expr": f"{_RADIUS} + 9"}, fontSize=11, color={"expr": INK}).encode(text="label:N")
    layers = dial, hand.encode(angle=alt.Angle("degrees:Q").scale(None)), label, cells
    spec: dict[str, Any] = (
        alt.layer(*layers).add_params(position).configure(aria=False).configure_view(stroke=None).to_dict()
    )
    return spec


def _x(field: str) -> alt.X:
    return alt.X(f"{field}:Q").scale(nice=False, zero=False).axis(None)


def _y(field: str) -> alt.Y:
    return alt.Y(f"{field}:Q").scale(nice=False, zero=False, reverse=True).axis(None)


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("pair:Q").title("Pair"),
        alt.Tooltip("frequency:Q").title("Frequency (rad per position)").format(".6~g"),
        alt.Tooltip("wavelength:Q").title("Wavelength (positions)").format(",.4~g"),
        alt.Tooltip("angle:Q").title("Angle (rad)").format(".5f"),
        alt.Tooltip("turns:Q").title("Turns").format(".4f"),
        alt.Tooltip("sine:Q").title("Sine").format(".5f"),
        alt.Tooltip("cosine:Q").title("Cosine").format(".5f"),
    ]
