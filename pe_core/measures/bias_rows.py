r"""What a bias does to one row of attention whose keys all score the same, and what two common slips do to it.

With equal content the scores of a row differ by nothing but the bias, so its weights are the softmax of the bias.
The effective number of keys is $e^H$ of the row's entropy $H = -\sum_n w_n \ln w_n$: k weights of 1/k have k.
Source: Press, Smith & Lewis 2022, arXiv:2108.12409, section 3, for where the bias of ALiBi is added and with what sign;
the effective number is the perplexity of the row.
"""

import torch
from torch import Tensor

from pe_core.parameters import require


def attention(bias: Tensor) -> Tensor:
    """Return the weights (T, T) of keys up to the query, row = query, from `bias` (T, T) and equal scores, float64."""
    future = torch.ones(bias.shape, dtype=torch.bool).triu(1)
    return bias.double().masked_fill(future, -torch.inf).softmax(-1)


def effective_keys(weights: Tensor) -> Tensor:
    """Return how many keys of equal weight would be as spread out as each row of `weights` (..., K), float64, (...)."""
    entropy: Tensor = torch.special.entr(weights.double()).sum(-1)
    return entropy.exp()


def share_within(weights: Tensor, window: int) -> float:
    """Return the share of a row of `weights` (K,), the query's own key last, that goes to the last `window` keys.

    Raises `ValueError` for a window below 1.
    """
    require(window >= 1, "window", "be at least 1", window)
    return float(weights[-window:].double().sum() / weights.double().sum())


def right_row(n_keys: int, slope: float) -> Tensor:
    """Return the weights of the last of `n_keys` queries under -slope * (m - n), float64, shape (n_keys,)."""
    return (-slope * _distances(n_keys)).softmax(-1)


def slipped_row(n_keys: int, slope: float) -> Tensor:
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
