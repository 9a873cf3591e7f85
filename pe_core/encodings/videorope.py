r"""VideoRoPE: RoPE for video whose slow pairs are time, and whose frames lie on a diagonal.

It is M-RoPE (`mrope`) with other axes and other ids.

- Axes: the fastest three quarters of the pairs are height and width in turn, the slowest quarter is time, 24 : 24 : 16
  of 64 pairs. Over frames that are far apart a slow pair does not repeat, a fast one does again and again.
- Ids: a frame stands at t, and its middle at (t, t, t), so that the middle of a single frame is as far from the text
  before it as from that after it. With H rows and W columns, row y and column x have
  $t + y - \lfloor (H - 1) / 2 \rfloor$ and $t + x - \lfloor (W - 1) / 2 \rfloor$. The next frame stands
  $\delta$ further on, 2 in the paper. Text goes on one after the last t.

A text has the same id on all axes and gets plain RoPE. Ids of rows and columns may lie below those of the text before.
Reference: Wei et al. 2025, "VideoRoPE: What Makes for Good Video Rotary Position Embedding?", arXiv:2502.05173, and its
published code, whose channels (i, i + d/2) are pairs.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.encodings import mrope, rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.mrope import HEIGHT, TIME, WIDTH, MultimodalRotary, Piece, Text
from pe_core.parameters import Paper, require

SPATIAL, ALL = 24, 64  # pairs of height, as many of width, of all pairs of a head of 128 channels


def axes(n_pairs: int) -> Tensor:
    """Return the axis of each pair, 0 time, 1 height, 2 width, int64, shape (n_pairs,), fastest pair first.

    Height and width get 24 of 64 pairs each, rounded down, so that very few pairs are all time.
    """
    require(n_pairs >= 1, "n_pairs", "be at least 1", n_pairs)
    n_spatial = n_pairs * SPATIAL // ALL
    return torch.tensor([HEIGHT, WIDTH] * n_spatial + [TIME] * (n_pairs - 2 * n_spatial))


def position_ids(pieces: Sequence[Piece], *, step: int = 2) -> Tensor:
    """Return the ids (t, h, w) of every token of the pieces in order, frames row by row, int64, shape (T, 3).

    A piece starts one after the last t. Frames are `step` ids apart; an image is a video of one frame. `ValueError` for
    a piece without a token.
    """
    require(step >= 1, "step", "be at least 1 (1 is a text token per frame)", step)
    ids, start = [torch.empty(0, 3, dtype=torch.int64)], 0
    for piece in pieces:
        grid = mrope.grid(piece)
        require(len(grid) > 0, "pieces", "have at least one token each", piece)
        if not isinstance(piece, Text):
            time = step * grid[:, :1]
            middle = torch.tensor([(piece.height - 1) // 2, (piece.width - 1) // 2])
            grid = torch.cat([time, time + grid[:, 1:] - middle], dim=-1)
        ids.append(start + grid)
        start = int(ids[-1][-1, 0]) + 1
    return torch.cat(ids)


SPEC = EncodingSpec(
    key="videorope",
    title="VideoRoPE",
    family="rotary",
    summary="RoPE whose fast pairs follow height and width in turn, the slow ones time; plain RoPE on text.",
    paper=Paper("VideoRoPE: What Makes for Good Video Rotary Position Embedding?", "Wei et al.", 2025, "2502.05173"),
    make=lambda shape, params: MultimodalRotary(
        rotary.frequencies(shape.head_dim, params["base"]), axes(shape.head_dim // 2)
    ),
    parameters=(sinusoidal.BASE,),
)
