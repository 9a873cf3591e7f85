"""Attention masks: boolean (T, T), row = query, column = key, True = may attend."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pe_core.parameters import Parameter, Value, require
from pe_core.registry import Entry, Paper


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


@dataclass(frozen=True, kw_only=True)
class MaskSpec(Entry):
    """A registry entry: who may look at whom in a text of n tokens, for a model trained on texts of `train_length`."""

    make: Callable[[int, int, Mapping[str, Any]], Tensor]

    def build(self, n: int, train_length: int, params: Mapping[str, Value] | None = None) -> Tensor:
        """Return the mask, boolean (n, n); parameters not named keep their default, sizes follow the training length.

        Raises `ValueError` for a length below 1 and for parameters that do not exist or are not allowed.
        """
        require(train_length >= 1, "train_length", "be at least 1", train_length)
        return self.make(n, train_length, self.values(params))


_WINDOW = Parameter("window", "Window", 0.5, "Keys that a query sees, in training lengths.", 0.05, 8.0, 0.05)


def _tokens(share: float, train_length: int) -> int:
    return max(1, round(share * train_length))


MASKS: dict[str, MaskSpec] = {
    spec.key: spec
    for spec in (
        MaskSpec(
            key="causal",
            title="Causal",
            summary="Each position sees itself and all before it.",
            paper=Paper("Attention Is All You Need", "Vaswani et al.", 2017, "1706.03762"),
            make=lambda n, train_length, params: causal(n),
        ),
        MaskSpec(
            key="window",
            title="Sliding window",
            summary="Each position sees the last few only, itself included: as far back as in training, at any length.",
            paper=Paper("Longformer: The Long-Document Transformer", "Beltagy et al.", 2020, "2004.05150"),
            make=lambda n, train_length, params: sliding_window(n, _tokens(params["window"], train_length)),
            parameters=(_WINDOW,),
        ),
    )
}
