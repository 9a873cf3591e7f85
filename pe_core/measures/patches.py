r"""How alike one patch of an image finds all the others, by position alone.

Every encoding here gives each patch p a code $c_p$; its similarity to patch n is $c_p \cdot c_n / \lVert c_p \rVert^2$,
1 for the patch itself. For an encoding that is added the code is the vector that is added. For one that turns queries
and keys it is a vector of ones, turned: the dot product of two of them is the score of a query and a key of equal
content in which every pair weighs the same, $\tfrac{2}{d} \sum_i \cos(\Delta y\,\omega^y_i + \Delta x\,\omega^x_i)$.
So with the same base the sinusoid of MAE and axial RoPE give the same similarities.

Reference: He et al. 2021 (MAE), arXiv:2111.06377; Carion et al. 2020 (DETR), arXiv:2005.12872; Heo et al. 2024,
"Rotary Position Embedding for Vision Transformer", arXiv:2403.13298, section 3.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.encodings import rope_2d, sincos_2d, sinusoidal
from pe_core.encodings.grid import coordinates
from pe_core.parameters import require

DIM = 64  # channels of a code
MAX_SIDE = 24  # patches; 384 pixels in patches of 16
F64 = torch.float64


@dataclass(frozen=True)
class Patches:
    """An image of rows x columns patches, read row by row."""

    n_rows: int
    n_columns: int

    def __post_init__(self) -> None:
        for name, side in (("n_rows", self.n_rows), ("n_columns", self.n_columns)):
            require(2 <= side <= MAX_SIDE, name, f"be from 2 to {MAX_SIDE}", side)

    @property
    def places(self) -> Tensor:
        """Row and column of each patch, int64, shape (T, 2)."""
        return coordinates(torch.arange(self.n_rows * self.n_columns), self.n_columns)

    def index(self, row: int, column: int) -> int:
        """Return the place of a patch in the sequence; `ValueError` if there is none."""
        require(0 <= row < self.n_rows, "row", f"be from 0 to {self.n_rows - 1}", row)
        require(0 <= column < self.n_columns, "column", f"be from 0 to {self.n_columns - 1}", column)
        return row * self.n_columns + column


@dataclass(frozen=True)
class PatchCode:
    """One encoding of patches: its name, the base that its paper uses, and its codes.

    `codes` takes the patches, a base, and the direction of a head in radians, which only mixed RoPE has, and returns
    the codes, float64, shape (T, 64).
    """

    title: str
    base: float
    codes: Callable[[Patches, float, float], Tensor]


def flat_codes(patches: Patches, base: float, direction: float) -> Tensor:
    """Return a sinusoid of the place in the sequence: what plain RoPE, or a table for text, makes of an image."""
    index = torch.arange(patches.n_rows * patches.n_columns)
    return sinusoidal.table(index, DIM, base=base, dtype=F64)


def mae_codes(patches: Patches, base: float, direction: float) -> Tensor:
    """Return the table of MAE: a sinusoid of the column, then one of the row."""
    rows, columns = patches.places.unbind(-1)
    return sincos_2d.mae_table(rows, columns, DIM, base=base, dtype=F64)


def detr_codes(patches: Patches, base: float, direction: float) -> Tensor:
    """Return the table of DETR: sinusoids of row and column as shares of the image."""
    rows, columns = patches.places.unbind(-1)
    return sincos_2d.detr_table(
        rows, columns, DIM, height=patches.n_rows, width=patches.n_columns, base=base, dtype=F64
    )


def axial_codes(patches: Patches, base: float, direction: float) -> Tensor:
    """Return a vector of ones, half of its pairs turned by the row and half by the column."""
    return _turned(patches, rope_2d.axial_frequencies(DIM, base))


def mixed_codes(patches: Patches, base: float, direction: float) -> Tensor:
    """Return a vector of ones, every pair turned along the direction of one head, before that head has learned."""
    return _turned(patches, rope_2d.mixed_frequencies(torch.tensor([direction], dtype=F64), DIM, base)[:, 0])


def _turned(patches: Patches, frequencies: Tensor) -> Tensor:
    places = patches.places
    return rope_2d.rotate(torch.ones(len(places), DIM, dtype=F64), places, frequencies)


PATCH_CODES: dict[str, PatchCode] = {
    "flat": PatchCode("Plain index", 10_000.0, flat_codes),
    "mae": PatchCode("2-D sinusoid (MAE)", 10_000.0, mae_codes),
    "detr": PatchCode("2-D sinusoid (DETR)", 10_000.0, detr_codes),
    "axial": PatchCode("Axial RoPE", 100.0, axial_codes),
    "mixed": PatchCode("Mixed RoPE, one head", 10.0, mixed_codes),
}


def similarity(codes: Tensor, patch: int) -> Tensor:
    """Return how alike each of the codes (T, D) is to that of `patch`, as a share of the latter's own, shape (T,)."""
    require(0 <= patch < len(codes), "patch", f"be from 0 to {len(codes) - 1}", patch)
    return codes @ codes[patch] / codes[patch].square().sum()


def nearer_than(similarities: Tensor, patch: int, other: int) -> int:
    """Return how many patches, `patch` itself left out, are more alike to it than `other` is, by more than rounding."""
    above = similarities > similarities[other] + 1e-9
    above[patch] = False
    return int(above.sum())


def depends_on(values: Tensor, patches: Patches) -> str:
    """Return which coordinate decides the values (T,) of the patches: "row", "column", "both", or "neither"."""
    grid = values.view(patches.n_rows, patches.n_columns)
    by_row, by_column = (bool((grid.diff(dim=axis).abs() > 1e-12).any()) for axis in (0, 1))
    if by_row and by_column:
        return "both"
    return "row" if by_row else "column" if by_column else "neither"
