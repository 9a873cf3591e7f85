"""The verdict that follows from what a model does at its training length and beyond it."""

import math
from collections.abc import Sequence
from typing import Literal

from pe_core.lab.experiment.evaluation import LengthLoss

Verdict = Literal["not learned", "holds", "degrades", "breaks"]
HOLDS_UP_TO = 1.1  # times the loss at the training length
BREAKS_FROM = 1.5
LEARNED_FROM = 0.5  # skill in a task at the training length, from which it counts as learned
KEEPS_FROM, LOSES_FROM = 0.9, 0.5  # of that skill


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
