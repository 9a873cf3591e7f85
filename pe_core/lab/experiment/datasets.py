"""What a model learns from: examples, and a text as a dataset of them; tasks with answers are the other kind.

A text is tokens, one per character: a built-in one, the visitor's own, or one of any size from files. It is cut into
topics, which are dealt into fifths of about the same size, each from all over the text; one of the fifths is held out.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor

from pe_core.lab.experiment.texts import SHARED, TEXTS, topics
from pe_core.parameters import Parameter, require

NOT_ASKED = -100  # the target where no answer is asked; `cross_entropy` leaves it out

MIN_CHARACTERS = 2_000  # of Chinese that is a page or two, and as much to learn as three times the letters
MAX_BYTES = 1_000_000
MAX_VOCAB_SIZE = 512  # rarer characters share one token, so that a text in Chinese has no giant output layer
OTHER = "\N{REPLACEMENT CHARACTER}"
N_SPLITS = 5  # ways to hold out a fifth of a text
# Of the held-out text: the same ones at every length, but for less than a window at the end. They are read in stretches
# from all over it, each as long as the longest window.
EVALUATED_CHARACTERS = 32_768
N_STRETCHES = 16
STRETCH, N_LONG = 32_768, 4  # characters of the longest windows: of a text of any size so many of them are evaluated
MIN_TOPIC = 4_096  # characters of a topic of an own text that has enough of them: two of the longest windows
DEFAULT_TEXT = next(iter(TEXTS))
SPLIT = Parameter("split", "Split", 0, "Which fifth of a text is held out.", 0, N_SPLITS - 1)


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokens to read, and the token that comes next, or `NOT_ASKED` where it does not count."""

    inputs: Tensor  # (N, T) int64
    targets: Tensor  # (N, T) int64

    @property
    def asked(self) -> Tensor:
        """Where an answer is asked, bool, (N, T)."""
        return self.targets != NOT_ASKED

    def part(self, first: int, end: int) -> "Examples":
        """Return the examples from the place `first` up to `end`, which is not among them."""
        return Examples(self.inputs[first:end], self.targets[first:end])

    def split(self, n: int) -> list["Examples"]:
        """Return the examples in parts of `n`, the last one with what is left."""
        return [self.part(first, first + n) for first in range(0, len(self.inputs), n)]

    def to(self, device: torch.device) -> "Examples":
        """Return them on a device; where they are there already, these tensors."""
        return Examples(self.inputs.to(device), self.targets.to(device))


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
    """A text in tokens: the part to train on, the part held out, and the vocabulary.

    Each part is several topics one after the other, and a window may reach from one into the next. What is evaluated
    of the held-out part stands at its beginning.
    """

    name: str
    vocabulary: tuple[str, ...]
    train: Tensor  # (characters,) int64
    held_out: Tensor  # (characters,) int64
    evaluated: int = EVALUATED_CHARACTERS  # of the held-out ones, at most

    @property
    def n_characters(self) -> int:
        """Characters of the whole text."""
        return len(self.train) + len(self.held_out)

    @property
    def n_held_out(self) -> int:
        """Characters that a model is measured by."""
        return min(self.evaluated, len(self.held_out))

    @cached_property
    def sha256(self) -> str:
        """The digest of the text and its split: vocabulary, tokens, and where the held-out ones begin."""
        digest = hashlib.sha256(f"{len(self.train)} {''.join(self.vocabulary)}".encode())
        for part in (self.train, self.held_out):
            digest.update(part.numpy().tobytes())
        return digest.hexdigest()

    @cached_property
    def seen_in_training(self) -> float:
        """The fraction of the evaluated characters that lie in `SHARED` in a row which the training part has, too."""
        evaluated, train = ("".join(map(chr, part.tolist())) for part in (self.held_out[: self.n_held_out], self.train))
        asked = {evaluated[place : place + SHARED] for place in range(len(evaluated) - SHARED + 1)}
        found = asked.intersection(train[place : place + SHARED] for place in range(len(train) - SHARED + 1))
        n_seen = end = 0
        for place in range(len(evaluated) - SHARED + 1):
            if evaluated[place : place + SHARED] in found:
                n_seen += place + SHARED - max(end, place)
                end = place + SHARED
        return n_seen / len(evaluated)

    @property
    def chance_loss(self) -> float:
        """Loss of a uniform guess in nats per character, ln of the vocabulary size."""
        return math.log(len(self.vocabulary))

    @cached_property
    def unigram_loss(self) -> float:
        """Held-out loss in nats per character of a guess by the frequencies in training (add-one smoothing)."""
        counts = torch.bincount(self.train, minlength=len(self.vocabulary)).double() + 1
        met = torch.bincount(self.held_out, minlength=len(counts)).double()  # few numbers: one sum for any threads
        return -float(met @ (counts / counts.sum()).log()) / len(self.held_out)

    def check_length(self, max_length: int) -> None:
        """Raise `ValueError` unless a window of `max_length` characters and one more fit into the held-out part."""
        n_characters = (max_length + 1) * N_SPLITS
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
        return windows(self.held_out, length, self.n_held_out)


def dealt(topics: Sequence[str]) -> list[int]:
    """Return for each topic the split that holds it out, so that all splits hold out about as much.

    Every topic goes to the split that has least when its turn comes: what a split holds out is from all over the text.
    """
    sizes = [0] * N_SPLITS
    splits = []
    for topic in topics:
        split = sizes.index(min(sizes))
        splits.append(split)
        sizes[split] += len(topic)
    return splits


def cut(text: str) -> list[str]:
    """Return a text without known topics in stretches of about the same length, as many for each split."""
    n = N_SPLITS * max(1, len(text) // (N_SPLITS * MIN_TOPIC))
    return [text[start:end] for start, end in pairwise(len(text) * place // n for place in range(n + 1))]


def numbered(counts: Counter[str]) -> dict[str, int]:
    """Return the number of each symbol of a text, given how often each stands there; the rarest of many share one."""
    vocabulary = sorted(counts)
    if len(vocabulary) > MAX_VOCAB_SIZE:
        del counts[OTHER]  # stands for the rare ones already
        vocabulary = [*sorted(symbol for symbol, _ in counts.most_common(MAX_VOCAB_SIZE - 1)), OTHER]
    return {symbol: number for number, symbol in enumerate(vocabulary)}


def from_topics(
    topics: Sequence[str],
    *,
    name: str,
    split: int = 0,
    n_stretches: int = N_STRETCHES,
    n_read: int = EVALUATED_CHARACTERS // N_STRETCHES,
) -> Corpus:
    """Return the corpus of a text in topics, of which one group is held out; `ValueError` for a split there is not.

    Of what is held out so many stretches of `n_read` characters are evaluated.
    """
    SPLIT.check(split)
    index = numbered(Counter("".join(topics)))
    other = index.get(OTHER, 0)
    splits = dealt(topics)

    def tokens(*, held_out: bool) -> Tensor:
        text = "".join(topic for topic, its in zip(topics, splits, strict=True) if (its == split) == held_out)
        return torch.tensor([index.get(character, other) for character in text])

    stretches = tokens(held_out=True).tensor_split(n_stretches)
    held_out = [*(part[:n_read] for part in stretches), *(part[n_read:] for part in stretches)]
    return Corpus(name, tuple(index), tokens(held_out=False), torch.cat(held_out), n_stretches * n_read)


def from_text(text: str, *, name: str = "own text", split: int = 0) -> Corpus:
    """Return the corpus of a text whose topics are not known, cut into stretches of some thousand characters.

    Raises `ValueError` if it is too short, too long or has one character only, and for a split that there is not.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError(f"text must be UTF-8, got an incomplete character at position {error.start:,}") from None
    require(len(text) >= MIN_CHARACTERS, "text", f"have at least {MIN_CHARACTERS:,} characters", f"{len(text):,}")
    require(size <= MAX_BYTES, "text", f"have at most {MAX_BYTES:,} bytes in UTF-8", f"{size:,}")
    require(len(set(text)) > 1, "text", "have at least two different characters", repr(text[0]))
    return from_topics(cut(text), name=name, split=split)


def from_bytes(content: bytes, *, name: str, split: int = 0) -> Corpus:
    """Return the corpus of an uploaded file; raise `ValueError` if it is not UTF-8 or not a usable text."""
    return from_text(decoded(content), name=name, split=split)


def decoded(content: bytes) -> str:
    """Return the text of a file; `ValueError` if it is not UTF-8."""
    try:
        return content.decode("utf-8").removeprefix("\ufeff")  # the byte order mark of some editors
    except UnicodeDecodeError as error:
        raise ValueError(
            f"text must be UTF-8, got byte {content[error.start]:#04x} at position {error.start:,}"
        ) from None


def from_path(path: Path, split: int = 0) -> Corpus:
    """Return the corpus of a file in UTF-8 of any size, or of all such files of a folder, one after the other by name.

    Files of a folder that are not UTF-8, or have a zero in them, are left out. Every fifth stretch is held out. Raises
    `ValueError` for a split that there is not, a file that is not UTF-8, and where there are fewer than five stretches;
    `OSError` for no file.
    """
    if path.is_dir():
        texts = []
        for file in sorted(one for one in path.rglob("*") if one.is_file()):
            with suppress(ValueError):
                texts.append(decoded(file.read_bytes()))
        text = "".join(one for one in texts if "\0" not in one)
    else:
        text = decoded(path.read_bytes())
    least = N_SPLITS * STRETCH
    require(len(text) >= least, "text", f"have at least {least:,} characters", f"{len(text):,}")
    stretches = [text[start : start + STRETCH] for start in range(0, len(text), STRETCH)]
    return from_topics(stretches, name=path.name, split=split, n_stretches=N_LONG, n_read=STRETCH)


def built_in(key: str = DEFAULT_TEXT, split: int = 0) -> Corpus:
    """Return a built-in text, always the same object; `ValueError` for a text or a split that there is not."""
    require(key in TEXTS, "text", f"be one of {', '.join(TEXTS)}", key)
    return _read(key, split)


@cache
def _read(key: str, split: int) -> Corpus:
    return from_topics(topics(key), name=_name(key, split), split=split)


def _name(key: str, split: int) -> str:
    return f"{TEXTS[key].title}, split {split}" if split else TEXTS[key].title


# What `built_in` is called with for each of its texts, by their names.
BUILT_IN = {_name(key, split): (key, split) for key in TEXTS for split in range(N_SPLITS)}


def named(name: str) -> Corpus | None:
    """Return the built-in text of this name, None if there is none; an own text may have the same name."""
    return built_in(*BUILT_IN[name]) if name in BUILT_IN else None
