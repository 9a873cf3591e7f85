"""What a model learns from: what every dataset can do, and a text as one; tasks with answers are the other kind.

A text is tokens, one per character: a built-in English text of the standard library, or the visitor's own.
"""

import hashlib
import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import torch
from torch import Tensor

from pe_core.parameters import require

NOT_ASKED = -100  # the target where no answer is asked; `cross_entropy` leaves it out

MIN_CHARACTERS = 5_000
MAX_BYTES = 1_000_000
MAX_VOCAB_SIZE = 512  # rarer characters share one token, so that a text in Chinese has no giant output layer
OTHER = "\N{REPLACEMENT CHARACTER}"
HELD_OUT = 0.2  # the end of the text, never trained on
# Of the held-out text: the same ones at every length, but for less than a window at the end.
EVALUATED_CHARACTERS = 32_768


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokens to read, and the token that comes next, or `NOT_ASKED` where it does not count."""

    inputs: Tensor  # (N, T) int64
    targets: Tensor  # (N, T) int64

    @property
    def asked(self) -> Tensor:
        """Where an answer is asked, bool, (N, T)."""
        return self.targets != NOT_ASKED


class Dataset(Protocol):
    """What can be learned: examples of any length to train on and to be measured by, and what guessing costs."""

    @property
    def name(self) -> str:
        """What it is called on a page."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens in writing; a token is a place in it."""

    @property
    def n_characters(self) -> int:
        """How many characters there are of it; 0 where examples are made as they are needed."""

    @property
    def n_held_out(self) -> int:
        """How many tokens it is measured by, at any length."""

    @property
    def sha256(self) -> str:
        """The digest of all that decides its examples beside the code."""

    @property
    def chance_loss(self) -> float:
        """Loss of a uniform guess in nats per answer."""

    @property
    def unigram_loss(self) -> float:
        """Loss of a guess by frequency in nats per answer."""

    def check_length(self, max_length: int) -> None:
        """Raise `ValueError` where it has no examples of so many tokens."""

    def draw(self, n: int, length: int, generator: torch.Generator) -> Examples:
        """Return `n` examples to train on, each of so many tokens."""

    def held_out_examples(self, length: int) -> Examples:
        """Return the examples that measure a model at so many tokens, always the same ones."""


def is_task(dataset: Dataset) -> bool:
    """Return whether examples are made as they are needed, so that every answer is either right or wrong."""
    return dataset.n_characters == 0


def windows(tokens: Tensor, length: int, max_tokens: int) -> Examples:
    """Return a text cut into windows that do not overlap, with the next token as the target everywhere.

    `tokens` (characters,), of which at most `max_tokens` are read. Raises `ValueError` if no window fits.
    """
    n_windows = min(len(tokens) - 1, max_tokens) // length
    require(n_windows >= 1, "length", f"be less than the number of tokens ({len(tokens)})", length)
    end = n_windows * length
    return Examples(tokens[:end].view(n_windows, length), tokens[1 : end + 1].view(n_windows, length))


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text in tokens: the part to train on, the part held out, and the vocabulary."""

    name: str
    vocabulary: tuple[str, ...]
    train: Tensor  # (characters,) int64
    held_out: Tensor  # (characters,) int64

    @property
    def n_characters(self) -> int:
        """Characters of the whole text."""
        return len(self.train) + len(self.held_out)

    @property
    def n_held_out(self) -> int:
        """Characters that a model is measured by."""
        return min(EVALUATED_CHARACTERS, len(self.held_out))

    @property
    def sha256(self) -> str:
        """The digest of the text: its vocabulary and its tokens."""
        tokens = torch.cat([self.train, self.held_out])
        return hashlib.sha256("".join(self.vocabulary).encode() + tokens.numpy().tobytes()).hexdigest()

    @property
    def chance_loss(self) -> float:
        """Loss of a uniform guess in nats per character, ln of the vocabulary size."""
        return math.log(len(self.vocabulary))

    @property
    def unigram_loss(self) -> float:
        """Held-out loss in nats per character of a guess by frequency in the training part (add-one smoothing)."""
        vocab_size = len(self.vocabulary)
        counts = torch.bincount(self.train, minlength=vocab_size).double() + 1
        met = torch.bincount(self.held_out, minlength=vocab_size).double()  # few numbers: one sum for any threads
        return -float(met @ (counts / counts.sum()).log()) / len(self.held_out)

    def check_length(self, max_length: int) -> None:
        """Raise `ValueError` unless a window of `max_length` characters and one more fit into the held-out part."""
        n_characters = math.ceil((max_length + 1) / HELD_OUT)
        require(
            len(self.held_out) > max_length,
            "text",
            f"have at least {n_characters:,} characters, to be evaluated at length {max_length:,}",
            f"{self.n_characters:,}",
        )

    def draw(self, n: int, length: int, generator: torch.Generator) -> Examples:
        """Return `n` parts of the training text, each beginning anywhere."""
        starts = torch.randint(len(self.train) - length, (n, 1), generator=generator)
        parts = self.train[starts + torch.arange(length + 1)]  # (n, length + 1)
        return Examples(parts[:, :-1], parts[:, 1:])

    def held_out_examples(self, length: int) -> Examples:
        """Return the held-out part in windows of so many characters that do not overlap."""
        return windows(self.held_out, length, EVALUATED_CHARACTERS)


def from_text(text: str, *, name: str = "own text") -> Corpus:
    """Return the corpus of a text; raise `ValueError` if it is too short, too long or has one character only."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError(f"text must be UTF-8, got half a character at place {error.start:,}") from None
    require(len(text) >= MIN_CHARACTERS, "text", f"have at least {MIN_CHARACTERS:,} characters", f"{len(text):,}")
    require(size <= MAX_BYTES, "text", f"have at most {MAX_BYTES:,} bytes in UTF-8", f"{size:,}")
    counts = Counter(text)
    require(len(counts) > 1, "text", "have at least two different characters", repr(text[0]))
    vocabulary = sorted(counts)
    if len(vocabulary) > MAX_VOCAB_SIZE:
        del counts[OTHER]  # stands for the rare ones already
        vocabulary = [*sorted(symbol for symbol, _ in counts.most_common(MAX_VOCAB_SIZE - 1)), OTHER]
    index = {symbol: number for number, symbol in enumerate(vocabulary)}
    other = index.get(OTHER, 0)
    tokens = torch.tensor([index.get(character, other) for character in text])
    n_train = round(len(tokens) * (1 - HELD_OUT))
    return Corpus(name, tuple(vocabulary), tokens[:n_train], tokens[n_train:])


def from_bytes(content: bytes, *, name: str) -> Corpus:
    """Return the corpus of an uploaded file; raise `ValueError` if it is not UTF-8 or not a usable text."""
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")  # the byte order mark of some editors
    except UnicodeDecodeError as error:
        raise ValueError(f"text must be UTF-8, got byte {content[error.start]:#04x} at place {error.start:,}") from None
    return from_text(text, name=name)


@cache
def built_in() -> Corpus:
    """Return the language reference that Python itself ships for `help()`: some 465,000 characters of English."""
    from pydoc_data.topics import topics

    return from_text("\n\n".join(topics[key] for key in sorted(topics)), name="Python language reference")
