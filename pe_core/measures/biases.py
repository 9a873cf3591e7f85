r"""Biases of the distance alone: what they make of a row of attention, T5's buckets, ALiBi's slopes and its two forms.

Rows. With keys of equal content the scores of a row differ by nothing but the bias, so its weights are the softmax of
the bias. The effective number of keys is $e^H$ of the row's entropy $H = -\sum_n w_n \ln w_n$, its perplexity: k
weights of 1/k have k. Where the bias of ALiBi is added and with what sign: Press, Smith & Lewis 2021, arXiv:2108.12409,
section 3.

Buckets. Raffel et al. 2019, arXiv:1910.10683, section 2.1, with the rule of its published code (`t5.bucket`).

Forms. ALiBi as $-a\,(m - n)$, and as $a\,n$, which knows the key only, as in its published code. The two differ by
$a\,m$, one number for all keys of a row, which the softmax does not notice. But the numbers of the second grow with the
text, and in a format of few digits neighbours become equal. The comparison is ours.
"""

import torch
from torch import Tensor

from pe_core.encodings import t5
from pe_core.parameters import require

PRECISIONS = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def attention(bias: Tensor) -> Tensor:
    """Return the weights (T, T) of keys up to the query, row = query, from `bias` (T, T) and equal scores, float64."""
    future = torch.ones(bias.shape, dtype=torch.bool).triu(1)
    return bias.double().masked_fill(future, -torch.inf).softmax(-1)


def effective_keys(weights: Tensor) -> Tensor:
    """Return how many keys of equal weight would be as spread out as each row of `weights` (..., K), float64, (...)."""
    entropy: Tensor = torch.special.entr(weights.double()).sum(-1)
    return entropy.exp()


def fraction_within(weights: Tensor, window: int) -> float:
    """Return the fraction of a row of `weights` (K,), the query's own key last, that goes to the last `window` keys.

    Raises `ValueError` for a window below 1.
    """
    require(window >= 1, "window", "be at least 1", window)
    return float(weights[-window:].double().sum() / weights.double().sum())


def right_row(n_keys: int, slope: float) -> Tensor:
    """Return the weights of the last of `n_keys` queries under -slope * (m - n), float64, shape (n_keys,)."""
    return (-slope * _distances(n_keys)).softmax(-1)


def mistaken_row(n_keys: int, slope: float) -> Tensor:
    """Return the weights of the same row where a negative slope is multiplied by n - m: two minus signs, a reward."""
    return (-slope * -_distances(n_keys)).softmax(-1)


def row_added_after(n_keys: int, slope: float) -> Tensor:
    """Return the same row where the bias is added to weights instead of scores: their sum is no longer 1."""
    distances = _distances(n_keys)
    return torch.zeros_like(distances).softmax(-1) - slope * distances


def mask_added_after(n_keys: int) -> Tensor:
    """Return the first query's row where the causal mask, -inf for later keys, is added to weights as well."""
    later = torch.arange(n_keys) > 0
    return torch.zeros_like(_distances(n_keys)).softmax(-1).masked_fill(later, -torch.inf)


def _distances(n_keys: int) -> Tensor:
    require(n_keys >= 1, "n_keys", "be at least 1", n_keys)
    return torch.arange(n_keys - 1, -1, -1, dtype=torch.float64)


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
    none of these distances keeps its number of `table` (n_buckets,). This is a stand-in of our own for training.
    """
    found = buckets(torch.arange(len(target)), len(table), max_distance)
    counts = found.bincount(minlength=len(table))
    sums = torch.zeros(len(table), dtype=torch.float64).index_add(0, found, target.double())
    return torch.where(counts > 0, sums / counts.clamp(min=1), table.double())


def geometric(n_heads: int) -> Tensor:
    """Return 2^(-8h/H), h = 1 .. H, float64, shape (H,): ALiBi's slopes only where H is a power of two."""
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    return 2.0 ** (-8.0 * torch.arange(1, n_heads + 1, dtype=torch.float64) / n_heads)


def max_power_of_two(n_heads: int) -> int:
    """Return the largest power of two that is no more than `n_heads`: so many heads have that power's own slopes."""
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    return 1 << (n_heads.bit_length() - 1)


def forms(n_keys: int, slope: float, precision: str) -> tuple[Tensor, Tensor]:
    """Return the bias of the last of `n_keys` queries as -a (m - n) and as a n, rounded, float64, key 0 first.

    Each has the shape (n_keys,). `precision` is a format of `PRECISIONS`. Raises `ValueError` for no keys and for a
    format that is not there.
    """
    require(n_keys >= 1, "n_keys", "be at least 1", n_keys)
    require(precision in PRECISIONS, "precision", f"be one of {', '.join(PRECISIONS)}", precision)
    key, dtype = torch.arange(n_keys, dtype=torch.float64), PRECISIONS[precision]
    return (slope * (key - key[-1])).to(dtype).double(), (slope * key).to(dtype).double()


def error(bias: Tensor, n_keys: int, slope: float) -> float:
    """Return by how much a weight of the last query, under `bias` (n_keys,), is off what it should be, at most."""
    exact = forms(n_keys, slope, "float64")[0].softmax(-1)
    return float((bias.softmax(-1) - exact).abs().max())


def ties(bias: Tensor) -> int:
    """Return how many keys of a row, `bias` (n_keys,), cannot be told from the key before them."""
    return int((bias[1:] == bias[:-1]).sum())
