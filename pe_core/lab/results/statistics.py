"""What losses say: the verdict on a model, the mean of several seeds, and whether the seeds tell two systems apart."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import torch

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.measures.agreement import distinguishable, p_value

Losses = tuple[LengthLoss, ...]
System = TypeVar("System")
Verdict = Literal["not learned", "holds", "degrades", "breaks"]
NOT_LEARNED: Verdict = "not learned"
Told = Literal["yes", "not distinguishable", "one training says nothing", "no training in common"]
MIN, MAX = ", least", ", greatest"  # behind the name of a mean in a row of a table
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


def mean_losses(losses: Sequence[Losses]) -> Losses:
    """Return the mean over the seeds at each length; of a task also that of the answers that are right."""
    return tuple(
        LengthLoss(
            at_length[0].length,
            sum(one.loss for one in at_length) / len(at_length),
            sum(one.last_quarter for one in at_length) / len(at_length),
            _mean([one.accuracy for one in at_length]),
            _mean([one.exact for one in at_length]),
        )
        for at_length in zip(*losses, strict=True)
    )


def _mean(fractions: Sequence[float | None]) -> float | None:
    known = [fraction for fraction in fractions if fraction is not None]
    return sum(known) / len(known) if known else None


def grade(losses: Losses) -> float:
    """Return the number by which systems are put in order, the best one's the smallest.

    For a text it is the ratio of the losses, for a task the share of wrong answers at the longest length.
    """
    accuracy = losses[-1].accuracy
    return ratio(losses) if accuracy is None else 1 - accuracy


@dataclass(frozen=True)
class Pair:
    """A number of two systems for each seed that both were trained with, in the order of the seeds.

    With the same seed both start from the same shared weights and learn the same texts in the same order, so that the
    difference has less chance in it than either number.
    """

    seeds: tuple[int, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def differences(self) -> tuple[float, ...]:
        """The first system's number less that of the second, for each seed."""
        return tuple(one - other for one, other in zip(self.first, self.second, strict=True))

    @property
    def p(self) -> float:
        """The two-sided p of Student's paired test; 1 where nothing can be said."""
        return p_value(torch.tensor(self.differences, dtype=torch.float64))

    @property
    def told(self) -> Told:
        """Whether the seeds tell the two systems apart."""
        if len(self.seeds) < 2:
            return "one training says nothing" if self.seeds else "no training in common"
        numbers = (torch.tensor(values, dtype=torch.float64) for values in (self.first, self.second))
        return "yes" if distinguishable(*numbers) else "not distinguishable"


def paired(first: Mapping[int, float], second: Mapping[int, float]) -> Pair:
    """Return the numbers of two systems, given by seed, for the seeds that they have in common."""
    common = sorted(set(first) & set(second))
    return Pair(tuple(common), *(tuple(numbers[seed] for seed in common) for numbers in (first, second)))


@dataclass(frozen=True)
class Summary:
    """One system with each seed that it was trained with: its losses by length, and the rule of the verdicts."""

    title: str
    by_seed: Mapping[int, Losses]
    judge: Callable[[Losses], Verdict]

    @property
    def n(self) -> int:
        """How many seeds there are."""
        return len(self.by_seed)

    @property
    def mean(self) -> Losses:
        """The mean losses, from which the verdict follows."""
        return mean_losses(list(self.by_seed.values()))

    @property
    def verdict(self) -> Verdict:
        """What became of the system in the mean."""
        return self.judge(self.mean)

    @property
    def n_same(self) -> int:
        """How many of the seeds have that verdict alone."""
        return sum(self.judge(one) == self.verdict for one in self.by_seed.values())

    @property
    def grades(self) -> Mapping[int, float]:
        """The `grade` of each seed."""
        return {seed: grade(one) for seed, one in self.by_seed.items()}


def ranked(found: Iterable[System], summary: Callable[[System], Summary]) -> list[System]:
    """Return systems by the grade of their means, the best first and "not learned" last."""

    def place(system: System) -> tuple[bool, float]:
        one = summary(system)
        return one.verdict == NOT_LEARNED, grade(one.mean)

    return sorted(found, key=place)


def next_told(found: Sequence[Summary]) -> list[Told | None]:
    """Return for each system of an order whether it is told apart from the next one.

    None for the last one and where one of the two has not learned: its grade says nothing. With fewer than two
    seeds nothing can be said of a system.
    """
    told: list[Told | None] = []
    for place, one in enumerate(found):
        neighbours = found[place : place + 2]
        if one.n < 2:
            told.append("one training says nothing")
        elif len(neighbours) < 2 or any(neighbour.verdict == NOT_LEARNED for neighbour in neighbours):
            told.append(None)
        else:
            told.append(paired(*(neighbour.grades for neighbour in neighbours)).told)
    return told


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
