"""Heatmap of a table of signed numbers: single cells with tooltips while they are few, one image when they are many."""

import re
from functools import lru_cache, partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.figures import image
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import DIVERGING
from pe_core.figures.raster import data_uri

MOST_CELLS = 64  # rows or columns drawn as cells of their own; above, the browser would need over 100 ms a step


def heatmap(
    values: Tensor,
    *,
    rows: str,
    columns: str,
    title: str,
    limit: float = 1.0,
    first_row: int = 0,
    first_column: int = 0,
    selection: str = "",
) -> Figure:
    """Return the figure of `values` (rows, columns), coloured from -limit to limit, with the first row on top.

    `rows`, `columns` and `title` name the axes and the number; `first_row` and `first_column` are the indices of the
    first cell. With the name of a `selection`, a rectangle can be dragged over the picture: it selects ranges of
    "left" and "top", which are half a cell off the whole numbers.
    """
    if max(values.shape) > MOST_CELLS:
        place = {"first_row": first_row, "first_column": first_column}
        return picture(values, rows=rows, columns=columns, title=title, limit=limit, selection=selection, **place)
    frame = cell_frame(values, first_row=first_row, first_column=first_column)
    numbers = partial(number_frame, values, rows=rows, columns=columns, first_row=first_row, first_column=first_column)
    return Figure(_cells_spec(rows, columns, title, limit, selection), {"table": frame}, behind={"table": numbers})


def picture(
    values: Tensor,
    *,
    rows: str,
    columns: str,
    title: str,
    limit: float = 1.0,
    first_row: int = 0,
    first_column: int = 0,
    selection: str = "",
) -> Figure:
    """Return the same figure as one image, however few the cells are: cheap to draw."""
    frame = image.frame(values, data_uri(values, limit), first_row=first_row, first_column=first_column)
    numbers = partial(number_frame, values, rows=rows, columns=columns, first_row=first_row, first_column=first_column)
    return Figure(_image_spec(rows, columns, title, limit, selection), {"table": frame}, behind={"table": numbers})


def part_around(centre: float, size: int, length: int) -> slice:
    """Return up to `size` of `length` indices, around `centre` where there is room for it."""
    first = max(0, min(round(centre - (size - 1) / 2), length - size))
    return slice(first, min(first + size, length))


def number_frame(values: Tensor, *, rows: str, columns: str, first_row: int = 0, first_column: int = 0) -> pd.DataFrame:
    """Return `values` (rows, columns) as a spreadsheet has them: the index of each row, then its numbers.

    The headers are made of the names of the axes: with "Position" and "Channel", position, channel_0, channel_1 ...
    """
    row, column = (re.sub(r"\W+", "_", axis.lower()).strip("_") for axis in (rows, columns))
    frame = pd.DataFrame(values.numpy()).rename(index=lambda number: number + first_row)
    return frame.rename(columns=lambda number: f"{column}_{number + first_column}").rename_axis(row).reset_index()


def cell_frame(values: Tensor, *, first_row: int = 0, first_column: int = 0) -> pd.DataFrame:
    """Return one line per number of `values` (rows, columns): row, column, value and the edges of its cell."""
    row, column = np.indices(values.shape)
    frame = pd.DataFrame({"row": row.ravel() + first_row, "column": column.ravel() + first_column})
    frame["value"] = values.double().numpy().ravel()
    return frame.assign(top=frame.row - 0.5, bottom=frame.row + 0.5, left=frame.column - 0.5, right=frame.column + 0.5)


@lru_cache(MOST_SPECS)
def _cells_spec(rows: str, columns: str, title: str, limit: float, selection: str) -> dict[str, Any]:
    tooltip = [
        alt.Tooltip("row:Q").title(rows),
        alt.Tooltip("column:Q").title(columns),
        alt.Tooltip("value:Q").title(title).format(".5f"),
    ]
    colour = _colour(title, limit)
    outline = {"expr": "scale('color', datum.value)"}  # closes the hairline between neighbours
    cells = alt.Chart(alt.NamedData("table")).mark_rect(strokeWidth=1, stroke=outline)
    chart = cells.encode(**image.place(rows, columns), color=colour, tooltip=tooltip)
    spec: dict[str, Any] = chart.add_params(*_rectangle(selection)).configure(aria=False).to_dict()
    return spec


@lru_cache(MOST_SPECS)
def _image_spec(rows: str, columns: str, title: str, limit: float, selection: str) -> dict[str, Any]:
    place = image.place(rows, columns)
    scale_bearer = alt.Chart(alt.NamedData("table")).mark_point(opacity=0)  # an image has no legend of its own
    scale_bearer = scale_bearer.encode(x=place["x"], y=place["y"], color=_colour(title, limit))
    return image.spec("table", place, image.Words(rows, columns, title), [scale_bearer], _rectangle(selection))


def _rectangle(selection: str) -> list[alt.Parameter]:
    return [alt.selection_interval(name=selection, encodings=["x", "y"])] if selection else []


def _colour(title: str, limit: float) -> alt.Color:
    scale = alt.Scale(domain=[-limit, limit], range=list(DIVERGING), clamp=True)
    return (
        alt.Color("value:Q")
        .title(title)
        .scale(scale)
        .legend(type="gradient", orient="top", titleOrient="left", gradientLength=110, gradientThickness=10)
    )
