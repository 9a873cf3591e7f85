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


def read_by_heads(scores: Tensor) -> dict[tuple[int, ...], ByDistance]:
    """Return what `scores` (H, T, T) are at each distance, once for the heads that have the same."""
    return {tuple(heads): by_distance(scores[heads[0]]) for heads in same_heads(scores)}


def same_heads(scores: Tensor) -> list[list[int]]:
    """Return the heads of `scores` (H, T, T) in groups with equal scores, up to rounding."""
    groups: list[list[int]] = []
    for head, own in enumerate(scores):
        twin = next((group for group in groups if _same(scores[group[0]], own)), None)
        if twin is None:
            groups.append([head])
        else:
            twin.append(head)
    return groups


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two matrices are equal up to rounding; most that are not differ in their last row already."""
    parts = slice(-1, None), slice(None)
    return all(torch.allclose(one[part], other[part], rtol=0, atol=1e-12) for part in parts)
