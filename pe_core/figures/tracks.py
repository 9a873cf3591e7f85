"""A sequence of text, images and videos: its ids over the tokens, and the pairs of RoPE by the axis they follow."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks.growth import area, grown
from pe_core.figures.looks.palette import CATEGORICAL, GREY
from pe_core.measures.sequence import Part

AXES = ("time t", "row h", "column w")
PLAIN = "position"
KINDS = ("text", "image", "video")


def ids(numbers: Tensor, parts: Sequence[Part]) -> Figure:
    """Return the ids t, h and w of each token, `numbers` (T, 3), as three lines over the sequence made of `parts`."""
    frame = pd.DataFrame(numbers.numpy(), columns=list(AXES))
    frame.insert(0, "token", range(len(frame)))
    bands = [{"kind": part.kind, "start": part.first - 0.5, "end": part.last + 0.5} for part in parts]
    return Figure(_ids_spec(), {"tokens": frame, "parts": pd.DataFrame(bands)})


def pairs(allocations: Mapping[str, tuple[Tensor, Tensor | None]]) -> Figure:
    """Return the wavelength of each pair in a lane of its axis, by the name of the encoding.

    An encoding is given by the frequencies (P,) of its pairs and by the axis of each, 0 time, 1 row, 2 column; None
    stands for the plain position.
    """
    frames = []
    for order, (name, (frequencies, axes)) in enumerate(allocations.items()):
        along = [PLAIN] * len(frequencies) if axes is None else [AXES[axis] for axis in axes.tolist()]
        waves = sinusoidal.wavelengths(frequencies).numpy()
        frames.append(
            pd.DataFrame(
                {"encoding": name, "order": order, "pair": range(len(waves)), "axis": along, "wavelength": waves}
            )
        )
    return Figure(_pairs_spec(), {"pairs": pd.concat(frames, ignore_index=True)})


def resized(coordinates: Mapping[str, Tensor]) -> Figure:
    """Return the named coordinates (N,) as dots in a line each, with a band over the range of the first."""
    frames = [
        pd.DataFrame({"way": way, "order": order, "patch": range(len(where)), "coordinate": where.numpy()})
        for order, (way, where) in enumerate(coordinates.items())
    ]
    first = frames[0].coordinate
    met = pd.DataFrame([{"start": first.min() - 0.5, "end": first.max() + 0.5}])
    return Figure(_resized_spec(), {"coordinates": pd.concat(frames, ignore_index=True), "met": met})


@built_once
def _ids_spec() -> dict[str, Any]:
    x = (
        alt.X("token:Q")
        .title("Token")
        .scale(nice=False, zero=False, padding=2)
        .axis(grid=False, tickMinStep=1, format="d")
    )
    y = alt.Y("id:Q").title("Id").scale(nice=False, padding=6).axis(tickMinStep=1, format="d")
    bands = alt.Chart(alt.NamedData("parts")).mark_rect(opacity=0.2)
    fill = alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=[GREY, *CATEGORICAL[1:3]])
    band = bands.encode(
        x=alt.X("start:Q").scale(nice=False, zero=False),
        x2="end",
        color=fill.legend(orient="top", symbolType="square", symbolOpacity=0.5, symbolStrokeWidth=0),
        tooltip=[alt.Tooltip("kind:N").title("Part")],
    )
    lines = alt.Chart(alt.NamedData("tokens")).transform_fold(list(AXES), as_=["axis", "id"])
    scale = alt.Scale(domain=list(AXES), range=[CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[3]])
    colour = (
        alt.Color("axis:N").title(None).scale(scale).legend(orient="bottom", symbolType="stroke", symbolStrokeWidth=4)
    )
    # Where ids are equal all three lines are seen, the wider behind the narrower.
    width = alt.StrokeWidth("axis:O").scale(domain=list(AXES), range=[8, 4, 1.5]).legend(None)
    line = lines.mark_line(interpolate="step").encode(x=x, y=y, color=colour, strokeWidth=width)
    tooltip = [alt.Tooltip("token:Q").title("Token")]
    tooltip += [alt.Tooltip(f"{axis}:Q").title(axis.capitalize()) for axis in AXES]
    dots = lines.mark_circle(size=area(60), opacity=0).encode(x=x, y=y, tooltip=tooltip)
    layered = alt.layer(band, line, dots).resolve_scale(color="independent")
    spec: dict[str, Any] = layered.configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}


@built_once
def _pairs_spec() -> dict[str, Any]:
    axes = [PLAIN, *AXES]
    x = alt.X("wavelength:Q").title("Wavelength (steps along the axis)")
    x = x.scale(type="log", nice=False, padding=10).axis(format="~s", values=[10**power for power in range(1, 10)])
    y = alt.Y("encoding:N").title(None).sort(field="order", op="min").scale(paddingInner=0.25)
    y = y.axis(labelLimit=grown(130), ticks=False, domain=False, grid=False)
    scale = alt.Scale(domain=axes, range=[GREY, CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[3]])
    colour = alt.Color("axis:N").title(None).scale(scale)
    tooltip = [
        alt.Tooltip("encoding:N").title("Encoding"),
        alt.Tooltip("pair:Q").title("Pair"),
        alt.Tooltip("axis:N").title("Turned by"),
        alt.Tooltip("wavelength:Q").title("Wavelength").format(",.4~g"),
    ]
    ticks = alt.Chart(alt.NamedData("pairs")).mark_tick(thickness=3, bandSize=14, opacity=1)
    chart = ticks.encode(
        x=x,
        y=y,
        yOffset=alt.YOffset("axis:N").scale(domain=axes),
        color=colour.legend(orient="top", columns=2, symbolType="square", symbolOpacity=1),
        tooltip=tooltip,
    )
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return spec


@built_once
def _resized_spec() -> dict[str, Any]:
    x = alt.X("coordinate:Q").title("Coordinate that the model is told").scale(nice=False, zero=False, padding=8)
    x = x.axis(grid=False, format="d", tickMinStep=1)
    y = alt.Y("way:N").title(None).sort(field="order", op="min").axis(labelLimit=grown(120), ticks=False, domain=False)
    tooltip = [
        alt.Tooltip("way:N").title("Coordinates"),
        alt.Tooltip("patch:Q").title("Patch"),
        alt.Tooltip("coordinate:Q").title("Coordinate").format(".4~g"),
    ]
    met = alt.Chart(alt.NamedData("met")).mark_rect(opacity=0.18, color=CATEGORICAL[0])
    dots = alt.Chart(alt.NamedData("coordinates")).mark_point(filled=True, size=area(70), opacity=0.9)
    colour = alt.Color("way:N").sort(field="order", op="min").legend(None)
    colour = colour.scale(range=[CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[2]])
    layers = (
        met.encode(x=alt.X("start:Q").scale(nice=False, zero=False, padding=8), x2="end"),
        dots.encode(x=x, y=y, color=colour, tooltip=tooltip),
    )
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return spec
