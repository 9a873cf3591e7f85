"""Copy: digits, a sign, and the same digits again, as in 407=407.

To copy a digit by its distance a model has to look back exactly as far as there are digits, and that is another one at
every size: a model that knows distances, or positions, only from training fails beyond the largest size it was trained
on. Another way needs no distance, the digit after the one copied last; but longer examples have that one more often.
"""

import torch

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.tasks.base import DIGITS, VOCABULARY, Task, answered
from pe_core.registry import Paper


def make(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of random digits, a sign, and the digits again, of which each is asked."""
    digits = torch.randint(len(DIGITS), (n, size), generator=generator)
    return answered(digits, digits)


TASK = Task(
    key="copy",
    title="Copy",
    summary="Digits, and the same digits again.",
    paper=Paper(
        "The Impact of Positional Encoding on Length Generalization in Transformers",
        "Kazemnejad et al.",
        2023,
        "2305.19466",
    ),
    vocabulary=VOCABULARY,
    n_answers=len(DIGITS),
    tokens=lambda size: 2 * size + 1,
    make=make,
)
