"""What a trained model can do at its training length and beyond it, and the verdict that follows from the numbers."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings import PositionalEncoding
from pe_core.lab.corpus import EVALUATED_CHARACTERS
from pe_core.lab.examples import Examples, windows
from pe_core.lab.model import Transformer

CACHED_TOKENS = 2_048  # of a batch whose numbers stay near the core
MOST_TOKENS, FEW_TEXTS = 4_096, 8  # a bias is computed once for a batch, so of long texts it has some more

Verdict = Literal["not learned", "holds", "degrades", "breaks"]
HOLDS_UP_TO = 1.1  # times the loss at the training length
BREAKS_FROM = 1.5
LEARNED_FROM = 0.5  # skill in a task at the training length, from which it counts as learned
KEEPS_FROM, LOSES_FROM = 0.9, 0.5  # of that skill


@dataclass(frozen=True)
class LengthLoss:
    """What a model does at one length: loss in nats per answer, mean over all places, and over their last quarter.

    Of a task also the share of answers that are right, and of examples that are right as a whole; None for a text.
    """

    length: int
    loss: float
    last_quarter: float
    accuracy: float | None = None
    exact: float | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a model to N examples of T tokens: the loss of each in nats, and whether the likeliest is right.

    Where nothing was asked the loss is 0 and the answer is not right.
    """

    losses: Tensor  # (N, T) float64
    right: Tensor  # (N, T) bool
    asked: Tensor  # (N, T) bool

    @property
    def by_place(self) -> Tensor:
        """The mean loss at each place where an answer is asked, float64, (places,): for a text, at every position."""
        n_asked = self.asked.sum(0)
        return (self.losses.sum(0) / n_asked)[n_asked > 0]

    @property
    def accuracy(self) -> float:
        """The share of answers that are right."""
        return float(self.right.sum() / self.asked.sum())

    @property
    def exact(self) -> float:
        """The share of examples all of whose answers are right."""
        return float((self.right | ~self.asked).all(1).double().mean())


@torch.inference_mode()
def answers(
    model: Transformer,
    examples: Examples,
    *,
    mask: Tensor | None = None,
    positions: Callable[[], Tensor] | None = None,
    encoding: PositionalEncoding | None = None,
) -> Answers:
    """Return what a model answers; each example starts without context.

    `mask` (T, T) is causal unless given; `positions` returns what the model is told for a batch, (T,), so that random
    ones are drawn anew, else it counts from 0; another `encoding` can stand in for the trained one.
    """
    losses, right = [], []
    at_once = texts_at_once(examples.inputs.shape[1])
    with evaluation_mode(model):
        for first in range(0, len(examples.inputs), at_once):
            inputs, targets = examples.inputs[first : first + at_once], examples.targets[first : first + at_once]
            told = positions() if positions else None
            scores = model(inputs, positions=told, mask=mask, encoding=encoding)
            losses.append(F.cross_entropy(scores.transpose(1, 2), targets, reduction="none").double())
            right.append(scores.argmax(-1) == targets)
    return Answers(torch.cat(losses), torch.cat(right), examples.asked)


def texts_at_once(length: int) -> int:
    """Return how many texts of so many tokens are read in one batch, at which a measurement is fastest."""
    return max(1, CACHED_TOKENS // length, min(FEW_TEXTS, MOST_TOKENS // length))


def position_losses(
    model: Transformer,
    tokens: Tensor,
    length: int,
    *,
    mask: Tensor | None = None,
    positions: Callable[[], Tensor] | None = None,
    encoding: PositionalEncoding | None = None,
) -> Tensor:
    """Return the mean loss at each position of a text in nats per character, float64, shape (length,).

    The text is cut into windows that do not overlap; all else is as in `answers`. Raises `ValueError` if none fits.
    """
    examples = windows(tokens, length, EVALUATED_CHARACTERS)
    return answers(model, examples, mask=mask, positions=positions, encoding=encoding).by_place


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Put the model into evaluation mode, and back into the mode it had."""
    before = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(before)


def summarise(losses: Tensor) -> LengthLoss:
    """Return the summary of the losses by position, shape (length,)."""
    last = losses[-max(1, len(losses) // 4) :]
    return LengthLoss(len(losses), float(losses.mean()), float(last.mean()))


def marked(found: Answers, length: int) -> LengthLoss:
    """Return the summary of the answers to a task whose questions have at most so many tokens."""
    summary = summarise(found.by_place)
    return LengthLoss(length, summary.loss, summary.last_quarter, found.accuracy, found.exact)


def ratio(losses: Sequence[LengthLoss]) -> float:
    """Return the loss at the longest length over that at the training length, which comes first."""
    first, last = losses[0].loss, losses[-1].loss
    if first == 0:  # a text that can be known by heart
        return 1.0 if last == 0 else math.inf
    return last / first


def verdict(losses: Sequence[LengthLoss], unigram_loss: float) -> Verdict:
    """Return what became of a model: the training length comes first in `losses`, the longest length last.

    A model that is not better than guessing by frequency has learned nothing, so its ratio says nothing.
    """
    if not losses[0].loss < unigram_loss:
        return "not learned"
    if ratio(losses) <= HOLDS_UP_TO:
        return "holds"
    return "degrades" if ratio(losses) < BREAKS_FROM else "breaks"


def task_verdict(marks: Sequence[LengthLoss], chance: float) -> Verdict:
    """Return what became of a model of a task: how much of its skill at the training length is left at the longest.

    `chance` is the accuracy of a guess. Losses are not compared: near 0 they have any ratio.
    """
    accuracies = [mark.accuracy for mark in (marks[0], marks[-1])]
    learned, kept = (skill(accuracy, chance) for accuracy in accuracies if accuracy is not None)
    if learned < LEARNED_FROM:
        return "not learned"
    if kept >= KEEPS_FROM * learned:
        return "holds"
    return "degrades" if kept > LOSES_FROM * learned else "breaks"


def skill(accuracy: float, chance: float) -> float:
    """Return how far an accuracy lies above chance: 0 at chance, 1 where every answer is right, negative below."""
    return (accuracy - chance) / (1 - chance)
