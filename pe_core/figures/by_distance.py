"""Scores against the distance: a line for the heads that have the same, in its whole range."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from pe_core.figures.curves import across, curves, layered, ranges, upwards
from pe_core.figures.figure import Figure
from pe_core.measures.distances import ByDistance, by_distance


def read_by_heads(scores: Tensor) -> dict[tuple[int, ...], ByDistance]:
    """Return what `scores` (H, T, T) are at each distance, once for the heads that have the same."""
    return {tuple(heads): by_distance(scores[heads[0]]) for heads in same_heads(scores)}


def against_distance(found: Mapping[tuple[int, ...], ByDistance], *, title: str) -> Figure:
    """Return the mean of scores at each distance query minus key, a line for heads that share it, with its whole range.

    `found` is what `read_by_heads` returns.
    """
    n_heads = sum(map(len, found))
    rows = ranges(
        {
            _heads_in_words(heads, n_heads): (own.distances, own.means, own.lowest, own.highest)
            for heads, own in found.items()
        }
    )
    x, y = across("Offset m − n, query minus key"), upwards(title, zero=False)
    return layered(curves(rows, x, y, band=True, spread=True, columns=4, line="Head"))


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
