"""What masks do: who is seen and who is only heard of, as one image, and lines with a rule or a formula beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import altair as alt
import pandas as pd
import torch
from torch import Tensor

from pe_core.figures import image
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.figures.raster import data_uri

MEANINGS = LOST, HEARD, SEEN = "never", "through layers", "seen directly"
COLOURS = {SEEN: "#0072B2", HEARD: "#7CC4EE", LOST: "#E9B872"}
GREY = CATEGORICAL[7]


@dataclass(frozen=True)
class Axes:
    """The words of both axes and how they run: the ends of y where it must not jump, the ticks of logarithmic axes."""

    x: str
    y: str
    y_ends: tuple[float, float] | None = None
    log_ticks: tuple[int, ...] = ()
    dots: bool = False
    colours: tuple[str, ...] = CATEGORICAL


def reached(mask: Tensor, through: Tensor) -> Figure:
    """Return the picture of what each query knows: keys that `mask` (T, T) shows it, and more `through` layers (T, T).

    Of the tokens up to the query, those that are neither are coloured as lost; what lies ahead, unseen, is empty.
    """
    past = torch.ones_like(mask).tril()
    values = torch.full(mask.shape, torch.nan)
    for value, where in enumerate((past, through, mask)):
        values[where] = value
    url = data_uri(values - 1, 1.0, colours=tuple(COLOURS[name] for name in MEANINGS))
    frames = {
        "image": image.frame(values, url),
        "meanings": pd.DataFrame({"meaning": list(COLOURS), "left": -0.5, "top": -0.5}),
    }
    return Figure(_image_spec(), frames, behind={"image": lambda: _cells(values)})


def _cells(values: Tensor) -> pd.DataFrame:
    rows, columns = (~values.isnan()).nonzero(as_tuple=True)
    meanings = [MEANINGS[int(value)] for value in values[rows, columns]]
    return pd.DataFrame({"query": rows.numpy(), "key": columns.numpy(), "meaning": meanings})


def lines(
    where: Tensor,
    measured: Mapping[str, Tensor],
    rules: Mapping[str, Tensor],
    axes: Axes,
    marks: Sequence[tuple[str, float]] = (),
) -> Figure:
    """Return a line for each of `measured` (N,) over `where` (N,), each of `rules` dashed in grey, and upright `marks`.

    What is not finite, or has no logarithm where the axes are logarithmic, is left out; a line that leaves the ends of
    the y axis is cut there.
    """
    frames = [
        pd.DataFrame({"x": where.numpy(), "y": values.double().numpy(), "name": name})
        for name, values in {**measured, **rules}.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    frame = frame[frame.y.abs().lt(float("inf")) & (frame.y.gt(0) if axes.log_ticks else True)]
    spec = _lines_spec(axes, tuple(measured), tuple(rules), bool(marks))
    if not marks:
        return Figure(spec, {"lines": frame})
    return Figure(spec, {"lines": frame, "marks": pd.DataFrame(marks, columns=["label", "x"])})


@cache
def _image_spec() -> dict[str, Any]:
    place = image.place("Query", "Key (token below)")
    colour = alt.Color("meaning:N").title(None).scale(domain=list(COLOURS), range=list(COLOURS.values()))
    colour = colour.legend(orient="top", symbolType="square", symbolOpacity=1)
    bearer = alt.Chart(alt.NamedData("meanings")).mark_point(opacity=0, filled=True)
    bearer = bearer.encode(x=place["x"], y=place["y"], color=colour)
    words = image.Words("Query", "Key", none="lies ahead, not seen", meanings=MEANINGS)
    return image.spec("image", place, words, [bearer])


@lru_cache(MOST_SPECS)
def _lines_spec(axes: Axes, measured: tuple[str, ...], rules: tuple[str, ...], marked: bool) -> dict[str, Any]:
    x, y = alt.X("x:Q").title(axes.x), alt.Y("y:Q").title(axes.y)
    if axes.log_ticks:
        ends = [axes.log_ticks[0], axes.log_ticks[-1]]
        x = x.axis(values=list(axes.log_ticks), format=",d", grid=False).scale(type="log", domain=ends, nice=False)
        y = y.axis(values=[1, *axes.log_ticks], format=",d").scale(type="log", domain=[1, ends[1]], nice=False)
    else:
        x = x.axis(grid=False, format="d", tickMinStep=1).scale(nice=False, zero=False)
        y = y.scale(domain=list(axes.y_ends), nice=False) if axes.y_ends else y.scale(zero=True)
    names = [*measured, *rules]
    colours = [*axes.colours[: len(measured)], *[GREY] * len(rules)]
    dashes = [[1, 0]] * len(measured) + [[6, 4]] * len(rules)
    legend = alt.Legend(title=None, orient="top", columns=2, symbolType="stroke", symbolSize=260, symbolStrokeWidth=3)
    colour = alt.Color("name:N").scale(domain=names, range=colours).legend(legend)
    dash = alt.StrokeDash("name:N").scale(domain=names, range=dashes).legend(legend)
    tooltip = [
        alt.Tooltip("name:N").title("Line"),
        alt.Tooltip("x:Q").title(axes.x).format(",.4~g"),
        alt.Tooltip("y:Q").title(axes.y).format(",.4~g"),
    ]
    base = alt.Chart(alt.NamedData("lines"))
    layers: list[alt.Chart] = [
        base.mark_line(strokeWidth=2.5, clip=True).encode(x=x, y=y, color=colour, strokeDash=dash),
        base.mark_circle(size=36, clip=axes.y_ends is not None, opacity=1 if axes.dots else 0).encode(
            x=x, y=y, color=colour, tooltip=tooltip
        ),
    ]
    if marked:
        upright = alt.Chart(alt.NamedData("marks")).encode(x="x:Q")
        word = upright.mark_text(align="left", baseline="top", dx=5, fontSize=12, color=alt.ExprRef(INK))
        layers = [
            upright.mark_rule(strokeWidth=1.5, color=alt.ExprRef(INK)),
            *layers,
            word.encode(text="label:N", y=alt.value(2)),
        ]
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
