"""Tokens of the tasks, put together as a model reads them: what is told, and what is asked."""

import torch
from torch import Tensor

from pe_core.lab.examples import NOT_ASKED, Examples
from pe_core.lab.tasks.alphabet import ANSWER, SYMBOLS


def sign(symbol: str, n: int) -> Tensor:
    """Return a column of one sign, (n, 1)."""
    return torch.full((n, 1), SYMBOLS.index(symbol))


def asking(tokens: Tensor, asked: Tensor) -> Examples:
    """Return the examples that tell tokens (n, T) one after the other and ask for those at some places.

    `asked` is bool, (n, T) or (T,); the first token cannot be asked, and the last one is only answered.
    """
    return Examples(tokens[:, :-1], torch.where(asked, tokens, NOT_ASKED)[:, 1:])


def answered(question: Tensor, answer: Tensor) -> Examples:
    """Return the examples of questions (n, P) with a sign after each and then, all of it asked, the answer (n, A)."""
    tokens = torch.cat([question, sign(ANSWER, len(question)), answer], dim=1)
    return asking(tokens, torch.arange(tokens.shape[1]) > question.shape[1])
