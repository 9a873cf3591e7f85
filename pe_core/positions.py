r"""Index remaps: what a model is told instead of 0, 1, 2 ..., outside of the encoding that receives it.

With a training length $L$ and a text of $n$ tokens, token $m$ is told

- shifted (SHAPE): $m + k$, one $k$ drawn from $0 \ldots K$. The model learns not to care where a text starts, but
  distances beyond $L$ stay unseen; an encoding of distances does not notice at all.
- randomised: the m-th of $n$ distinct numbers out of $0 \ldots N - 1$, sorted. The large numbers and the large
  distances of long texts occur in training already, with gaps.
- interpolated (position interpolation): $m L / n$ for $n > L$. The last number is $L - L / n$, less than one above the
  last of training, $L - 1$, but neighbours come closer than any were in training.
- clipped: $\min(m, L - 1)$; grouped: $\lfloor m / G \rfloor$. Tokens share a number, so among them there is no order.
  ReRoPE and Self-Extend do the same to the distance within the scores, far away only (`rerope`, `self_extend`).

All texts of one batch, queries and keys, and all layers share one draw. Interpolated positions are real numbers:
encodings with a row for every whole position or distance (`learned`, `binary`, `shaw`) refuse them.
Reference: Kiyono et al. 2021, arXiv:2109.05644, who draw k for every text; Ruoss et al. 2023, arXiv:2305.16843; Chen
et al. 2023, arXiv:2306.15595, equation 4; Jin et al. 2024, arXiv:2401.01325.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import torch
from torch import Tensor

from pe_core.parameters import Entry, Paper, Value, require


def shifted(positions: Tensor, largest: int, generator: torch.Generator) -> Tensor:
    """Return `positions` (T,) plus one whole number that `generator` draws from 0 to `largest`, shape (T,)."""
    require(largest >= 0, "largest", "be at least 0", largest)
    return positions + torch.randint(largest + 1, (1,), generator=generator)


def randomised(n: int, n_indices: int, generator: torch.Generator) -> Tensor:
    """Return `n` distinct whole numbers from 0 to `n_indices` - 1 in rising order, drawn by `generator`, shape (n,)."""
    require(n_indices >= n, "n_indices", f"be at least n ({n})", n_indices)
    return torch.randperm(n_indices, generator=generator)[:n].sort().values


def interpolated(positions: Tensor, length: int, train_length: int) -> Tensor:
    """Return `positions` (T,) of a text of `length` tokens pressed together to the training length, float64, (T,).

    A text that is not longer than those of training keeps its positions.
    """
    require(train_length >= 1, "train_length", "be at least 1", train_length)
    return positions.double() * train_length / max(length, train_length)


def clipped(positions: Tensor, last: int) -> Tensor:
    """Return `positions` (T,) with `last` in place of all that are larger, shape (T,)."""
    require(last >= 0, "last", "be at least 0", last)
    return positions.clamp(max=last)


def grouped(positions: Tensor, group: int) -> Tensor:
    """Return the number of the group of `group` neighbours that each of `positions` (T,) lies in, shape (T,)."""
    require(group >= 1, "group", "be at least 1 (1 keeps the positions)", group)
    return torch.div(positions, group, rounding_mode="floor")


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


_SHAPE = "SHAPE: Shifted Absolute Position Embedding for Transformers"
_RANDOMISED = "Randomized Positional Encodings Boost Length Generalization of Transformers"
_INTERPOLATED = "Extending Context Window of Large Language Models via Positional Interpolation"
_GROUPED = "LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning"

REMAPS: dict[str, RemapSpec] = {
    spec.key: spec
    for spec in (
        RemapSpec(
            key="consecutive",
            title="Consecutive",
            summary="The positions as they are: 0, 1, 2 and so on.",
            make=lambda n, train_length, max_length, generator, params: torch.arange(n),
        ),
        RemapSpec(
            key="shape",
            title="Shifted (SHAPE)",
            summary="In training every batch starts at a random position, up to where the longest text will end.",
            paper=Paper(_SHAPE, "Kiyono et al.", 2021, "2109.05644"),
            make=lambda n, train_length, max_length, generator, params: shifted(
                torch.arange(n), max(0, max_length - n), generator
            ),
            in_evaluation=False,
        ),
        RemapSpec(
            key="randomised",
            title="Randomised",
            summary="A random choice of the longest text's positions, in order, so that training meets them all.",
            paper=Paper(_RANDOMISED, "Ruoss et al.", 2023, "2305.16843"),
            make=lambda n, train_length, max_length, generator, params: randomised(n, max(n, max_length), generator),
        ),
        RemapSpec(
            key="interpolated",
            title="Interpolated",
            summary="A text longer than those of training is pressed into their range, with fractions in between.",
            paper=Paper(_INTERPOLATED, "Chen et al.", 2023, "2306.15595"),
            make=lambda n, train_length, max_length, generator, params: interpolated(torch.arange(n), n, train_length),
            in_training=False,
        ),
        RemapSpec(
            key="clipped",
            title="Clipped",
            summary="All tokens past the training length are told its last position: no order among them.",
            make=lambda n, train_length, max_length, generator, params: clipped(torch.arange(n), train_length - 1),
            in_training=False,
        ),
        RemapSpec(
            key="grouped",
            title="Grouped",
            summary="In a longer text neighbours share a position, so many that the last one was seen in training.",
            paper=Paper(_GROUPED, "Jin et al.", 2024, "2401.01325"),
            make=lambda n, train_length, max_length, generator, params: grouped(
                torch.arange(n), ceil(n / train_length)
            ),
            in_training=False,
        ),
    )
}
