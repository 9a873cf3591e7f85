"""Text as tokens, one per character: a built-in English text of the standard library, or the visitor's own."""

import hashlib
import math
from collections import Counter
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from pe_core.lab.experiment.dataset import Examples, windows
from pe_core.parameters import require

LEAST_CHARACTERS = 5_000
MOST_BYTES = 1_000_000
MOST_SYMBOLS = 512  # rarer characters share one symbol, so that a text in Chinese does not become a giant output layer
OTHER = "\N{REPLACEMENT CHARACTER}"
HELD_OUT = 0.2  # the end of the text, never trained on
# Of the held-out text: the same ones at every length, but for less than a window at the end.
EVALUATED_CHARACTERS = 32_768


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text in tokens: the part to train on, the part held out, and the symbols (vocabulary) that tokens stand for."""

    name: str
    symbols: tuple[str, ...]
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
        """The digest of the text: its symbols and its tokens."""
        tokens = torch.cat([self.train, self.held_out])
        return hashlib.sha256("".join(self.symbols).encode() + tokens.numpy().tobytes()).hexdigest()

    @property
    def chance_loss(self) -> float:
        """Loss of a uniform guess in nats per character, ln of the number of symbols."""
        return math.log(len(self.symbols))

    @property
    def unigram_loss(self) -> float:
        """Held-out loss in nats per character of a guess by frequency in the training part (add-one smoothing)."""
        n_symbols = len(self.symbols)
        counts = torch.bincount(self.train, minlength=n_symbols).double() + 1
        met = torch.bincount(self.held_out, minlength=n_symbols).double()  # few numbers: one sum for any threads
        return -float(met @ (counts / counts.sum()).log()) / len(self.held_out)

    def check_length(self, longest: int) -> None:
        """Raise `ValueError` unless one window of `longest` characters and its next one fit into the held-out part."""
        least = math.ceil((longest + 1) / HELD_OUT)
        require(
            len(self.held_out) > longest,
            "text",
            f"have at least {least:,} characters, to be evaluated at length {longest:,}",
            f"{self.n_characters:,}",
        )

    def draw(self, n: int, length: int, generator: torch.Generator) -> Examples:
        """Return `n` pieces of the training part, each beginning anywhere."""
        starts = torch.randint(len(self.train) - length, (n, 1), generator=generator)
        pieces = self.train[starts + torch.arange(length + 1)]  # (n, length + 1)
        return Examples(pieces[:, :-1], pieces[:, 1:])

    def held_out_examples(self, length: int) -> Examples:
        """Return the held-out part in windows of so many characters that do not overlap."""
        return windows(self.held_out, length, EVALUATED_CHARACTERS)


def from_text(text: str, *, name: str = "own text") -> Corpus:
    """Return the corpus of a text; raise `ValueError` if it is too short, too long or has one character only."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError(f"text must be UTF-8, got half a character at place {error.start:,}") from None
    require(len(text) >= LEAST_CHARACTERS, "text", f"have at least {LEAST_CHARACTERS:,} characters", f"{len(text):,}")
    require(size <= MOST_BYTES, "text", f"have at most {MOST_BYTES:,} bytes in UTF-8", f"{size:,}")
    counts = Counter(text)
    require(len(counts) > 1, "text", "have at least two different characters", repr(text[0]))
    symbols = sorted(counts)
    if len(symbols) > MOST_SYMBOLS:
        del counts[OTHER]  # stands for the rare ones already
        symbols = [*sorted(symbol for symbol, _ in counts.most_common(MOST_SYMBOLS - 1)), OTHER]
    index = {symbol: number for number, symbol in enumerate(symbols)}
    other = index.get(OTHER, 0)
    tokens = torch.tensor([index.get(character, other) for character in text])
    n_train = round(len(tokens) * (1 - HELD_OUT))
    return Corpus(name, tuple(symbols), tokens[:n_train], tokens[n_train:])


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
