"""Attention masks: boolean (T, T), row = query, column = key, True = may attend."""

import torch
from torch import Tensor

from pe_core.parameters import require


def causal(n: int) -> Tensor:
    """Return the mask that lets each position see itself and all before it, shape (n, n)."""
    require(n >= 1, "n", "be at least 1", n)
    return torch.ones(n, n, dtype=torch.bool).tril()


def sliding_window(n: int, window: int) -> Tensor:
    """Return the causal mask that lets each position see `window` keys, itself included, shape (n, n).

    Query m sees key j where m - window < j <= m. Libraries that count the window without the query itself (flash-attn,
    attention-gym) call this one `window - 1`. Source: Beltagy et al. 2020, "Longformer", arXiv:2004.05150, section 3.1.
    """
    require(window >= 1, "window", "be at least 1 (1 sees only itself)", window)
    return causal(n).triu(1 - window)
