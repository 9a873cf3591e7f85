"""A matrix of scores read along its diagonals: what a score is at each distance, and how far it strays from that."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.parameters import require


@dataclass(frozen=True)
class ByDistance:
    """Mean, least and greatest score at each distance query minus key that has a finite score, shape (K,) each."""

    distances: Tensor
    means: Tensor
    lowest: Tensor
    highest: Tensor

    @property
    def spread(self) -> float:
        """By how much scores of the same distance differ at most: 0 if the distance says it all."""
        return float((self.highest - self.lowest).max())


def by_distance(scores: Tensor) -> ByDistance:
    """Return what the finite of `scores` (T, T), row = query, column = key, are at each distance, in float64.

    Raises `ValueError` if none of them is finite.
    """
    finite, length = scores.isfinite(), len(scores)
    require(bool(finite.any()), "scores", "have at least one finite number", "none")
    values = scores.double()
    counts = _along_diagonals(finite.double(), 0.0).sum(dim=0)
    means = _along_diagonals(values.where(finite, 0.0), 0.0).sum(dim=0) / counts
    lowest = _along_diagonals(values.where(finite, torch.inf), torch.inf).amin(dim=0)
    highest = _along_diagonals(values.where(finite, -torch.inf), -torch.inf).amax(dim=0)
    present = counts > 0
    distances = torch.arange(1 - length, length)
    # rounding of the sum must not put a mean outside of its own range
    inside = means.clamp(lowest, highest)
    return ByDistance(distances[present], inside[present], lowest[present], highest[present])


def _along_diagonals(values: Tensor, empty: float) -> Tensor:
    """Return `values` (T, T) with a column for each distance 1 - T ... T - 1 and `empty` where there is no number."""
    length = len(values)
    wide = values.new_full((length, 2 * length), empty)
    wide[:, :length] = values.flip(1)
    return wide.flatten()[:-length].view(length, 2 * length - 1)  # lines one shorter: each row stands one place further
