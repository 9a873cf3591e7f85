"""Systems that were trained with several seeds: their order, and whether the seeds tell them apart."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, Self, TypeVar

import torch

from pe_core.lab.results.statistics import NOT_LEARNED, Losses, Verdict, bits, grade, mean_losses, more_bits
from pe_core.measures.uncertainty import LEVEL, holm, interval, p_value

System = TypeVar("System", bound="Summary")
Told = Literal["yes", "not distinguishable", "one run says nothing", "no seed in common"]


@dataclass(frozen=True)
class Pair:
    """A number of two systems for each seed that both were trained with, in the order of the seeds.

    With the same seed both start from the same shared weights and learn the same texts in the same order, so that the
    difference has less chance in it than either number. `blocks` has for each seed the differences by block of the
    text, where the number is a mean over blocks.
    """

    seeds: tuple[int, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    blocks: tuple[tuple[float, ...], ...] = ()

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
        """Whether the seeds tell the two systems apart, this pair being the only one that is tested."""
        return told_apart([self])[0]

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the mean difference over seeds, and over the text where the blocks are known."""
        rows = self.blocks or tuple((difference,) for difference in self.differences)
        return interval(torch.tensor(rows, dtype=torch.float64)) if rows else None


def paired(first: Mapping[int, float], second: Mapping[int, float]) -> Pair:
    """Return the numbers of two systems, given by seed, for the seeds that they have in common."""
    common = sorted(set(first) & set(second))
    return Pair(tuple(common), tuple(first[seed] for seed in common), tuple(second[seed] for seed in common))


def paired_bits(first: Mapping[int, Losses], second: Mapping[int, Losses]) -> Pair:
    """Return the `more_bits` of two systems, given their losses by seed, for the seeds that they have in common."""
    pair = paired(*({seed: more_bits(one) for seed, one in losses.items()} for losses in (first, second)))
    blocks = tuple(
        tuple(bits(one - other) for one, other in zip(first[seed][-1].blocks, second[seed][-1].blocks, strict=True))
        for seed in pair.seeds
    )
    return replace(pair, blocks=blocks if all(blocks) else ())


def told_apart(pairs: Sequence[Pair]) -> list[Told]:
    """Return of each pair whether its seeds tell it apart, by Holm's correction over those with two seeds or more."""
    tested = [place for place, pair in enumerate(pairs) if len(pair.seeds) >= 2]
    corrected = dict(zip(tested, holm([pairs[place].p for place in tested]), strict=True))
    told: list[Told] = []
    for place, pair in enumerate(pairs):
        if place in corrected:
            told.append("yes" if corrected[place] < LEVEL else "not distinguishable")
        else:
            told.append("one run says nothing" if pair.seeds else "no seed in common")
    return told


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

    @cached_property
    def losses(self) -> Losses:
        """The mean losses, from which the verdict follows."""
        return mean_losses(list(self.by_seed.values()))

    @cached_property
    def verdict(self) -> Verdict:
        """What became of the system in the mean."""
        return self.judge(self.losses)

    @property
    def n_same(self) -> int:
        """How many of the seeds have that verdict alone."""
        return sum(self.judge(one) == self.verdict for one in self.by_seed.values())

    @property
    def grades(self) -> Mapping[int, float]:
        """The `grade` of each seed."""
        return {seed: grade(one) for seed, one in self.by_seed.items()}

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of its `more_bits` over seeds and text, None where neither several seeds nor blocks are."""
        rows = [[bits(block) for block in one[-1].blocks] or [more_bits(one)] for one in self.by_seed.values()]
        return interval(torch.tensor(rows, dtype=torch.float64))

    def of_seeds(self, seeds: Iterable[int]) -> Self:
        """Return the system with some of its seeds alone."""
        return replace(self, by_seed={seed: self.by_seed[seed] for seed in seeds})


def common_seeds(found: Iterable[Summary]) -> list[int]:
    """Return the seeds that all systems were trained with, in their order."""
    each = [set(one.by_seed) for one in found]
    return sorted(set.intersection(*each)) if each else []


def ranked(systems: Sequence[System]) -> list[System]:
    """Return systems by the grade of their means over common seeds, the best first and "not learned" last.

    Another seed would be easier or harder for all. Where no seed is common to all, each counts with its own.
    """
    common = common_seeds(systems)

    def place(system: System) -> tuple[bool, float]:
        one = system.of_seeds(common) if common else system
        return one.verdict == NOT_LEARNED, grade(one.losses)

    return sorted(systems, key=place)


def next_told(found: Sequence[Summary]) -> list[Told | None]:
    """Return for each system of an order whether it is told apart from the next one, after Holm's correction.

    None for the last one and where one of the two has not learned: its grade says nothing. With fewer than two
    seeds nothing can be said of a system.
    """
    said: list[Told | None] = ["one run says nothing" if one.n < 2 else None for one in found]
    neighbours = [
        place
        for place, pair in enumerate(pairwise(found))
        if said[place] is None and all(one.verdict != NOT_LEARNED for one in pair)
    ]
    told = told_apart([paired(found[place].grades, found[place + 1].grades) for place in neighbours])
    for place, one in zip(neighbours, told, strict=True):
        said[place] = one
    return said


def n_tests(told: Iterable[object]) -> int:
    """Return how many pairs of a table were tested, over which the correction is made."""
    return sum(one in ("yes", "not distinguishable") for one in told)
