"""What a question with numbers is: what is given, what is to be found, and how near an answer has to be."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeVar

import torch

from pe_core.parameters import quoted, require

T = TypeVar("T")


@dataclass(frozen=True)
class Tolerance:
    """How far an answer may be from the computed one: by so much, or by such a fraction of it."""

    absolute: float = 0.0
    relative: float = 0.0

    def allows(self, answer: float, computed: float) -> bool:
        """Return whether the answer is near enough."""
        return abs(answer - computed) <= self.absolute + self.relative * abs(computed)


BARE = (0.0, 1.0, -1.0)  # what is guessed without any thought
WHOLE = Tolerance(absolute=1e-9)  # a number that is counted
PERCENT = Tolerance(relative=0.01)
HUNDREDTH = Tolerance(absolute=0.01)
TENTH = Tolerance(absolute=0.1)


@dataclass(frozen=True)
class QuizQuestion:
    """The numbers of a question and of its answer; `given` are also the arguments of the picture that goes with it."""

    given: Mapping[str, int]
    answer: float
    steps: Mapping[str, float | str] = field(default_factory=dict)  # numbers on the way, for the explanation


@dataclass(frozen=True)
class QuestionSpec:
    """A kind of question: a maker that draws the numbers and has `pe_core` compute the answer.

    Numbers are drawn anew as long as a bare 0, 1 or -1 would do as the answer.
    """

    title: str
    make: Callable[[torch.Generator], QuizQuestion]
    tolerance: Tolerance

    def ask(self, seed: int) -> QuizQuestion:
        """Return the question of that number: the same one each time."""
        generator = torch.Generator().manual_seed(seed)
        asked = self.make(generator)
        while any(self.tolerance.allows(guess, asked.answer) for guess in BARE):
            asked = self.make(generator)
        return asked

    def solved(self, asked: QuizQuestion) -> QuizQuestion:
        """Return another question of this kind, to be shown with its answer: the first with other numbers."""
        seed = 0
        while self.ask(seed).given == asked.given:
            seed += 1
        return self.ask(seed)


def whole(minimum: int, maximum: int, generator: torch.Generator) -> int:
    """Return a whole number from `minimum` to `maximum`, both included."""
    return int(torch.randint(minimum, maximum + 1, (1,), generator=generator))


def one_of(choices: Sequence[T], generator: torch.Generator) -> T:
    """Return one of the choices."""
    return choices[whole(0, len(choices) - 1, generator)]


def number_in(text: str) -> float:
    """Return the number that a text stands for, written as 0.25, 2.5e-1 or 1/4; `ValueError` if it is none."""
    parts = text.replace("−", "-").split("/")
    value = float("nan")
    if len(parts) <= 2 and "_" not in text:
        with suppress(ValueError, ZeroDivisionError):
            value = float(parts[0]) / (float(parts[1]) if len(parts) == 2 else 1.0)
    require(isfinite(value), "answer", "be a number such as 0.25, 2.5e-1 or 1/4", quoted(text))
    return value
