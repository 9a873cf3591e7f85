r"""ReRoPE: RoPE that never sees a distance above w, or, in the leaky form, lets it grow more slowly from there on.

The distance $\Delta = m - n$ in the score becomes $\min(\Delta, w)$, leaky: $w + (\Delta - w) / c$ from w on. Two score
matrices are needed, one for each side of w. Here the near one is ordinary RoPE (`rotate`), and `bias` adds, where
$\Delta \ge w$, the difference to the far one, found by turning the turned vectors on: from m to $w + (m - w) / c$ and
from n to $n / c$, with $c = \infty$ for ReRoPE. Keys after the query keep the score of RoPE: the idea is causal.

- w must lie well within the training length, a quarter to a half of it. At w = L the capped distance is one
  more than the largest that was trained, and the result breaks where all far keys are seen there.
- The idea is meant for a model trained with RoPE, without any training of its own; w at least T is plain RoPE.
- With w = L and a mask of the first and the last keys this is the "lambda" attention of LM-Infinite (Han et al. 2023,
  arXiv:2308.16137): distances capped at L, and only the sinks and the window are seen.

Reference: Su 2023, kexue.fm/archives/9708 (in Chinese), and github.com/bojone/rerope.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import NamedTuple

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import between, count_queries, of_queries
from pe_core.encodings.rotary import Rotary, rope
from pe_core.parameters import Paper, Parameter, require, tokens


class Told(NamedTuple):
    """Where queries and keys count as standing in some of their pairs, both (T,) or (B, T), in tokens.

    Those are the pairs whose numbers `apart`, one per token, differ by `least` to `most`, query minus key.
    """

    query: Tensor
    key: Tensor
    apart: Tensor
    least: float
    most: float = math.inf


class Corrected(PositionalEncoding):
    """Turn queries and keys as RoPE does, and change the scores of pairs that are told another distance.

    `told` returns these pairs for the positions (T,) or (B, T) of a text, float64, and the `sizes`; none may be among
    them twice. Nothing is learned.
    """

    def __init__(self, rope: Rotary, told: Callable[..., Sequence[Told]], **sizes: float) -> None:
        super().__init__()
        self.rope = rope
        self.told = partial(told, **sizes)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.rope.rotate(q, k, positions)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        dtype = torch.promote_types(q.dtype, torch.float32)  # a difference of two scores: half precision is not enough
        query, key, places = q.to(dtype), k.to(dtype), positions.to(torch.float64)
        n_queries = count_queries(q, k, positions)
        plain = query @ key.mT

        def change(told: Told) -> Tensor:
            """Return how the scores of the pairs change, and 0 for others: vectors that are turned are turned on."""
            ahead_of_query, ahead_of_key = of_queries(told.query - places, n_queries), told.key - places
            moved_query = rotary.rotate(query, ahead_of_query, self.rope.frequencies, layout=self.rope.layout)
            moved_key = rotary.rotate(key, ahead_of_key, self.rope.frequencies, layout=self.rope.layout)
            apart = between(told.apart, torch.float64, n_queries=n_queries)
            changed = moved_query @ moved_key.mT
            changed -= plain  # in place, as all that follows: these are the largest tensors of a model
            changed *= ((apart >= told.least) & (apart <= told.most)).to(dtype)
            return changed

        whole = reduce(Tensor.add_, map(change, self.told(places)))
        whole /= math.sqrt(q.shape[-1])
        return whole.to(q.dtype)


def told(positions: Tensor, *, window: float, factor: float = math.inf) -> tuple[Told]:
    """Return that distances from `window` tokens on grow `factor` times more slowly, or not at all."""
    require(window > 0, "window", "be above 0", window)
    require(factor >= 1, "factor", "be at least 1", factor)
    return (Told(window + (positions - window) / factor, positions / factor, positions, window),)


WINDOW = Parameter("window", "Window", 0.5, "Distance that is kept exact, in training lengths.", 0.1, 1.0, 0.05)
_PAPER = Paper("ReRoPE for extrapolation without limit (in Chinese)", "Su", 2023, None)


SPEC = EncodingSpec(
    key="rerope",
    title="ReRoPE",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE in which every key beyond a window seems to stand at its edge.",
    paper=_PAPER,
    make=lambda shape, params: Corrected(
        rope(shape, params), told, window=tokens(params["window"], shape.train_length)
    ),
    parameters=(sinusoidal.BASE, rotary.LAYOUT, WINDOW),
)

LEAKY = EncodingSpec(
    key="rerope_leaky",
    title="Leaky ReRoPE",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE in which distances beyond a window grow more slowly.",
    paper=_PAPER,
    make=lambda shape, params: Corrected(
        rope(shape, params), told, window=tokens(params["window"], shape.train_length), factor=params["factor"]
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        WINDOW,
        Parameter("factor", "Slowdown", 16.0, "How many tokens beyond the window count as one.", 1.0, 64.0, 0.5),
    ),
)
