"""Pictures of the chapter on the sinusoidal encoding: the table, its columns and rows, and what holds between them.

`length` counts the positions, `width` the channels; `layout` is one of `pe_core.encodings.sinusoidal.VARIANTS`.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import Variant
from pe_core.figures import dials, heatmap, points
from pe_core.figures import waves as figures
from pe_core.figures.figure import Figure
from pe_core.measures.channels import channel, evenly
from pe_core.measures.similarity import complete_pairs

MOST_DETAIL = 16  # cells a side: each is then wide enough to be pointed at
MOST_SHIFTED = 32  # channels of the matrix that are drawn: its blocks are then wide enough to be seen
FIRST = 5  # positions of the picture of the first ones
FIRST_PAIRS = ("First pair: the only one at width 2", "Second pair, from width 4 on")


def _values(length: int, width: int, base: float, layout: Variant) -> Tensor:
    """Return the table of positions 0 .. length - 1, shape (length, width)."""
    return sinusoidal.table(torch.arange(length), width, base=base, variant=layout)


def table(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the table as a picture over which a part can be dragged."""
    numbers = _values(length, width, base, layout)
    return heatmap.picture(numbers, rows="Position", columns="Channel", title="Value", selection="part")


def one_layout(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the table in one layout, to be seen beside the others."""
    return heatmap.picture(_values(length, width, base, layout), rows="Position", columns="Channel", title="Value")


def part(position: int, channel: int, length: int, width: int) -> tuple[slice, slice]:
    """Return the rows and the columns around one cell that the detail shows, fewer where there are no more."""
    return heatmap.part_around(position, MOST_DETAIL, length), heatmap.part_around(channel, MOST_DETAIL, width)


def detail_values(rows: slice, columns: slice, width: int, base: float, layout: Variant) -> Tensor:
    """Return the values of a part of the table, shape (rows, columns)."""
    positions = torch.arange(rows.start, rows.stop)
    return sinusoidal.table(positions, width, base=base, variant=layout)[:, columns]


def detail(position: int, channel: int, length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return up to 16 by 16 cells of the table around one of them."""
    rows, columns = part(position, channel, length, width)
    numbers = detail_values(rows, columns, width, base, layout)
    first = {"first_row": rows.start, "first_column": columns.start}
    return heatmap.heatmap(numbers, rows="Position", columns="Channel", title="Value", **first)


def waves(channels: Sequence[int], length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return some columns of the table as waves over the position."""
    return figures.waves([channel(index, width, base, variant=layout) for index in channels], length)


def wavelengths(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the wavelength of every pair, with a line at the length of the table."""
    return points.wavelengths(sinusoidal.frequencies(width, base, variant=layout), length)


def clock_hands(width: int, base: float, layout: Variant) -> Figure:
    """Return the pairs as hands of clocks, evenly chosen where there are many."""
    frequencies = sinusoidal.frequencies(width, base, variant=layout)
    return dials.clocks(frequencies, evenly(len(frequencies), dials.MAX_CLOCKS))


def first_tables(bases: Sequence[float], width: int) -> list[Tensor]:
    """Return the table of the first positions for each base, float64, shape (5, width) each."""
    positions = torch.arange(FIRST)
    return [sinusoidal.table(positions, width, base=base, dtype=torch.float64) for base in bases]


def first_positions(bases: Sequence[float]) -> Figure:
    """Return the first positions on the circles of the two pairs of width 4, one column for each base."""
    return dials.circles(first_tables(bases, 4), [f"base {base:,.10g}" for base in bases], FIRST_PAIRS)


def similarity(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the similarity of two positions against their distance, over the complete pairs."""
    return figures.similarity(complete_pairs(width, base, variant=layout), length)


def shift_matrix(offset: int, width: int, base: float) -> Figure:
    """Return the first channels of the matrix that moves every position by `offset`, in the paper's layout."""
    matrix = sinusoidal.shift_matrix(offset, width, base=base)[:MOST_SHIFTED, :MOST_SHIFTED]
    return heatmap.heatmap(matrix, rows="Channel of PE(p + k)", columns="Channel of PE(p)", title="Entry")
