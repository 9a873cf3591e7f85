r"""Self-Extend: RoPE with exact distances up to a window, and beyond it distances between groups of G positions.

A distance $\Delta = m - n$ below w stays; from w on it becomes $\lfloor m/G \rfloor - \lfloor n/G \rfloor + w - \lfloor
w/G \rfloor$, which continues from w. Where G divides w, a model trained on L tokens so reaches $(L - w)\,G + w$
without a distance that it has not seen; otherwise a little less. Made of two score matrices, as ReRoPE is
(`rerope.far_bias`).

- G = 1 is plain RoPE.
- The floors make scores depend on where a pair stands within its groups, not on its distance alone.
- The published code does not floor w/G, so that it is the formula only where G divides w.
- The idea is meant for a model trained with RoPE, without any training of its own.

Reference: Jin et al. 2024, "LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning", arXiv:2401.01325,
algorithm 1.
"""

import torch
from torch import Tensor

from pe_core.encodings import rerope, rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Parameter, require, tokens
from pe_core.registry import Paper


def bias(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    frequencies: Tensor,
    *,
    window: int,
    group: int,
    layout: Layout = "interleaved",
) -> Tensor:
    """Return what is added to the scores of RoPE, (..., T_q, T), from turned `q` (..., T_q, d), `k` (..., T, d).

    From a distance of `window` tokens on, `group` neighbouring `positions`, (T,) or (B, T), count as one.
    """
    require(group >= 1, "group", "be at least 1", group)
    places = positions.to(torch.float64)
    groups = (places / group).floor()
    return rerope.far_bias(
        q,
        k,
        places,
        frequencies,
        far_query=groups + window - window // group,
        far_key=groups,
        window=window,
        layout=layout,
    )


class SelfExtend(PositionalEncoding):
    """Turn queries and keys as RoPE does, and correct the scores of far keys, in every layer; nothing is learned."""

    def __init__(self, frequencies: Tensor, *, window: int, group: int, layout: Layout) -> None:
        super().__init__()
        self.frequencies = frequencies  # not a buffer: a cast of the model would round it
        self.window = window
        self.group = group
        self.layout = layout

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        return rotary.rotate_both(q, k, positions, self.frequencies, layout=self.layout)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        return bias(q, k, positions, self.frequencies, window=self.window, group=self.group, layout=self.layout)


SPEC = EncodingSpec(
    key="self_extend",
    title="Self-Extend",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE with exact distances to near keys, and distances between groups of positions to far ones.",
    paper=Paper("LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning", "Jin et al.", 2024, "2401.01325"),
    make=lambda shape, params: SelfExtend(
        rotary.frequencies(shape.head_dim, params["base"]),
        window=tokens(params["window"], shape.train_length),
        group=params["group"],
        layout=params["layout"],
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        rerope.WINDOW,
        Parameter("group", "Group", 8, "How many positions beyond the window count as one.", 1, 32),
    ),
)
