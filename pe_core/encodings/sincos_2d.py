r"""Sinusoids of two dimensions: half of the width encodes the row y, half the column x.

There are two published forms:

- MAE: each half is all sines, then all cosines of $\omega_i = b^{-i/(D/4)}$, coordinates count from 0. The published
  code stacks its grid with the width first, so its *first* half encodes the **column**, although it is named for the
  height; ports that "mend" this put the row first and cannot read the published weights. The row of zeros for the class
  token is left out here: there is no such token.
- DETR: the **row** comes first, sines and cosines of $\omega_i = b^{-2i/(D/2)}$ alternate. Coordinates count from 1 and
  are divided by the extent of the image, $2\pi (y + 1) / (h + 10^{-6})$: the same place in a taller image gets another
  vector, and so does every place when a text grows by a row.

DETR adds its table to the queries and keys of every layer. Here both are added to the embeddings, once.
Reference: He et al. 2021, "Masked Autoencoders Are Scalable Vision Learners", arXiv:2111.06377, after Chen, Xie & He
2021 (MoCo v3), arXiv:2104.02057; Carion et al. 2020, "End-to-End Object Detection with Transformers", arXiv:2005.12872,
appendix A.4 and its published code.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.adapters import Embedded
from pe_core.encodings.base import EncodingSpec, PositionalEncoding, Shape
from pe_core.encodings.batch import add, each_text
from pe_core.encodings.grid import GRID_WIDTH, coordinates
from pe_core.parameters import Paper, require

EPSILON = 1e-6  # DETR adds it to the extent, for images that are all padding


def mae_table(
    rows: Tensor, columns: Tensor, dim: int, *, base: float = 10_000.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return sines and cosines of the column, then of the row, (T, dim), from `rows` and `columns` (T,).

    Those of a batch are (B, T), and so is the table. `ValueError` unless `dim` is divisible by 4.
    """
    _check_width("dim", dim)
    halves = [
        sinusoidal.table(places, dim // 2, base=base, variant="concatenated", dtype=dtype) for places in (columns, rows)
    ]
    return torch.cat(halves, dim=-1)


def detr_table(
    rows: Tensor,
    columns: Tensor,
    dim: int,
    *,
    height: int,
    width: int,
    base: float = 10_000.0,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return alternating sines and cosines of the row, then of the column, shape (T, dim), of an image of that extent.

    `rows` and `columns` (T,) count from 0. `ValueError` unless `dim` is divisible by 4 and the extent at least 1.
    """
    _check_width("dim", dim)
    require(height >= 1, "height", "be at least 1", height)
    require(width >= 1, "width", "be at least 1", width)
    halves = [
        sinusoidal.table(
            2 * math.pi * (places.to(torch.float64) + 1) / (extent + EPSILON), dim // 2, base=base, dtype=dtype
        )
        for places, extent in ((rows, height), (columns, width))
    ]
    return torch.cat(halves, dim=-1)


def _check_width(name: str, width: int) -> None:
    require(width % 4 == 0, name, "be divisible by 4, sine and cosine of two coordinates", width)


def _mae_table_of_text(positions: Tensor, dim: int, *, grid_width: int, base: float, dtype: torch.dtype) -> Tensor:
    rows, columns = coordinates(positions, grid_width).unbind(-1)
    return mae_table(rows, columns, dim, base=base, dtype=dtype)


def _make_mae(shape: Shape, params: Mapping[str, Any]) -> Embedded:
    _check_width("d_model", shape.d_model)
    return Embedded(_mae_table_of_text, **params)


class DetrTable(PositionalEncoding):
    """Add the table of DETR to the embeddings, for an image as tall as the text needs; nothing is learned."""

    def __init__(self, d_model: int, *, grid_width: int, base: float) -> None:
        super().__init__()
        _check_width("d_model", d_model)
        self.grid_width = grid_width
        self.base = base

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        vectors = torch.stack([self._table(text, x) for text in each_text(positions)])  # each has a height of its own
        return add(x, vectors if positions.ndim == 2 else vectors[0])

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        texts = zip(each_text(cached), each_text(new), strict=True)
        steady = all(self._height(before) == self._height(text) for before, text in texts)
        require(steady, "positions", "lie in the last row of those in the cache: its image would grow", new.tolist())

    def _table(self, positions: Tensor, x: Tensor) -> Tensor:
        rows, columns = coordinates(positions, self.grid_width).unbind(-1)
        height, width = self._height(positions), self.grid_width
        return detr_table(rows, columns, x.shape[-1], height=height, width=width, base=self.base, dtype=x.dtype)

    def _height(self, positions: Tensor) -> int:
        return int(max(coordinates(positions, self.grid_width)[:, 0].tolist(), default=0)) + 1


MAE = EncodingSpec(
    key="sincos_2d_mae",
    title="2-D sinusoid (MAE)",
    family="absolute",
    summary="The text is read as an image; half of the channels are a sinusoid of the column, half of the row.",
    paper=Paper("Masked Autoencoders Are Scalable Vision Learners", "He et al.", 2021, "2111.06377"),
    make=_make_mae,
    parameters=(sinusoidal.BASE, GRID_WIDTH),
)

DETR = EncodingSpec(
    key="sincos_2d_detr",
    title="2-D sinusoid (DETR)",
    family="absolute",
    summary="A sinusoid of row and of column, each as a share of the height and the width of the image.",
    paper=Paper("End-to-End Object Detection with Transformers", "Carion et al.", 2020, "2005.12872"),
    make=lambda shape, params: DetrTable(shape.d_model, grid_width=params["grid_width"], base=params["base"]),
    parameters=(sinusoidal.BASE, GRID_WIDTH),
)
