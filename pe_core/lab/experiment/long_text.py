"""A text of any size, from a file or all files of a folder: read in pieces, and kept as tokens on the disk.

It is read twice: once to count its characters, once to write their numbers. So it need not fit into memory. It is cut
into stretches, of which every fifth is held out; of these some from all over the text are evaluated.
"""

import codecs
import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pe_core.lab.experiment.datasets import N_SPLITS, OTHER, SPLIT, Corpus, Examples, numbered
from pe_core.parameters import require

STRETCH = 32_768  # characters
LONG_EVALUATED = 131_072  # characters: four of the longest windows
N_KEPT = LONG_EVALUATED // STRETCH + 1  # held-out stretches that are evaluated: one more for the next character
PIECE = 1 << 20  # bytes that are read at once


@dataclass(frozen=True, eq=False)
class LongText(Corpus):
    """A corpus whose training part lies on the disk, as numbers of 16 bits; what is held out is what is evaluated."""

    n_characters: int = 0  # of the whole text
    sha256: str = ""  # of the text and its split
    counts: Tensor = field(default_factory=lambda: torch.zeros(0))  # of each token in the whole text

    @property
    def n_held_out(self) -> int:
        """Characters that a model is measured by."""
        return min(LONG_EVALUATED, len(self.held_out) - 1)

    def draw(self, n: int, length: int, generator: torch.Generator) -> Examples:
        """Return `n` parts of the training text, each beginning anywhere."""
        starts = torch.randint(len(self.train) - length, (n,), generator=generator).tolist()
        parts = torch.stack([self.train[start : start + length + 1].long() for start in starts])
        return Examples(parts[:, :-1], parts[:, 1:])


def from_path(path: Path, split: int = 0) -> LongText:
    """Return the text of a file in UTF-8, or of all such files of a folder, one after the other by their names.

    Files of a folder that are not UTF-8, or have a zero in them, are left out. Raises `ValueError` for a split that
    there is not, a file that is not UTF-8, and where there are fewer than five stretches; `OSError` for no file.
    """
    SPLIT.check(split)
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    counts, read = Counter[str](), []
    for file in files:
        try:
            own = Counter[str]()
            for piece in pieces(file):
                own.update(piece)
            require("\0" not in own, "text", "have no character of number 0", file)
        except ValueError:
            if file == path:
                raise
            continue
        counts += own
        read.append(file)
    n_characters = counts.total()
    least = N_SPLITS * STRETCH
    require(n_characters >= least, "text", f"have at least {least:,} characters", f"{n_characters:,}")
    return _written(path.name, read, numbered(counts), n_characters, split)


def pieces(file: Path) -> Iterator[str]:
    """Yield the text of a file piece by piece; `ValueError` where it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    at = 0
    with file.open("rb") as content:
        while True:
            piece = content.read(PIECE)
            try:
                yield decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                place = f"{at + error.start:,}"
                raise ValueError(f"text must be UTF-8, got another byte near place {place} of {file.name}") from None
            if not piece:
                return
            at += len(piece)


def _written(name: str, files: Sequence[Path], index: dict[str, int], n_characters: int, split: int) -> LongText:
    """Return the text, whose training part is written into a file that goes with it."""
    other = index.get(OTHER, 0)
    n_stretches = n_characters // STRETCH
    out = [number for number in range(n_stretches) if number % N_SPLITS == split]
    evaluated = {out[place * len(out) // N_KEPT] for place in range(N_KEPT)} if len(out) > N_KEPT else set(out)
    digest = hashlib.sha256(f"{split} {''.join(index)}".encode())
    held_out, counts = [], np.zeros(len(index), dtype=np.int64)
    with tempfile.TemporaryFile() as tokens:
        for number, stretch in enumerate(_stretches(files)):
            numbers = np.fromiter((index.get(one, other) for one in stretch), dtype=np.uint16, count=len(stretch))
            digest.update(numbers.tobytes())
            counts += np.bincount(numbers, minlength=len(counts))
            if number in evaluated:
                held_out.append(numbers.astype(np.int64))
            elif number % N_SPLITS != split:
                tokens.write(numbers.tobytes())
        tokens.flush()
        train = torch.from_numpy(np.memmap(tokens, dtype=np.uint16, mode="r+"))  # it stays when the file is closed
    kept = torch.from_numpy(np.concatenate(held_out))
    return LongText(name, tuple(index), train, kept, n_characters, digest.hexdigest(), torch.from_numpy(counts))


def _stretches(files: Sequence[Path]) -> Iterator[str]:
    left = ""
    for file in files:
        for piece in pieces(file):
            left += piece
            whole = len(left) // STRETCH * STRETCH
            yield from (left[start : start + STRETCH] for start in range(0, whole, STRETCH))
            left = left[whole:]
    if left:
        yield left
