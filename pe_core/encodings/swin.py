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

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries
from pe_core.encodings.distance import heads_first, whole
from pe_core.encodings.grid import GRID_WIDTH, apart, rows_of
from pe_core.parameters import require
from pe_core.registry import Paper


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
    positions: Tensor,
    table: Tensor,
    *,
    width: int,
    n_queries: int | None = None,
    dtype: torch.dtype = torch.float32,
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


class Swin(PositionalEncoding):
    """Add the number of the difference in every layer, positions read as raster indices; T starts as N(0, 0.02^2)."""

    def __init__(self, n_heads: int, *, grid_height: int, grid_width: int) -> None:
        super().__init__()
        self.grid_width = grid_width
        self.table = nn.Parameter(torch.empty((2 * grid_height - 1) * (2 * grid_width - 1), n_heads))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.table, std=0.02, generator=generator)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        n_queries = count_queries(q, k, positions)
        return bias(positions, self.table, width=self.grid_width, n_queries=n_queries, dtype=q.dtype)


SPEC = EncodingSpec(
    key="swin",
    title="Swin bias table",
    family="bias",
    hooks=("bias",),
    summary="The text is read as an image; each score gets a learned number for the rows and columns in between.",
    paper=Paper(
        "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", "Liu et al.", 2021, "2103.14030"
    ),
    make=lambda shape, params: Swin(
        shape.n_heads,
        grid_height=rows_of(shape.max_length, params["grid_width"]),
        grid_width=params["grid_width"],
    ),
    parameters=(GRID_WIDTH,),
)
