"""Recall: a pattern of two to eight different digits, again and again, as in 407407407; what comes next?

Asked is every digit from the second one of the first repetition on: here all after 4074. A model is right if it finds
the digit just read where it stood before, and says what came after it there; an induction head does that. How far back
it stood differs from example to example, but is never more than eight places, however long the text.
"""

import torch
from torch import Tensor

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.tasks.base import DIGITS, VOCABULARY, Task, asking
from pe_core.registry import Paper

MIN_PATTERN, MAX_PATTERN = 2, 8  # patterns


def make(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` patterns repeated up to one length, which leaves `size` digits to be asked of the longest pattern."""
    lengths = torch.randint(MIN_PATTERN, MAX_PATTERN + 1, (n, 1), generator=generator)
    patterns = torch.rand(n, len(DIGITS), generator=generator).argsort(1)  # no digit twice
    return repeated(patterns, lengths, MAX_PATTERN + 1 + size)


def repeated(patterns: Tensor, lengths: Tensor, n_tokens: int) -> Examples:
    """Return the beginnings of patterns (n, P), as many digits as `lengths` (n, 1) says, again and again."""
    places = torch.arange(n_tokens)
    return asking(patterns.gather(1, places % lengths), places > lengths)


TASK = Task(
    key="recall",
    title="Recall a pattern",
    summary="A pattern of digits, repeated again and again.",
    paper=Paper("In-context Learning and Induction Heads", "Olsson et al.", 2022, "2209.11895"),
    vocabulary=VOCABULARY,
    n_answers=len(DIGITS),
    tokens=lambda size: MAX_PATTERN + 1 + size,
    make=make,
    settings={"train_length": 32, "steps": 1_000},
)
