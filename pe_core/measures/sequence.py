r"""A sequence of text, images and videos: written in words, numbered by M-RoPE, and what one token then scores.

The score of a query and a key of equal content is $\tfrac{2}{d} \sum_i \cos(\Delta p_{a(i)}\,\omega_i)$, where $a(i)$
is the axis of pair i and $\Delta p$ the difference of the ids (t, h, w).
Reference: Wang et al. 2024, "Qwen2-VL", arXiv:2409.12191, section 2.1 and figure 3; Huang et al. 2025,
arXiv:2510.23095.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.encodings import mrope, rotary
from pe_core.encodings.mrope import Allocation, Image, Piece, Text, Video
from pe_core.parameters import cut, require

MAX_PARTS = 8
MAX_TOKENS = 400
MAX_SIDE = 24  # of an image or a video
_TIMES = re.compile(r"(?<=\d) ?[x×] ?(?=\d)", re.ASCII)
_PART = re.compile(r"text (\d{1,6})|image (\d{1,6})x(\d{1,6})|video (\d{1,6})x(\d{1,6})x(\d{1,6})", re.ASCII)


def parse(words: str) -> list[Piece]:
    """Return the pieces of a sequence such as "text 4, image 3x4, video 2x3x4": tokens, rows x columns, frames first.

    `ValueError` that quotes what is wrong: more than 8 parts, something else than these three, more than 24 frames,
    rows or columns, or not 2 to 400 tokens.
    """
    parts = [_TIMES.sub("x", " ".join(part.lower().split())) for part in words.split(",") if part.strip()]
    require(1 <= len(parts) <= MAX_PARTS, "sequence", f"have 1 to {MAX_PARTS} parts", len(parts))
    pieces = [_piece(part) for part in parts]
    n_tokens = sum(map(size, pieces))
    require(2 <= n_tokens <= MAX_TOKENS, "sequence", f"have 2 to {MAX_TOKENS} tokens", f"{n_tokens:,}")
    return pieces


def _piece(part: str) -> Piece:
    found = _PART.fullmatch(part)
    rule = "be text n, image rows x columns, or video frames x rows x columns"
    require(found is not None, "each part", rule, cut(part))
    assert found is not None  # for the type checker: the line above has raised
    numbers = [int(number) for number in found.groups() if number is not None]
    if len(numbers) == 1:
        require(1 <= numbers[0] <= MAX_TOKENS, "a text", f"have 1 to {MAX_TOKENS} tokens", part)
        return Text(*numbers)
    sides = f"be from 1 to {MAX_SIDE}"
    require(min(numbers) >= 1 and max(numbers) <= MAX_SIDE, "each side of an image or a video", sides, part)
    return Image(*numbers) if len(numbers) == 2 else Video(*numbers)


def size(piece: Piece) -> int:
    """Return how many tokens a piece has."""
    if isinstance(piece, Text):
        return piece.n
    return piece.height * piece.width * (piece.frames if isinstance(piece, Video) else 1)


@dataclass(frozen=True)
class Part:
    """A piece in its sequence: its kind, the tokens first .. last, and the ids (t, h, w) of these two."""

    kind: str
    first: int
    last: int
    first_ids: tuple[int, ...]
    last_ids: tuple[int, ...]


def parts(pieces: Sequence[Piece]) -> list[Part]:
    """Return where each piece stands in the sequence, and its first and last ids."""
    ids, found, start = mrope.position_ids(pieces).tolist(), [], 0
    for piece in pieces:
        last = start + size(piece) - 1
        found.append(Part(type(piece).__name__.lower(), start, last, tuple(ids[start]), tuple(ids[last])))
        start = last + 1
    return found


def next_id(pieces: Sequence[Piece]) -> int:
    """Return the id of a text token that comes after the pieces: one more than the largest so far, 0 without any."""
    return int(mrope.position_ids(pieces).max()) + 1 if pieces else 0


def scores(ids: Tensor, token: int, head_dim: int, base: float, allocation: Allocation) -> Tensor:
    """Return the score of `token` with each token of equal content, 1 with itself, float64, shape (T,).

    `ids` (T, 3) are t, h and w; every pair weighs the same.
    """
    require(0 <= token < len(ids), "token", f"be from 0 to {len(ids) - 1}", token)
    axes = mrope.sections(head_dim // 2, allocation)
    ones = torch.ones(len(ids), head_dim, dtype=torch.float64)
    turned = mrope.rotate(ones, ids, rotary.frequencies(head_dim, base), axes)
    return turned @ turned[token] / head_dim


def falls(head_dim: int, base: float, allocation: Allocation) -> tuple[float, ...]:
    """Return by how much the score of equal content falls one step away along t, h and w."""
    ids = torch.cat([torch.zeros(1, 3, dtype=torch.int64), torch.eye(3, dtype=torch.int64)])
    return tuple((1 - scores(ids, 0, head_dim, base, allocation)[1:]).tolist())


def plain_scores(n_tokens: int, token: int, head_dim: int, base: float) -> Tensor:
    """Return the same for plain RoPE over the place in the sequence, shape (T,)."""
    ids = torch.arange(n_tokens)[:, None].expand(-1, 3)
    return scores(ids, token, head_dim, base, "chunked")
