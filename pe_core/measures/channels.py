r"""What stands in one column of the sinusoidal table: the sine or the cosine of one pair, in each of the three layouts.

Also what the layouts share and what they do not, measured against the paper's.

The table itself is made for all columns at once by `pe_core.encodings.sinusoidal`; here a single column can be named,
followed between whole positions, and found again in another layout.
"""

from dataclasses import dataclass
from math import inf, pi
from typing import Literal

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import Variant
from pe_core.parameters import require

Wave = Literal["sine", "cosine", "zero"]
WAVES: tuple[Wave, Wave] = ("sine", "cosine")


@dataclass(frozen=True)
class Channel:
    """One column of the table; `frequency` is in radians per position and 0 for the column of zeros."""

    index: int
    pair: int
    wave: Wave
    frequency: float

    @property
    def wavelength(self) -> float:
        """Positions per full turn; infinite for the column of zeros."""
        return 2 * pi / self.frequency if self.frequency else inf

    @property
    def ahead(self) -> float:
        """By how many radians the wave is ahead of a sine that starts at 0."""
        return pi / 2 if self.wave == "cosine" else 0.0

    def values(self, positions: Tensor) -> Tensor:
        """Return the column at any positions, also between whole ones, float64, shape (T,)."""
        angle = positions.to(torch.float64) * self.frequency
        return angle.cos() if self.wave == "cosine" else angle.sin()


def channel(index: int, dim: int, base: float, *, variant: Variant = "paper") -> Channel:
    """Return what stands in column `index` of a table of `dim` columns."""
    require(0 <= index < dim, "index", f"be from 0 to {dim - 1}", index)
    return channels(dim, base, variant=variant)[index]


def channels(dim: int, base: float, *, variant: Variant = "paper") -> list[Channel]:
    """Return what stands in each column of a table of `dim` columns."""
    frequencies: list[float] = sinusoidal.frequencies(dim, base, variant=variant).tolist()
    if variant == "paper":
        pairs = [(pair, wave) for pair in range(len(frequencies)) for wave in WAVES][:dim]
    else:
        pairs = [(pair, wave) for wave in WAVES for pair in range(len(frequencies))][:dim]
    found = [Channel(index, pair, wave, frequencies[pair]) for index, (pair, wave) in enumerate(pairs)]
    if len(found) < dim:  # an odd width of `tensor2tensor` is filled up
        found.append(Channel(len(found), len(frequencies), "zero", 0.0))
    return found


def first_channels(dim: int, *, variant: Variant = "paper") -> list[int]:
    """Return the sine channels of the fastest, the middle and the slowest pair, as far as there are so many."""
    pairs = evenly(len(sinusoidal.frequencies(dim, variant=variant)), 3)
    return [2 * pair if variant == "paper" else pair for pair in pairs] or [0]


def paper_order(dim: int, variant: Variant) -> Tensor:
    """Return which column of the variant stands where in the paper's layout, int64, shape (dim,).

    `table(..., variant=variant)[:, paper_order(dim, variant)]` has the channels in the order of the paper.
    """
    require(dim >= 1, "dim", "be at least 1", dim)
    if variant == "paper":
        return torch.arange(dim)
    n_sines = len(sinusoidal.frequencies(dim, variant=variant))
    place = torch.arange(dim)
    pair, wave = (place // 2), place % 2
    return torch.where(place < 2 * n_sines, pair + wave * n_sines, place)


def unfinished(frequencies: Tensor, length: int) -> int:
    """Return how many pairs never complete a turn within `length` positions: those with a longer wavelength."""
    return int((sinusoidal.wavelengths(frequencies) > length).sum())


def evenly(n_items: int, n_chosen: int) -> list[int]:
    """Return up to `n_chosen` indices below `n_items`, evenly spread, with the first and the last among them."""
    return torch.linspace(0, n_items - 1, min(n_items, n_chosen)).round().long().tolist() if n_items else []


def differences(positions: Tensor, dim: int, base: float, variant: Variant) -> dict[str, float]:
    """Return the largest differences between the tables of a variant and of the paper at `positions` (T,).

    They are those of channels as they are "stored", and "reordered" as in the paper; of squared "norms" of rows;
    and of the dot "products" of any two rows.
    """
    paper = sinusoidal.table(positions, dim, base=base, dtype=torch.float64)
    other = sinusoidal.table(positions, dim, base=base, variant=variant, dtype=torch.float64)
    products, other_products = paper @ paper.T, other @ other.T
    return {
        "stored": _largest(paper - other),
        "reordered": _largest(paper - other[:, paper_order(dim, variant)]),
        "norms": _largest((products - other_products).diagonal()),
        "products": _largest(products - other_products),
    }


def spread(tables: Tensor) -> float:
    """Return the largest difference between any two of `tables` (N, ...) at the same place."""
    return (tables.amax(dim=0) - tables.amin(dim=0)).max().item()


def _largest(difference: Tensor) -> float:
    return difference.abs().max().item()
