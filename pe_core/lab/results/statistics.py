"""What losses say: what length costs, the verdict on a model, and the mean of several seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from pe_core.lab.experiment.evaluation import LengthLoss

Losses = tuple[LengthLoss, ...]
Verdict = Literal["not learned", "holds", "degrades", "breaks"]
NOT_LEARNED: Verdict = "not learned"
MIN, MAX = ", least", ", greatest"  # behind the name of a mean in a row of a table
HOLDS_UP_TO = 1.1  # times the loss at the training length
BREAKS_FROM = 1.5
LEARNED_FROM = 0.5  # skill in a task at the training length, from which it counts as learned
KEEPS_FROM, LOSES_FROM = 0.9, 0.5  # of that skill


def at_end(losses: Sequence[LengthLoss]) -> bool:
    """Return whether the end of the windows was measured, which files from before it was do not have."""
    return losses[-1].end is not None


def whole_windows(losses: Sequence[LengthLoss]) -> Losses:
    """Return the losses as in Press et al. 2021 (arXiv:2108.12409), means over whole windows, without their ends."""
    return tuple(replace(one, end=None, within=None, blocks=()) for one in losses)


def compared(losses: Sequence[LengthLoss]) -> tuple[float, float]:
    """Return the two losses that tell what length costs: within the training length, and at the longest length.

    They are of the same characters, at the end of the windows. Where that was not measured they are the means over
    whole windows, as in Press et al. 2021, of which a part lies within the training length at any length.
    """
    last = losses[-1]
    if last.end is not None and last.within is not None:
        return last.within, last.end
    return losses[0].loss, last.loss


def ratio(losses: Sequence[LengthLoss]) -> float:
    """Return the second of the losses that `compared` returns over the first."""
    first, last = compared(losses)
    if first == 0:  # a text that can be known by heart
        return 1.0 if last == 0 else math.inf
    return last / first


def more_bits(losses: Sequence[LengthLoss]) -> float:
    """Return what length costs in bits per character: the second of the losses that `compared` returns less the first.

    Unlike a ratio it does not depend on where a loss is 0, and adds up over characters.
    """
    first, last = compared(losses)
    return bits(last - first)


def bits(nats: float) -> float:
    """Return an amount of information in bits."""
    return nats / math.log(2)


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

    Only answers count that are asked past the training length, where that was measured; at the training length all do.
    They are not paired: a longer example asks another question. `chance` is the accuracy of a guess. Losses are not
    compared: near 0 they have any ratio.
    """
    learned, kept = skill(_right(marks[0]), chance), skill(_right(marks[-1]), chance)
    if learned < LEARNED_FROM:
        return "not learned"
    if kept >= KEEPS_FROM * learned:
        return "holds"
    return "degrades" if kept > LOSES_FROM * learned else "breaks"


def _right(mark: LengthLoss) -> float:
    """Return the accuracy past the training length; of all answers in files from before that was measured."""
    right = mark.accuracy if mark.beyond is None else mark.beyond
    assert right is not None  # of a task it is known
    return right


def skill(accuracy: float, chance: float) -> float:
    """Return how far an accuracy lies above chance: 0 at chance, 1 where every answer is right, negative below."""
    return (accuracy - chance) / (1 - chance)


def mean_losses(losses: Sequence[Losses]) -> Losses:
    """Return the mean over the seeds at each length, of all that was measured with each of them."""
    return tuple(_mean(at_length) for at_length in zip(*losses, strict=True))


def _mean(at_length: Sequence[LengthLoss]) -> LengthLoss:
    numbers = {field.name: [getattr(one, field.name) for one in at_length] for field in fields(LengthLoss)}
    n = len(at_length)
    blocks = tuple(sum(block) / n for block in zip(*numbers.pop("blocks"), strict=False))
    means: dict[str, Any] = {name: None if None in own else sum(own) / n for name, own in numbers.items()}
    return replace(at_length[0], **{**means, "length": at_length[0].length, "blocks": blocks})


def grade(losses: Losses) -> float:
    """Return the number by which systems are put in order, the best one's the smallest.

    For a text it is the ratio of the losses, for a task the share of wrong answers at the longest length, those asked
    past the training length.
    """
    return ratio(losses) if losses[-1].accuracy is None else 1 - _right(losses[-1])


def compact(row: Mapping[str, str | float]) -> dict[str, str | float]:
    """Return a row of a table with the minimum and maximum of a mean in its cell, as 1.832 (1.811 to 1.850)."""
    cells: dict[str, str | float] = {}
    for name, value in row.items():
        if f"{name}{MIN}" in row:
            mean, low, high = (f"{one:.3f}" for one in (value, row[name + MIN], row[name + MAX]))
            cells[name] = f"{mean} ({low} to {high})"
        elif not name.endswith((MIN, MAX)):
            cells[name] = value
    return cells
