r"""T5's buckets: where each begins, which of them a text of the training length never meets, and a table for them.

Source: Raffel et al. 2020, arXiv:1910.10683, section 2.1, with the rule of its published code (`t5.bucket`). The table
that follows another bias, and stays as it was where nothing was met, is a stand-in of our own for training.
"""

import torch
from torch import Tensor

from pe_core.encodings import t5
from pe_core.parameters import require


def buckets(distances: Tensor, n_buckets: int, max_distance: int) -> Tensor:
    """Return the causal bucket of each of `distances` (query minus key, in tokens), int64, same shape."""
    return t5.bucket(-distances, n_buckets=n_buckets, max_distance=max_distance)


def first_distances(n_buckets: int, max_distance: int) -> dict[int, int]:
    """Return the first distance of each bucket that any distance falls into."""
    found = buckets(torch.arange(max(n_buckets, max_distance) + 1), n_buckets, max_distance).tolist()
    return {bucket: found.index(bucket) for bucket in sorted(set(found))}


def met(n_buckets: int, max_distance: int, train_length: int) -> Tensor:
    """Return whether a text of `train_length` tokens has a distance in each bucket, boolean, shape (n_buckets,).

    Raises `ValueError` for a training length below 1.
    """
    require(train_length >= 1, "train_length", "be at least 1", train_length)
    counts = buckets(torch.arange(train_length), n_buckets, max_distance).bincount(minlength=n_buckets)
    return counts > 0


def following(target: Tensor, table: Tensor, max_distance: int) -> Tensor:
    """Return a table (n_buckets,), float64: the mean of `target` over the distances of each bucket.

    `target` (train_length,) is the bias at distances 0, 1, 2 ... of a text of the training length. A bucket that holds
    none of these distances keeps its number of `table` (n_buckets,).
    """
    found = buckets(torch.arange(len(target)), len(table), max_distance)
    counts = found.bincount(minlength=len(table))
    sums = torch.zeros(len(table), dtype=torch.float64).index_add(0, found, target.double())
    return torch.where(counts > 0, sums / counts.clamp(min=1), table.double())
