"""Parity: zeros and ones, and for each whether the ones so far are odd, as in 1011=1101.

Step by step it is two small things: find the digit whose turn it is, and turn the last answer over if it is a one. In a
single answer, without the steps, a small model learns it within its training length, and soon only guesses beyond it.
"""

import torch

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.tasks.base import VOCABULARY, Task, answered
from pe_core.registry import Paper


def make(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of random zeros and ones, a sign, and the parity of each beginning, all of them asked."""
    bits = torch.randint(2, (n, size), generator=generator)
    return answered(bits, bits.cumsum(1) % 2)


TASK = Task(
    key="parity",
    title="Parity, step by step",
    summary="Zeros and ones, and for each whether the ones so far are odd.",
    paper=Paper("Exploring Length Generalization in Large Language Models", "Anil et al.", 2022, "2207.04901"),
    vocabulary=VOCABULARY,
    n_answers=2,
    tokens=lambda size: 2 * size + 1,
    make=make,
)
