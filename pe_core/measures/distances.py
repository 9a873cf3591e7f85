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
    place = torch.arange(len(scores))
    distance = place[:, None] - place[None, :]
    finite = scores.isfinite()
    require(bool(finite.any()), "scores", "have a finite number", "none")
    where, values = distance[finite] + len(scores) - 1, scores[finite].double()
    counts = where.bincount(minlength=2 * len(scores) - 1)
    empty = values.new_zeros(len(counts))
    means = empty.index_add(0, where, values) / counts
    lowest = empty.scatter_reduce(0, where, values, "amin", include_self=False)
    highest = empty.scatter_reduce(0, where, values, "amax", include_self=False)
    present = counts > 0
    distances = torch.arange(1 - len(scores), len(scores))
    # rounding of the sum must not put a mean outside of its own range
    inside = means.clamp(lowest, highest)
    return ByDistance(distances[present], inside[present], lowest[present], highest[present])
