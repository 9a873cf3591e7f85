r"""ALiBi in two forms, and what rounding does to each: $-a\,(m - n)$, and $a\,n$, which knows the key only.

The two differ by $a\,m$, one number for all keys of a row, which the softmax does not notice; so fast code adds the
second. Its numbers grow with the text, though, and in a format of few digits neighbours become equal.
Source: Press, Smith & Lewis 2022, arXiv:2108.12409, whose published code has the second form; the comparison is ours.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.parameters import require

PRECISIONS = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


@dataclass(frozen=True)
class Forms:
    """The bias of the last query in both forms, rounded, float64, shape (n_keys,), key 0 first."""

    relative: Tensor
    key_index: Tensor


def forms(n_keys: int, slope: float, precision: str) -> Forms:
    """Return both forms for the last of `n_keys` queries, rounded to a format of `PRECISIONS`.

    Raises `ValueError` for no keys and for a format that is not there.
    """
    require(n_keys >= 1, "n_keys", "be at least 1", n_keys)
    require(precision in PRECISIONS, "precision", f"be one of {', '.join(PRECISIONS)}", precision)
    key, dtype = torch.arange(n_keys, dtype=torch.float64), PRECISIONS[precision]
    return Forms((slope * (key - key[-1])).to(dtype).double(), (slope * key).to(dtype).double())


def error(bias: Tensor, n_keys: int, slope: float) -> float:
    """Return by how much a weight of the last query, under `bias` (n_keys,), is off what it should be, at most."""
    exact = forms(n_keys, slope, "float64").relative.softmax(-1)
    return float((bias.softmax(-1) - exact).abs().max())


def ties(bias: Tensor) -> int:
    """Return how many keys of a row, `bias` (n_keys,), cannot be told from the key before them."""
    return int((bias[1:] == bias[:-1]).sum())


def geometric(n_heads: int) -> Tensor:
    """Return 2^(-8h/H), h = 1 .. H, float64, shape (H,): ALiBi's slopes only where H is a power of two."""
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    return 2.0 ** (-8.0 * torch.arange(1, n_heads + 1, dtype=torch.float64) / n_heads)


def largest_power(n_heads: int) -> int:
    """Return the largest power of two that is no more than `n_heads`: so many heads have that power's own slopes."""
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    return 1 << (n_heads.bit_length() - 1)
