"""What a model reads and what it is asked, and what every source of it can do: a text, or a task with answers."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from pe_core.parameters import require

NOT_ASKED = -100  # the target where no answer is asked; `cross_entropy` leaves it out


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokens to read, and the token that comes next, or `NOT_ASKED` where it does not count."""

    inputs: Tensor  # (N, T) int64
    targets: Tensor  # (N, T) int64

    @property
    def asked(self) -> Tensor:
        """Where an answer is asked, bool, (N, T)."""
        return self.targets != NOT_ASKED


class Dataset(Protocol):
    """What can be learned: examples of any length to train on and to be measured by, and what guessing costs."""

    @property
    def name(self) -> str:
        """What it is called on a page."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens in writing; a token is a place in it."""

    @property
    def n_characters(self) -> int:
        """How many characters there are of it; 0 where examples are made as they are needed."""

    @property
    def n_held_out(self) -> int:
        """How many tokens it is measured by, at any length."""

    @property
    def sha256(self) -> str:
        """The digest of all that decides its examples beside the code."""

    @property
    def chance_loss(self) -> float:
        """Loss of a uniform guess in nats per answer."""

    @property
    def unigram_loss(self) -> float:
        """Loss of a guess by frequency in nats per answer."""

    def check_length(self, max_length: int) -> None:
        """Raise `ValueError` where it has no examples of so many tokens."""

    def draw(self, n: int, length: int, generator: torch.Generator) -> Examples:
        """Return `n` examples to train on, each of so many tokens."""

    def held_out_examples(self, length: int) -> Examples:
        """Return the examples that measure a model at so many tokens, always the same ones."""


def is_task(dataset: Dataset) -> bool:
    """Return whether examples are made as they are needed, so that every answer is either right or wrong."""
    return dataset.n_characters == 0


def windows(tokens: Tensor, length: int, max_tokens: int) -> Examples:
    """Return a text cut into windows that do not overlap, with the next token as the target everywhere.

    `tokens` (characters,), of which at most `max_tokens` are read. Raises `ValueError` if no window fits.
    """
    n_windows = min(len(tokens) - 1, max_tokens) // length
    require(n_windows >= 1, "length", f"be less than the number of tokens ({len(tokens)})", length)
    end = n_windows * length
    return Examples(tokens[:end].view(n_windows, length), tokens[1 : end + 1].view(n_windows, length))
