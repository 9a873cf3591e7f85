"""The first positions as points on the circles of their pairs, one dial per base: what the base changes, and where."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK

# In pixels, so that a dial is round whatever the shape of the picture.
_RADIUS = "0.33 * min(abs(scale('x', 1) - scale('x', 0)), abs(scale('y', 1) - scale('y', 0)))"
_INK = {"expr": INK}


def first_positions(tables: Sequence[Tensor], columns: Sequence[str], rows: Sequence[str]) -> Figure:
    """Return a grid of dials: one column for each of `tables` (T, 2 * rows), one row for each of its pairs.

    A point stands at the sine to the right and the cosine upwards; `columns` and `rows` name them.
    """
    points = [
        _pair_points(table[:, 2 * row : 2 * row + 2]).assign(column=column, row=row)
        for column, table in enumerate(tables)
        for row in range(len(rows))
    ]
    heads = [{"column": column, "row": -0.5, "label": label} for column, label in enumerate(columns)]
    sides = [{"column": -0.5, "row": row - 0.5, "label": label} for row, label in enumerate(rows)]
    dials = [{"column": column, "row": row} for column in range(len(columns)) for row in range(len(rows))]
    edges = pd.DataFrame(dials).assign(
        left=lambda cell: cell.column - 0.5,
        right=lambda cell: cell.column + 0.5,
        top=lambda cell: cell.row - 0.65,
        bottom=lambda cell: cell.row + 0.5,
    )
    frames = {
        "points": pd.concat(points, ignore_index=True),
        "heads": pd.DataFrame(heads),
        "sides": pd.DataFrame(sides),
    }
    return Figure(_spec(), {**frames, "dials": edges})


def _pair_points(pair: Tensor) -> pd.DataFrame:
    """One line per position; `gap` is the distance to the point named before, since a name must not cover another."""
    frame = pd.DataFrame(pair.numpy(), columns=["sine", "cosine"]).assign(position=range(len(pair)))
    gap = (pair - pair.roll(1, dims=0)).norm(dim=-1)  # of the first, to the last: no name comes before it
    gap[0], gap[-1] = 2.0, (pair[-1] - pair[0]).norm()  # the last is named even where those between are not
    return frame.assign(gap=gap.numpy())


@cache
def _spec() -> dict[str, Any]:
    x, y = _place("column", "row")
    left, top = _place("left", "top")
    cells = alt.Chart(alt.NamedData("dials")).mark_rect(opacity=0).encode(x=left, x2="right", y=top, y2="bottom")
    size = {"expr": f"pow(2 * {_RADIUS}, 2)"}
    dials = alt.Chart(alt.NamedData("dials")).mark_point(
        shape="circle", size=size, color=CATEGORICAL[7], filled=False, strokeWidth=1
    )
    sideways, upwards = f"datum.sine * {_RADIUS}", f"-datum.cosine * {_RADIUS}"
    points = alt.Chart(alt.NamedData("points"))
    dots = points.mark_circle(
        size=60, color=CATEGORICAL[4], opacity=1, xOffset={"expr": sideways}, yOffset={"expr": upwards}
    )
    outside = f"({_RADIUS} + 11)"
    names = points.mark_text(
        fontSize=11,
        color=_INK,
        xOffset={"expr": f"datum.sine * {outside}"},
        yOffset={"expr": f"-datum.cosine * {outside}"},
        opacity={"expr": f"datum.gap * {outside} > 7 ? 1 : 0"},
    ).encode(text="position:Q")
    heads = alt.Chart(alt.NamedData("heads")).mark_text(
        baseline="bottom", dy=-18, fontSize=13, color=_INK, fontWeight="bold"
    )
    sides = alt.Chart(alt.NamedData("sides")).mark_text(align="left", baseline="bottom", fontSize=12, color=_INK)
    tooltip = [
        alt.Tooltip("position:Q").title("Position"),
        alt.Tooltip("sine:Q").title("Sine").format(".5f"),
        alt.Tooltip("cosine:Q").title("Cosine").format(".5f"),
    ]
    layers = (
        cells,
        dials.encode(x=x, y=y),
        names.encode(x=x, y=y),
        dots.encode(x=x, y=y, tooltip=tooltip),
        heads.encode(x=x, y=y, text="label:N"),
        sides.encode(x=x, y=y, text="label:N"),
    )
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).configure_view(stroke=None).to_dict()
    return spec


def _place(x: str, y: str) -> tuple[alt.X, alt.Y]:
    across = alt.X(f"{x}:Q").scale(nice=False, zero=False).axis(None)
    return across, alt.Y(f"{y}:Q").scale(nice=False, zero=False, reverse=True).axis(None)
