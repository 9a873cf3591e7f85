"""What a task is: questions that a generator makes up at any size, with the one answer to each."""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS, NOT_ASKED, Corpus, Examples
from pe_core.parameters import Entry, Value, require

DIGITS = tuple("0123456789")
ANSWER, PLUS = "=", "+"
SMALL, CAPITAL = tuple("ab"), tuple("AB")
VOCABULARY = (*DIGITS, ANSWER, PLUS, *SMALL, *CAPITAL)

# Gets a number, a size and a generator; makes so many examples of that size, whose last token is asked in each.
Maker = Callable[[int, int, torch.Generator], Examples]


@dataclass(frozen=True, kw_only=True)
class Task(Entry):
    """A task of the registry, which is the dataset of a run as well.

    A model reads an example symbol by symbol; only the places count where an answer is asked. `tokens(size)` is how
    long an example is, the last answer included. A model is trained on all sizes that fit into the training length,
    each as likely as the others, and measured at the largest one that fits into each length. There are `n_answers`
    symbols to answer with, each as often right as the others. `settings` are those with which
    a model that is else the lab's default one learns the task; where it names none they are `FOR_TASKS`.
    """

    tokens: Callable[[int], int]
    make: Maker
    n_answers: int = len(DIGITS)
    vocabulary: tuple[str, ...] = VOCABULARY
    settings: Mapping[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called on a page."""
        return self.title

    @property
    def n_characters(self) -> int:
        """None are kept: examples are made as they are needed."""
        return 0

    @property
    def n_held_out(self) -> int:
        """Tokens that a model is measured by, at any length: as many as of a text."""
        return EVALUATED_CHARACTERS

    @property
    def sha256(self) -> str:
        """The digest of its key: all else is code."""
        return hashlib.sha256(f"task {self.key}".encode()).hexdigest()

    @property
    def chance_loss(self) -> float:
        """Loss of a uniform guess among the answers in nats."""
        return math.log(self.n_answers)

    @property
    def unigram_loss(self) -> float:
        """Loss of a guess by frequency in nats: that of a uniform one, since answers are equally likely."""
        return self.chance_loss

    def size(self, length: int) -> int:
        """Return the largest size whose examples are read in so many tokens, the last one only answered; 0 if none."""
        size = 0
        while self.tokens(size + 1) <= length + 1:
            size += 1
        return size

    def check_length(self, max_length: int) -> None:
        """Raise `ValueError` where no question fits into so many tokens."""
        min_length = self.tokens(1) - 1
        require(
            max_length >= min_length, "length", f"be at least {min_length} tokens for the task {self.title}", max_length
        )

    def draw(self, n: int, length: int, generator: torch.Generator) -> Examples:
        """Return `n` examples of sizes drawn from all that fit, filled up to `length` where nothing is asked."""
        self.check_length(length)
        sizes = Counter(torch.randint(1, self.size(length) + 1, (n,), generator=generator).tolist())
        drawn = [_filled(self.make(count, size, generator), length) for size, count in sorted(sizes.items())]
        return Examples(torch.cat([one.inputs for one in drawn]), torch.cat([one.targets for one in drawn]))

    def held_out_examples(self, length: int) -> Examples:
        """Return examples of the largest size that fits, from a seed of their own, as many tokens as of a text."""
        self.check_length(length)
        generator = torch.Generator().manual_seed(length)
        return _filled(self.make(max(1, EVALUATED_CHARACTERS // length), self.size(length), generator), length)

    def worked_example(self, length: int) -> list[tuple[str, bool]]:
        """Return the first held-out example of a length, cut where asking begins or ends: symbols, and if asked."""
        examples = self.held_out_examples(length)
        inputs, targets = examples.inputs[0].tolist(), examples.targets[0].tolist()
        end = max(place for place, target in enumerate(targets) if target != NOT_ASKED)
        tokens = [*inputs[: end + 1], targets[end]]
        asked = [False, *(target != NOT_ASKED for target in targets[: end + 1])]
        parts = groupby(zip(tokens, asked, strict=True), key=lambda pair: pair[1])
        return [("".join(self.vocabulary[token] for token, _ in part), is_asked) for is_asked, part in parts]


Dataset = Corpus | Task  # what can be learned


def _filled(examples: Examples, length: int) -> Examples:
    # A causal mask hides what is filled in from all that is asked.
    missing = length - examples.inputs.shape[1]
    return Examples(
        F.pad(examples.inputs, (0, missing)),
        F.pad(examples.targets, (0, missing), value=NOT_ASKED),
    )


def sign(symbol: str, n: int) -> Tensor:
    """Return a column of one sign, (n, 1)."""
    return torch.full((n, 1), VOCABULARY.index(symbol))


def asking(tokens: Tensor, asked: Tensor) -> Examples:
    """Return the examples that tell tokens (n, T) one after the other and ask for those at some places.

    `asked` is bool, (n, T) or (T,); the first token cannot be asked, and the last one is only answered.
    """
    return Examples(tokens[:, :-1], torch.where(asked, tokens, NOT_ASKED)[:, 1:])


def answered(question: Tensor, answer: Tensor) -> Examples:
    """Return the examples of questions (n, P) with a sign after each and then, all of it asked, the answer (n, A)."""
    tokens = torch.cat([question, sign(ANSWER, len(question)), answer], dim=1)
    return asking(tokens, torch.arange(tokens.shape[1]) > question.shape[1])
