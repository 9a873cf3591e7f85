"""Scores against the distance: a line for the heads that have the same, in its whole range."""

from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.figures.figure import Figure
from pe_core.figures.lines import Axes, banded
from pe_core.measures.distances import ByDistance


def against_distance(found: Sequence[ByDistance], groups: Sequence[Sequence[int]], *, title: str) -> Figure:
    """Return the mean of scores at each distance query minus key, a line for each group of heads, with its whole range.

    `found` is what the scores of each head are at each distance; the heads of a group have the same.
    """
    curves = {}
    for heads in groups:
        own = found[heads[0]]
        curves[_heads_in_words(heads, len(found))] = (own.distances, own.means, own.lowest, own.highest)
    return banded(curves, Axes("Distance m − n, query minus key", title, zero=False, columns=4, line="Head"))


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


def _heads_in_words(heads: Sequence[int], n_heads: int) -> str:
    if len(heads) == n_heads:
        return "all heads" if n_heads > 1 else "mean and range"
    return f"head{'s' if len(heads) > 1 else ''} {', '.join(map(str, heads))}"
