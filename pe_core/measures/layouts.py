"""What the three layouts of the sinusoidal table share and what they do not, measured against the paper's."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import Variant
from pe_core.measures.channels import paper_order


@dataclass(frozen=True)
class LayoutDifferences:
    """Largest absolute differences between a layout and the paper's, over the same positions."""

    stored: float  # column by column, as they stand
    reordered: float  # column by column, with the channels in the order of the paper
    squared_norms: float
    dot_products: float  # over all pairs of positions


def compare(positions: Tensor, dim: int, base: float, variant: Variant) -> LayoutDifferences:
    """Compare the table of a variant with the paper's at `positions` (T,)."""
    paper = sinusoidal.table(positions, dim, base=base, dtype=torch.float64)
    other = sinusoidal.table(positions, dim, base=base, variant=variant, dtype=torch.float64)
    products, other_products = paper @ paper.T, other @ other.T
    return LayoutDifferences(
        stored=_largest(paper - other),
        reordered=_largest(paper - other[:, paper_order(dim, variant)]),
        squared_norms=_largest((products - other_products).diagonal()),
        dot_products=_largest(products - other_products),
    )


def spread(tables: Tensor) -> float:
    """Return the largest difference between any two of `tables` (N, ...) at the same place."""
    return (tables.amax(dim=0) - tables.amin(dim=0)).max().item()


def _largest(difference: Tensor) -> float:
    return difference.abs().max().item()
