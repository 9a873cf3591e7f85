r"""Swin's bias: a learned number per head for each difference of rows and columns, $B_{mn} = T[\mathrm{index}, h]$.

$$\mathrm{index} = (\Delta y + M_h - 1)(2 M_w - 1) + \Delta x + M_w - 1$$

for $\Delta y$ rows and $\Delta x$ columns from key to query, in a window of $M_h$ rows and $M_w$ columns. The table has
$(2 M_h - 1)(2 M_w - 1)$ rows, and an index says both differences: a column to the right is not a row down.

Swin attends within windows of 7 x 7 patches, and shifts the windows in every other layer. That is a mask, and not done
here: the whole text is one window, as wide as the grid. Its table has rows for the longest text that the model is asked
for, and no gradient reaches those of differences past training. Swin itself resizes the table by bicubic interpolation
where windows grow. Each layer of Swin has a table of its own, here one serves all.

Reference: Liu et al. 2021, "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", arXiv:2103.14030,
section 3.2.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings.adapters import Tabled
from pe_core.encodings.base import EncodingSpec, Shape
from pe_core.encodings.batch import heads_first, whole
from pe_core.encodings.grid import GRID_WIDTH, apart, rows_of
from pe_core.parameters import Paper, require


def index(positions: Tensor, *, height: int, width: int, n_queries: int | None = None) -> Tensor:
    """Return the row of the table for each query and key, int64, (T_q, T), from raster indices `positions` (T,).

    (B, 1, T_q, T) for `positions` (B, T). The queries are the last `n_queries`, all for None.

    Raises `ValueError` for keys `height` or more rows away and for positions between columns.
    """
    down, right = (whole(axis) for axis in apart(positions, width, n_queries=n_queries))
    farthest = int(down.abs().max()) if down.numel() else 0
    require(farthest < height, "positions", f"lie less than {height} rows apart, those of the table", farthest)
    return (down + height - 1) * (2 * width - 1) + right + width - 1


def bias(
    positions: Tensor, table: Tensor, *, width: int, n_queries: int | None = None, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return what is added to the scores of each head, (H, T_q, T), from `table` ((2 height - 1)(2 width - 1), H).

    (B, H, T_q, T) for `positions` (B, T). The queries are the last `n_queries`, all for None.

    Raises `ValueError` where the table has no such size for any height.
    """
    n_down, rest = divmod(len(table), 2 * width - 1)
    rule = f"have an odd multiple of {2 * width - 1} rows, one for each difference of columns"
    require(rest == 0 and n_down % 2 == 1, "table", rule, len(table))
    rows = index(positions, height=(n_down + 1) // 2, width=width, n_queries=n_queries)
    return heads_first(F.embedding(rows, table)).to(dtype)


def _make(shape: Shape, params: Mapping[str, Any]) -> Tabled:
    width = params["grid_width"]
    n_rows = (2 * rows_of(shape.max_length, width) - 1) * (2 * width - 1)

    def added(q: Tensor, k: Tensor, positions: Tensor, table: Tensor) -> Tensor:
        return bias(positions, table, width=width, n_queries=q.shape[-2], dtype=q.dtype)

    return Tabled(n_rows, shape.n_heads, added)


SPEC = EncodingSpec(
    key="swin",
    title="Swin bias table",
    family="bias",
    summary="The text is read as an image; each score gets a learned number for the rows and columns in between.",
    paper=Paper(
        "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", "Liu et al.", 2021, "2103.14030"
    ),
    make=_make,
    parameters=(GRID_WIDTH,),
)
