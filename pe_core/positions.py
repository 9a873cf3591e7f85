"""Index remaps: what a model is told instead of 0, 1, 2 ..., outside of the encoding that receives it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pe_core.parameters import Value, require
from pe_core.registry import Entry


@dataclass(frozen=True, kw_only=True)
class RemapSpec(Entry):
    """A registry entry: the positions given to a text of n tokens, in training and in evaluation.

    `make` gets n, the training length, the longest length, a generator and the parameters.
    """

    make: Callable[[int, int, int, torch.Generator, Mapping[str, Any]], Tensor]
    in_training: bool = True
    in_evaluation: bool = True

    def build(
        self,
        n: int,
        *,
        train_length: int,
        max_length: int,
        generator: torch.Generator,
        training: bool,
        params: Mapping[str, Value] | None = None,
    ) -> Tensor:
        """Return the positions of n tokens, shape (n,): remapped where the entry says so, else 0 .. n - 1.

        `generator` draws what is random, anew at each call. Raises `ValueError` for lengths below 1 and for parameters
        that do not exist or are not allowed.
        """
        for name, length in (("n", n), ("train_length", train_length), ("max_length", max_length)):
            require(length >= 1, name, "be at least 1", length)
        values = self.values(params)
        if not (self.in_training if training else self.in_evaluation):
            return torch.arange(n)
        return self.make(n, train_length, max_length, generator, values)


REMAPS: dict[str, RemapSpec] = {
    spec.key: spec
    for spec in (
        RemapSpec(
            key="consecutive",
            title="Consecutive",
            summary="The positions as they are: 0, 1, 2 and so on.",
            paper=None,
            make=lambda n, train_length, max_length, generator, params: torch.arange(n),
        ),
    )
}
