"""Addition: two numbers of as many digits, units first, and their sum, as in 72+54=27, which is 27 + 45 = 72.

With the units first every digit of the sum follows from two digits and a carry of what has been said already. A carry
out of the last place is left out, as a counter does that starts again at 000: so all digits are equally likely
answers, and the sum has as many digits as the numbers.
"""

import torch
from torch import Tensor

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.tasks.base import DIGITS, PLUS, VOCABULARY, Task, answered, sign
from pe_core.registry import Paper


def make(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of two random numbers of `size` digits with a plus between, and their sum, all of it asked."""
    first, second = torch.randint(len(DIGITS), (2, n, size), generator=generator)
    return answered(torch.cat([first, sign(PLUS, n), second], dim=1), add(first, second))


def add(first: Tensor, second: Tensor) -> Tensor:
    """Return the sum of numbers in digits, units first, without the carry out of the last place; all (n, digits)."""
    total, carry = torch.empty_like(first), torch.zeros_like(first[:, 0])
    for place in range(first.shape[1]):
        column = first[:, place] + second[:, place] + carry
        total[:, place], carry = column % len(DIGITS), column // len(DIGITS)
    return total


TASK = Task(
    key="addition",
    title="Add",
    summary="Two numbers and their sum, units first.",
    paper=Paper("Teaching Arithmetic to Small Transformers", "Lee et al.", 2023, "2307.03381"),
    vocabulary=VOCABULARY,
    n_answers=len(DIGITS),
    tokens=lambda size: 3 * size + 2,
    make=make,
    # With 4 heads all that RoPE finds in 5,000 steps are the digits of the smallest and the largest size.
    settings={"n_heads": 8, "steps": 5_000},
)
