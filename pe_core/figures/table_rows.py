"""A learned table and its rows, with the end of those that training reached marked in every picture."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures import image as images
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import cell_frame
from pe_core.figures.palette import CATEGORICAL, DIVERGING, INK
from pe_core.figures.raster import data_uri

NEVER = "never trained"
_ON_IMAGE, _HALO = "#1B2430", "#FFFFFF"  # an image has the same colours in every theme


def image(values: Tensor, n_trained: int, *, columns: str, title: str, limit: float) -> Figure:
    """Return `values` (rows, columns) as one image, with a line below the first `n_trained` rows.

    Colours go from -limit to limit. The line has a twin across the columns where these are rows of the table too.
    """
    height, width = values.shape
    table = images.frame(values, data_uri(values, limit))
    mark = pd.DataFrame([{"place": n_trained - 0.5, "left": -0.5, "label": NEVER}])
    spec = _image_spec(columns, title, limit, height == width)
    return Figure(spec, {"table": table, "mark": mark}, behind={"table": lambda: cell_frame(values)})


def lines(
    values: Mapping[str, Tensor],
    n_trained: int,
    *,
    title: str,
    ends: tuple[float, float],
    levels: Sequence[tuple[str, float]] = (),
    chosen: int = -1,
) -> Figure:
    """Return a line for each of `values` (rows,) over the rows, with a line after the first `n_trained` of them.

    `ends` are the ends of the y axis, `levels` named heights across it; a line stands at the `chosen` row, if any.
    """
    frames = [
        pd.DataFrame({"row": range(len(one)), "value": one.double().numpy(), "name": name, "order": order})
        for order, (name, one) in enumerate(values.items())
    ]
    data = {
        "lines": pd.concat(frames, ignore_index=True),
        "ends": pd.DataFrame({"value": ends, "row": [0, 0]}),
        "mark": pd.DataFrame([{"place": n_trained - 0.5, "label": NEVER}]),
    }
    if levels:
        data["levels"] = pd.DataFrame(levels, columns=["label", "value"])
    if chosen >= 0:
        data["chosen"] = pd.DataFrame([{"row": chosen}])
    return Figure(_lines_spec(title, bool(levels), chosen >= 0), data)


@cache
def _image_spec(columns: str, title: str, limit: float, square: bool) -> dict[str, Any]:
    place = images.place("Row (position)", columns)
    colour = alt.Color("value:Q").title(title).scale(domain=[-limit, limit], range=list(DIVERGING), clamp=True)
    colour = colour.legend(orient="top", titleOrient="left", gradientLength=110, gradientThickness=10)
    scale_bearer = alt.Chart(alt.NamedData("table")).mark_point(opacity=0)  # an image has no legend of its own
    scale_bearer = scale_bearer.encode(x=place["x"], y=place["y"], color=colour)
    mark = alt.Chart(alt.NamedData("mark"))
    rule = mark.mark_rule(strokeDash=[6, 3], strokeWidth=1.5, color=_ON_IMAGE)
    words: dict[str, Any] = {"align": "left", "baseline": "top", "dx": 6, "dy": 4, "fontSize": 13, "fontWeight": "bold"}
    below: dict[str, Any] = {"x": alt.X("left:Q"), "y": alt.Y("place:Q"), "text": "label:N"}
    halo = mark.mark_text(**words, color=_HALO, stroke=_HALO, strokeWidth=4).encode(**below)
    label = mark.mark_text(**words, color=_ON_IMAGE).encode(**below)
    across = [rule.encode(x="place:Q")] if square else []
    layers = [scale_bearer, rule.encode(y="place:Q"), *across, halo, label]
    return images.spec("table", place, images.Words("Row", "Other row" if square else columns, title), layers)


@cache
def _lines_spec(title: str, levelled: bool, chosen: bool) -> dict[str, Any]:
    x = alt.X("row:Q").title("Row (position)").scale(nice=False, zero=True)
    x = x.axis(grid=False, tickMinStep=1, format="d")
    y = alt.Y("value:Q").title(title).scale(nice=False, zero=False).axis(tickCount=6)
    colour = alt.Color("name:N").title(None).sort(field="order", op="min").scale(range=list(CATEGORICAL))
    colour = colour.legend(orient="top", columns=2, symbolStrokeWidth=4, symbolType="stroke", labelLimit=260)
    tooltip = [
        alt.Tooltip("name:N").title("Line"),
        alt.Tooltip("row:Q").title("Row"),
        alt.Tooltip("value:Q").title(title).format(".4f"),
    ]
    curves = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2)
    curves = curves.encode(x=x, y=y, color=colour, tooltip=tooltip)
    frame = alt.Chart(alt.NamedData("ends")).mark_point(opacity=0).encode(x=x, y=y)  # the axis stays over the steps
    mark = alt.Chart(alt.NamedData("mark")).encode(x=alt.X("place:Q"))
    rule = mark.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=CATEGORICAL[7])
    words: dict[str, Any] = {"align": "left", "dx": 6, "fontSize": 12, "color": alt.ExprRef(INK)}
    label = mark.mark_text(**words, baseline="bottom", dy=-4).encode(y=alt.value("height"), text="label:N")
    layers: list[alt.Chart] = [frame, rule]
    if levelled:
        level = alt.Chart(alt.NamedData("levels")).encode(y=alt.Y("value:Q"))
        layers.append(level.mark_rule(strokeDash=[2, 3], color=CATEGORICAL[7]))
        layers.append(level.mark_text(**words, baseline="bottom", dy=-3).encode(x=alt.value(0), text="label:N"))
    if chosen:
        layers.append(alt.Chart(alt.NamedData("chosen")).mark_rule(color=CATEGORICAL[4]).encode(x=alt.X("row:Q")))
    spec: dict[str, Any] = alt.layer(*layers, curves, label).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
