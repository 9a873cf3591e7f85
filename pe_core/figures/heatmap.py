"""Heatmap of a table of signed numbers: single cells with tooltips while they are few, one image when they are many."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.figures import image, readout
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.image import data_uri
from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import DIVERGING, gradient, grown
from pe_core.figures.readout import Words
from pe_core.measures.channels import Channel
from pe_core.parameters import Parameter, Value

MIN_LIMIT, MAX_LIMIT = 1e-4, 1e9  # of a colour scale; smaller numbers are nothing but rounding
_ON_IMAGE, _HALO = "#1B2430", "#FFFFFF"  # an image has the same colours in every theme
FINE = (1, 1.5, 2, 3, 4, 5, 6, 8)  # ends of a scale, of which at least two thirds are used
MAX_CELLS = 64  # rows or columns drawn as cells of their own; above, the browser would need over 100 ms a step


def heatmap(
    values: Tensor,
    *,
    rows: str,
    columns: str,
    title: str,
    limit: float = 1.0,
    middle: float = 0.0,
    first_row: int = 0,
    first_column: int = 0,
    max_cells: int = MAX_CELLS,
) -> Figure:
    """Return the figure of `values` (rows, columns), with the first row on top.

    It is coloured from `limit` below the `middle` to `limit` above it. `rows`, `columns` and `title` name the axes and
    the number; `first_row` and `first_column` are the indices of the first cell. With more
    than `max_cells` rows or columns it is one image.
    """
    if max(values.shape) <= max_cells:
        frame = cell_frame(values, first_row=first_row, first_column=first_column)
        spec = _cells_spec(rows, columns, title, limit, middle)
    else:
        frame = image.frame(values, data_uri(values - middle, limit), first_row=first_row, first_column=first_column)
        spec = _image_spec(Words(rows, columns, title), limit, middle)
    numbers = partial(number_frame, values, rows=rows, columns=columns, first_row=first_row, first_column=first_column)
    return Figure(spec, {"table": frame}, behind={"table": numbers})


def picture(values: Tensor, *, rows: str, columns: str, title: str, limit: float = 1.0) -> Figure:
    """Return the same figure as one image, however few the cells are: cheap to draw."""
    return heatmap(values, rows=rows, columns=columns, title=title, limit=limit, max_cells=0)


def wave_table(values: Tensor, waves: Sequence[Channel], *, selection: str) -> Figure:
    """Return the picture of a table (positions, channels) whose columns are `waves`, with a `selection` of a part.

    It has ranges of "left" and "top", which are half a cell off the whole numbers.
    """
    words = Words("Position", "Channel", "Value", waves=True)
    numbers = partial(number_frame, values, rows=words.row, columns=words.column)
    frame = image.wave_frame(values, data_uri(values, 1.0), waves)
    return Figure(
        _wave_spec(words, selection, motion.last_of_scrubber(len(values))), {"table": frame}, behind={"table": numbers}
    )


def limit_of(values: Tensor, steps: Sequence[float] = (1, 2, 5)) -> float:
    """Return the end of a colour scale for `values`, a step times a power of ten: so few that specs seldom change."""
    finite = values[values.isfinite()]
    largest = float(finite.abs().max()) if finite.numel() else 0.0
    largest = min(max(largest, MIN_LIMIT), MAX_LIMIT)
    power = 10.0 ** math.floor(math.log10(largest) + 1e-9)
    return next((step * power for step in steps if largest <= step * power * (1 + 1e-9)), 10 * power)


def matrix(values: Tensor, *, rows: str, columns: str, title: str, among: Tensor) -> Figure:
    """Return the heatmap of `values` (rows, columns) with a scale of its own; what is not finite is left empty.

    The scale holds all values `among` which they stand, with 0 in its middle where these have both signs.
    """
    finite = among[among.isfinite()]
    limit, below, above = limit_of(finite, FINE), bool((finite < 0).any()), bool((finite > 0).any())
    if below != above:
        limit /= 2
    middle = limit * (above - below)
    figure = heatmap(values, rows=rows, columns=columns, title=title, limit=limit, middle=middle)
    table = figure.frames["table"]
    return replace(figure, frames={"table": table[np.isfinite(table.value)]})


def split(
    values: Tensor,
    first: int,
    label: str,
    looks: pd.DataFrame,
    *,
    rows: str,
    columns: str,
    title: str,
    limit: float,
    played: Parameter[Value],
    now: Value,
) -> Figure:
    """Return `values` (rows, columns) as one image, with a line below the `first` rows and a `label` under it.

    They are the table at the choice `now` of `played`, a control of the page. The browser can show it at each choice:
    `looks` are its `image.frame_of_looks`, coloured from -limit to limit.
    """
    height, width = values.shape
    mark = {"place": first - 0.5, "left": -0.5, "label": label}
    start = {"left": -0.5, "top": -0.5, "value": 0.0, played.name: played.choices.index(now)}
    frames = {"table": looks, "mark": pd.DataFrame([mark]), motion.NOW: pd.DataFrame([start])}
    spec = _split_spec(rows, columns, title, limit, height == width, played)
    across = "Other row" if height == width else columns
    return Figure(spec, frames, behind={"table": partial(cell_table, values, rows=rows, columns=across, title=title)})


def part_around(centre: float, size: int, length: int) -> slice:
    """Return up to `size` of `length` indices, around `centre` where there is room for it."""
    first = max(0, min(round(centre - (size - 1) / 2), length - size))
    return slice(first, min(first + size, length))


def number_frame(values: Tensor, *, rows: str, columns: str, first_row: int = 0, first_column: int = 0) -> pd.DataFrame:
    """Return `values` (rows, columns) as a spreadsheet has them: the index of each row, then its numbers."""
    frame = pd.DataFrame(values.numpy()).rename(index=lambda number: number + first_row)
    return frame.rename(columns=lambda number: f"{columns} {number + first_column}").rename_axis(rows).reset_index()


def cell_frame(values: Tensor, *, first_row: int = 0, first_column: int = 0) -> pd.DataFrame:
    """Return one line per number of `values` (rows, columns): row, column, value and the edges of its cell."""
    row, column = np.indices(values.shape)
    frame = pd.DataFrame({"row": row.ravel() + first_row, "column": column.ravel() + first_column})
    frame["value"] = values.double().numpy().ravel()
    return frame.assign(top=frame.row - 0.5, bottom=frame.row + 0.5, left=frame.column - 0.5, right=frame.column + 0.5)


def cell_table(values: Tensor, *, rows: str, columns: str, title: str) -> pd.DataFrame:
    """Return one line per number of `values` (rows, columns) for a file, with the words of the axes as heads."""
    return cell_frame(values)[["row", "column", "value"]].set_axis([rows, columns, title], axis=1)


@built_once
def _cells_spec(rows: str, columns: str, title: str, limit: float, middle: float) -> dict[str, Any]:
    tooltip = tips(("row:Q", rows), ("column:Q", columns), ("value:Q", title, ".5f"))
    colour = _colour(title, limit, middle)
    outline = {"expr": "scale('color', datum.value)"}  # closes the hairline between neighbours
    cells = chart_of("table").mark_rect(strokeWidth=1, stroke=outline)
    return spec_of(cells.encode(**image.place(rows, columns), color=colour, tooltip=tooltip))


@built_once
def _image_spec(words: Words, limit: float, middle: float, selection: str = "") -> dict[str, Any]:
    place = image.place(words.row, words.column)
    scale_bearer = chart_of("table").mark_point(opacity=0)  # an image has no legend of its own
    scale_bearer = scale_bearer.encode(x=place["x"], y=place["y"], color=_colour(words.number, limit, middle))
    # A drag that takes a row's line moves the line, and selects nothing.
    begun = f"pointerdown[!event.item || event.item.mark.name !== '{readout.LINE}_marks']"
    drag = f"[{begun}, window:pointerup] > window:pointermove!"
    rectangle = [alt.selection_interval(name=selection, encodings=["x", "y"], on=drag)] if selection else []
    return image.spec("table", place, words, [scale_bearer], rectangle)


@built_once
def _wave_spec(words: Words, selection: str, last: int) -> dict[str, Any]:
    spec = _image_spec(words, 1.0, 0.0, selection)
    return readout.row_dragged(spec, "table", last=last, start=min(motion.START, last))


@built_once
def _split_spec(
    rows: str, columns: str, title: str, limit: float, square: bool, played: Parameter[Value]
) -> dict[str, Any]:
    place = image.place(rows, columns)
    scale_bearer = chart_of(motion.NOW).mark_point(opacity=0)
    scale_bearer = scale_bearer.encode(x=place["x"], y=place["y"], color=_colour(title, limit, 0.0))
    mark = chart_of("mark")
    rule = mark.mark_rule(strokeDash=[6, 3], strokeWidth=grown(1.5), color=_ON_IMAGE)
    words: dict[str, Any] = {
        "align": "left",
        "baseline": "top",
        "dx": 6,
        "dy": 4,
        "fontSize": grown(13),
        "fontWeight": "bold",
    }
    below: dict[str, Any] = {"x": alt.X("left:Q"), "y": alt.Y("place:Q"), "text": "label:N"}
    halo = mark.mark_text(**words, color=_HALO, stroke=_HALO, strokeWidth=4).encode(**below)
    label = mark.mark_text(**words, color=_ON_IMAGE).encode(**below)
    across = [rule.encode(x="place:Q")] if square else []
    layers = [scale_bearer, rule.encode(y="place:Q"), *across, halo, label]
    named = Words("Row", "Other row" if square else columns, title)
    return readout.row_together(image.spec("table", place, named, layers, played=played), "mark")


def _colour(title: str, limit: float, middle: float) -> alt.Color:
    scale = alt.Scale(domain=[middle - limit, middle + limit], range=list(DIVERGING), clamp=True)
    return alt.Color("value:Q").title(title).scale(scale).legend(orient="top", **gradient(110))
