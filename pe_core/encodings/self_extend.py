r"""Self-Extend: RoPE with exact distances up to a window, and beyond it distances between groups of G positions.

A distance $\Delta = m - n$ below w stays; from w on it becomes $\lfloor m/G \rfloor - \lfloor n/G \rfloor + w - \lfloor
w/G \rfloor$, which continues from w. Where G divides w, a model trained on L tokens so reaches $(L - w)\,G + w$
without a distance that it has not seen; otherwise a little less. Made of two score matrices, as ReRoPE is
(`rerope.Corrected`).

- G = 1 is plain RoPE.
- The floors make scores depend on where a pair stands within its groups, not on its distance alone.
- The published code does not floor w/G, so that it is the formula only where G divides w.
- The idea is meant for a model trained with RoPE, without any training of its own.

Reference: Jin et al. 2024, "LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning", arXiv:2401.01325,
algorithm 1.
"""

from torch import Tensor

from pe_core.encodings import rerope, rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.rerope import Corrected, Told
from pe_core.encodings.rotary import rope
from pe_core.parameters import Paper, Parameter, require, tokens


def told(positions: Tensor, *, window: int, group: int) -> tuple[Told]:
    """Return that from a distance of `window` tokens on `group` neighbouring positions count as one."""
    require(window > 0, "window", "be above 0", window)
    require(group >= 1, "group", "be at least 1", group)
    groups = (positions / group).floor()
    return (Told(groups + window - window // group, groups, positions, window),)


SPEC = EncodingSpec(
    key="self_extend",
    title="Self-Extend",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE with exact distances to near keys, and distances between groups of positions to far ones.",
    paper=Paper("LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning", "Jin et al.", 2024, "2401.01325"),
    make=lambda shape, params: Corrected(
        rope(shape, params), told, window=tokens(params["window"], shape.train_length), group=params["group"]
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        rerope.WINDOW,
        Parameter("group", "Group", 8, "How many positions beyond the window count as one.", 1, 32),
    ),
)
