r"""What an index does to the token it is added to, what a norm leaves of it, and what rounding makes of neighbours.

The index $m$ is added to every channel of a token embedding $x \in R^D$ here, $x + m\,\mathbf{1}$, as it is written in
most introductions; the module `pe_core.encodings.index` adds it along one learned direction instead.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings import index
from pe_core.parameters import require

EPS = 1e-5  # inside of both norms, as torch has it


def unit_tokens(n: int, dim: int) -> Tensor:
    """Return `n` random token embeddings of length 1, float64, shape (n, dim); always the same."""
    require(n >= 1, "n", "be at least 1", n)
    require(dim >= 1, "dim", "be at least 1", dim)
    drawn = torch.randn(n, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    tokens: Tensor = drawn / drawn.norm(dim=-1, keepdim=True)
    return tokens


def left_of_token(tokens: Tensor, added: Tensor) -> Tensor:
    r"""Return the length of each of `tokens` (N, D) over its length with each of `added` (T,) on every channel, (N, T).

    1 is an untouched token, 0 one that is gone. With $s = \sum_c x_c$ it is $|x| / \sqrt{|x|^2 + 2 m s + m^2 D}$, which
    is what is computed, in float64.
    """
    x, m = tokens.double(), added.double()[None, :]
    squared, total = (x * x).sum(-1, keepdim=True), x.sum(-1, keepdim=True)
    return squared.sqrt() / (squared + 2 * m * total + m * m * tokens.shape[-1]).clamp(min=0).sqrt()


def layer_norm(x: Tensor) -> Tensor:
    """Return `x` (..., D) less its mean, divided by its standard deviation, float64 (Ba et al. 2016, equation 3)."""
    return F.layer_norm(x.double(), x.shape[-1:], eps=EPS)


def rms_norm(x: Tensor) -> Tensor:
    """Return `x` (..., D) divided by its root mean square, float64 (Zhang & Sennrich 2019, equation 4)."""
    return F.rms_norm(x.double(), x.shape[-1:], eps=EPS)


def change(before: Tensor, after: Tensor) -> Tensor:
    """Return how far `after` (..., N, D) lies from `before` (N, D), in lengths of `before`, mean over N, shape (...,).

    float64; 0 where nothing has changed.
    """
    moved: Tensor = (after.double() - before.double()).norm(dim=-1) / before.double().norm(dim=-1)
    return moved.mean(-1)


def different_so_far(values: Tensor) -> Tensor:
    """Return how many different numbers there are among the first 1, 2, ... of `values` (T,), which rise; int64, (T,).

    Raises `ValueError` where a number is smaller than the one before it.
    """
    steps = values.diff()
    require(
        bool((steps >= 0).all()),
        "values",
        "be in ascending order",
        f"{values[1:][steps < 0][:3].tolist()} after larger ones",
    )
    return torch.cat([steps.new_ones(min(1, len(values))), steps > 0]).to(torch.int64).cumsum(0)


def rounded(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Return `values` as a number of `dtype` holds them, to the nearest and ties to even, as float64."""
    return values.to(dtype).double()


def common_values(first: int, second: int) -> int:
    """Return how many normalised indices of a sentence of `second` words occur in one of `first` words too."""
    for name, length in (("first", first), ("second", second)):
        require(length >= 1, name, "be at least 1", length)
    seen, asked = (index.table(torch.arange(length), normalise=True, dtype=torch.float64) for length in (first, second))
    return int(torch.isin(asked, seen).sum())  # equal fractions are equal numbers: division rounds correctly
