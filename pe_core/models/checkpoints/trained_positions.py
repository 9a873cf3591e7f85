r"""What trained weights say about positions: tables of vectors, relative biases, and how RoPE's channels are used.

A row that was never trained still has its random start: its cosine with a neighbouring row is about $N(0, 1/d)$, so
below $4/\sqrt d$ nearly always, while trained neighbours are alike. Rows of zeros are none that a token was added to.

The norm of the rows of $W_q$ that make a pair says how much of a query may stand in this pair; with normalised input
the sum of squares of both rows is the expected squared length. So norms by frequency show which wavelengths a head
uses: Barbero et al. 2024, "Round and Round We Go! What makes Rotary Positional Encodings useful?",
arXiv:2410.06205, who measure activations in place of weights.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.encodings import t5
from pe_core.models.positions import Layout
from pe_core.parameters import require

SIGMAS = 4.0  # of the cosine of two random rows
NARROW = 64  # channels below which random rows are alike too often to tell them from trained ones


def cosine_by_offset(table: Tensor, offsets: Sequence[int]) -> Tensor:
    """Return the mean cosine of rows that lie so far apart, float64, (K,), from `table` (T, D); rows of zeros aside.

    NaN where no two rows lie so far apart.
    """
    rows = table.double()
    length = rows.norm(dim=-1)
    unit = rows / length.clamp(min=torch.finfo(torch.float64).tiny)[:, None]
    there = length > 0
    means = []
    for offset in offsets:
        require(offset >= 1, "offset", "be at least 1", offset)
        products = (unit[offset:] * unit[: max(len(unit) - offset, 0)]).sum(dim=-1)
        both = there[offset:] & there[: max(len(there) - offset, 0)]
        means.append(products[both].mean())
    return torch.stack(means)


def never_trained(table: Tensor) -> Tensor:
    """Return which rows of `table` (T, D) look as if they were never trained, boolean, (T,).

    Those are rows of zeros, and of tables of 64 channels or more those that are like neither neighbour.
    """
    rows = table.double()
    length = rows.norm(dim=-1)
    empty: Tensor = length == 0
    if rows.shape[-1] < NARROW or len(rows) < 2:
        return empty
    unit = rows / length.clamp(min=torch.finfo(torch.float64).tiny)[:, None]
    alike = (unit[1:] * unit[:-1]).sum(dim=-1).abs() >= SIGMAS / math.sqrt(rows.shape[-1])
    none = alike.new_zeros(1)
    found: Tensor = empty | ~(torch.cat([alike, none]) | torch.cat([none, alike]))
    return found


def runs(flags: Tensor) -> list[tuple[int, int]]:
    """Return the first and last index of every run of true values of `flags` (T,)."""
    edges = torch.diff(flags.int(), prepend=torch.zeros(1, dtype=torch.int), append=torch.zeros(1, dtype=torch.int))
    starts, ends = (edges == 1).nonzero().flatten(), (edges == -1).nonzero().flatten() - 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def bias_by_distance(table: Tensor, distances: Tensor, *, max_distance: int, bidirectional: bool) -> Tensor:
    """Return the bias of T5 at each distance, (K, H), from `table` (n_buckets, H).

    `distances` are query minus key: where it is bidirectional, negative ones are keys after the query.
    """
    rows = t5.bucket(-distances, n_buckets=len(table), max_distance=max_distance, bidirectional=bidirectional)
    return table[rows].double()


def window_of(n_rows: int) -> int | None:
    """Return the width of the square window that a bias table of Swin has so many rows for, None where there is none.

    A table has (2 width - 1)^2 rows.
    """
    side = math.isqrt(n_rows)
    return (side + 1) // 2 if side * side == n_rows and side % 2 else None


def bias_by_ring(table: Tensor) -> Tensor:
    """Return the mean bias of Swin over keys that are r rows or columns away at most, and in one of both just r.

    From `table` ((2 width - 1)^2, H), as (width, H), float64, for r = 0 ... width - 1. Raises `ValueError` for a table
    of another size.
    """
    width = window_of(len(table))
    require(width is not None, "table", "have a square of an odd number of rows", len(table))
    assert width is not None  # for the type checker: the line above has raised
    away = torch.arange(1 - width, width).abs()
    ring = torch.maximum(away[:, None], away).flatten()
    return torch.stack([table[ring == r].double().mean(dim=0) for r in range(width)])


def pair_norms(weight: Tensor, *, head_dim: int, n_rotated: int, layout: Layout) -> Tensor:
    """Return the norm of the two rows of each pair in each head, float64, (H, pairs), from `weight` (H head_dim, D).

    The first `n_rotated` channels of a head turn. Raises `ValueError` where the rows are no whole number of heads.
    """
    require(len(weight) % head_dim == 0, "rows", f"be a multiple of the width of a head ({head_dim})", len(weight))
    norms = torch.linalg.vector_norm(weight, dim=-1, dtype=torch.float64)  # no copy of a large matrix
    squares = norms.square().view(-1, head_dim)[:, :n_rotated]
    shape, axis = ((-1, n_rotated // 2, 2), -1) if layout == "neighbours" else ((-1, 2, n_rotated // 2), -2)
    pairs: Tensor = squares.reshape(shape).sum(dim=axis).sqrt()
    return pairs
