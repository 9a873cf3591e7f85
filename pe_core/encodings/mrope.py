r"""M-RoPE: RoPE of three axes for text, images and video. A token has ids (t, h, w), each pair of channels follows one.

Pair i is turned by the angle $p_{a(i)}\,\omega_i$, with the frequencies of plain RoPE, $\omega_i = b^{-2i/d}$, and
$a(i)$ the axis that it follows. A text has t = h = w and gets plain RoPE, exactly. Two allocations of pairs to axes:

- Chunked (Qwen2-VL): the fastest pairs are time, the next height, the slowest width, 16 : 24 : 24 of 64 pairs. Each
  axis has one stretch of the ladder only: time is all fast, width all slow.
- Interleaved (Qwen3-VL): time everywhere, height at pairs 1, 4, 7 .., width at 2, 5, 8 .., 24 : 20 : 20 of 64, the
  slowest pairs being time. Every axis has fast and slow pairs.

"Interleaved" names the axes of pairs, not the layout of channels: both turn channels (i, i + d/2) together, half-split.
Heads of another width keep the proportions; height and width are rounded down and time has the rest.
Reference: Wang et al. 2024, "Qwen2-VL", arXiv:2409.12191, section 2.1; Huang et al. 2025, "Revisiting Multimodal
Positional Encoding in Vision-Language Models", arXiv:2510.23095; allocations as in the code of both models.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pe_core.encodings import rope_2d, rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries, rows_of_queries
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Paper, require

Allocation = Literal["chunked", "interleaved"]
PROPORTIONS: dict[Allocation, tuple[int, int, int]] = {"chunked": (16, 24, 24), "interleaved": (24, 20, 20)}
TIME, HEIGHT, WIDTH = 0, 1, 2


def sections(n_pairs: int, allocation: Allocation = "chunked") -> Tensor:
    """Return the axis of each pair, 0 time, 1 height, 2 width, int64, shape (n_pairs,).

    Height and width get their share of `n_pairs` rounded down, so that very few pairs are all time. `ValueError` for an
    allocation that does not exist.
    """
    require(n_pairs >= 1, "n_pairs", "be at least 1", n_pairs)
    require(allocation in PROPORTIONS, "allocation", f"be one of {', '.join(PROPORTIONS)}", allocation)
    shares = PROPORTIONS[allocation]
    height, width = (n_pairs * share // sum(shares) for share in shares[1:])
    axes = torch.full((n_pairs,), TIME)
    if allocation == "chunked":
        axes[n_pairs - height - width :] = HEIGHT
        axes[n_pairs - width :] = WIDTH
    else:
        axes[HEIGHT : 3 * height : 3] = HEIGHT
        axes[WIDTH : 3 * width : 3] = WIDTH
    return axes


@dataclass(frozen=True)
class Text:
    """A piece of text of n tokens."""

    n: int


@dataclass(frozen=True)
class Image:
    """An image of height x width tokens: patches as the language model sees them, after merging."""

    height: int
    width: int


@dataclass(frozen=True)
class Video:
    """A video of frames x height x width tokens; a frame may stand for several pictures merged into one.

    A frame stands `interval` ids after the one before it, rounded down: 1 counts frames. Qwen2.5-VL counts time: its
    interval is ids per second (`tokens_per_second`) times the seconds of a frame.
    """

    frames: int
    height: int
    width: int
    interval: float = 1.0


Piece = Text | Image | Video


def position_ids(pieces: Sequence[Piece]) -> Tensor:
    """Return the ids (t, h, w) of every token of the pieces in order, images row by row, int64, shape (T, 3).

    A piece starts at s: 0 at first, then one more than the largest id so far. Text counts up from s on all axes, an
    image has t = s with h and w from s on, in a video t grows by its interval with every frame. So an image of 14 x 14
    tokens takes 14 positions from the text after it, not 196. `ValueError` for a piece without a token.

    What differs elsewhere: Qwen2-VL and Qwen2.5-VL in transformers 5 go on at s + max(height, width) even where t of a
    video is above that, so ids repeat; Qwen3-VL has every frame as an image of
    its own, with a time stamp in words before it.
    """
    ids, start = [torch.empty(0, 3, dtype=torch.int64)], 0
    for piece in pieces:
        ids_of_piece = grid(piece)
        require(len(ids_of_piece) > 0, "pieces", "have at least one token each", piece)
        if isinstance(piece, Video):
            require(piece.interval >= 0, "interval", "be at least 0 (0 is one id for all frames)", piece.interval)
            ids_of_piece[:, TIME] = (ids_of_piece[:, TIME] * piece.interval).floor().long()
        ids.append(start + ids_of_piece)
        start += int(ids_of_piece.max()) + 1
    return torch.cat(ids)


def grid(piece: Piece) -> Tensor:
    """Return the place (frame, row, column) of every token of a piece, from 0, int64, shape (n, 3).

    Text has the number of the token on all three.
    """
    if isinstance(piece, Text):
        return torch.arange(max(piece.n, 0))[:, None].expand(-1, 3)
    sides = (piece.frames if isinstance(piece, Video) else 1, piece.height, piece.width)
    return torch.cartesian_prod(*(torch.arange(max(side, 0)) for side in sides))


def rotate(x: Tensor, ids: Tensor, frequencies: Tensor, axes: Tensor, *, layout: Layout = "half") -> Tensor:
    """Return `x` (..., T, d) with pair i turned by the id of its axis times its frequency, same shape and dtype.

    `ids` (T, 3) or (B, T, 3) are t, h and w, `frequencies` (d / 2,) radians per step, `axes` (d / 2,) as `sections`
    returns them.
    """
    mine = axes.to(frequencies.device) == torch.arange(3, device=frequencies.device)[:, None]  # (3, d / 2)
    return rope_2d.rotate(x, ids, frequencies * mine, layout=layout)


class MultimodalRotary(PositionalEncoding):
    """Turn queries and keys by three ids, nothing is learned: `positions` (T,) or (B, T) of texts, else (B, T, 3)."""

    def __init__(self, frequencies: Tensor, axes: Tensor) -> None:
        super().__init__()
        self.frequencies = frequencies  # not a buffer: a cast of the model would round it
        self.axes = axes

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        ids = positions if positions.ndim == 3 else positions[..., None].expand(*positions.shape, 3)
        of_q = rows_of_queries(ids, count_queries(q, k, ids[..., TIME]))
        turned_q = rotate(q, of_q, self.frequencies, self.axes)
        return turned_q, rotate(k, ids, self.frequencies, self.axes)


CHUNKED = EncodingSpec(
    key="mrope",
    title="M-RoPE",
    family="rotary",
    summary="RoPE whose fast pairs follow time, the next the height, the slow ones the width; plain RoPE on text.",
    paper=Paper(
        "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution",
        "Wang et al.",
        2024,
        "2409.12191",
    ),
    make=lambda shape, params: MultimodalRotary(
        rotary.frequencies(shape.head_dim, params["base"]), sections(shape.head_dim // 2)
    ),
    parameters=(sinusoidal.BASE,),
)

INTERLEAVED = EncodingSpec(
    key="mrope_interleaved",
    title="M-RoPE, interleaved",
    family="rotary",
    summary="RoPE whose pairs follow time, height and width in turn, fast and slow alike; plain RoPE on text.",
    paper=Paper(
        "Revisiting Multimodal Positional Encoding in Vision-Language Models", "Huang et al.", 2025, "2510.23095"
    ),
    make=lambda shape, params: MultimodalRotary(
        rotary.frequencies(shape.head_dim, params["base"]), sections(shape.head_dim // 2, "interleaved")
    ),
    parameters=(sinusoidal.BASE,),
)
