"""Look up: two small letters are given digits, capital ones ask for the last one given, as in a3b5a7B5A7.

The letter tells which digits can be meant; that it is the one given last is a matter of order. How far back it stands
depends on how soon letters come again, hardly on the length of the text.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.tasks.base import CAPITAL, DIGITS, SMALL, VOCABULARY, Task, asking
from pe_core.registry import Paper


def make(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of `size` pairs of letter and digit, and one pair more that asks.

    A letter is given a digit when it comes first. Later it is given a digit anew, which may be the same one, or asks,
    each with probability 1/2; the last pair always asks.
    """
    letters = torch.randint(len(SMALL), (n, size + 1), generator=generator)
    letters[:, -1:] = letters.gather(1, torch.randint(size, (n, 1), generator=generator))
    digits = torch.randint(len(DIGITS), (n, size + 1), generator=generator)
    asks = torch.rand(n, size + 1, generator=generator) < 0.5
    asks[:, -1] = True
    return told(letters, digits, asks)


def told(letters: Tensor, digits: Tensor, asks: Tensor) -> Examples:
    """Return pairs of letter and digit as examples; all arguments (n, pairs), `asks` is bool.

    Where a letter asks that has been given a digit before, the last such digit takes the place of its own.
    """
    mentions = F.one_hot(letters, len(SMALL))  # (n, pairs, letters)
    asks = asks & (_of_letter(mentions.cumsum(1) - mentions, letters) > 0)
    places = torch.arange(letters.shape[1])
    last_given = _of_letter((mentions * (places * ~asks)[..., None]).cummax(1).values, letters)
    names = letters + torch.where(asks, VOCABULARY.index(CAPITAL[0]), VOCABULARY.index(SMALL[0]))
    tokens = torch.stack([names, digits.gather(1, last_given)], dim=-1).flatten(1)
    return asking(tokens, torch.stack([torch.zeros_like(asks), asks], dim=-1).flatten(1))


def _of_letter(numbers: Tensor, letters: Tensor) -> Tensor:
    """Return of numbers for each letter, (n, T, letters), those of the letter that is there, (n, T)."""
    return numbers.gather(-1, letters[..., None]).squeeze(-1)


TASK = Task(
    key="lookup",
    title="Look up the last",
    summary="Two letters are given digits again and again; asked is the last one of a letter.",
    paper=Paper("Exposing Attention Glitches with Flip-Flop Language Modeling", "Liu et al.", 2023, "2306.00946"),
    vocabulary=VOCABULARY,
    n_answers=len(DIGITS),
    tokens=lambda size: 2 * size + 2,
    make=make,
    settings={"steps": 2_000},
)
