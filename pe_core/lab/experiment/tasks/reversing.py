"""Reverse: digits, a sign, and the same digits from the last to the first, as in 407=704.

The first answer stands right before the sign, and every further one two places farther back than the one before: each
answer has a distance of its own, from the nearest to the farthest.
"""

import torch

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.tasks.base import DIGITS, VOCABULARY, Task, answered
from pe_core.registry import Paper


def make(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of random digits, a sign, and the digits backwards, of which each is asked."""
    digits = torch.randint(len(DIGITS), (n, size), generator=generator)
    return answered(digits, digits.flip(1))


TASK = Task(
    key="reverse",
    title="Reverse",
    summary="Digits, and the same digits backwards.",
    paper=Paper(
        "Randomized Positional Encodings Boost Length Generalization of Transformers",
        "Ruoss et al.",
        2023,
        "2305.16843",
    ),
    vocabulary=VOCABULARY,
    n_answers=len(DIGITS),
    tokens=lambda size: 2 * size + 1,
    make=make,
    settings={"steps": 1_000},
)
