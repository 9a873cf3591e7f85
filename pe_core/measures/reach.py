r"""Which tokens can have influenced a position once several layers have attended under a mask.

A position sees the keys that its mask allows; what these have seen one layer below comes with them. So after n layers
the influences are the boolean product of n masks. A window of W keys, the query included, moves W - 1 further back with
each layer: n (W - 1) + 1 tokens, of which the last is the position itself (`rule`). Influence is what the mask permits;
how much of it a model uses is another matter.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.parameters import require


def blocks(n: int, size: int) -> Tensor:
    """Return the causal mask whose positions see their own block of `size` tokens only, boolean (n, n).

    Also known as chunked attention. However many layers there are, nothing crosses the border of a block.
    """
    require(n >= 1, "n", "be at least 1", n)
    require(size >= 1, "size", "be at least 1 (1 sees only itself)", size)
    block = torch.arange(n) // size
    return (block[:, None] == block).tril()


def through_layers(masks: Sequence[Tensor]) -> Tensor:
    """Return which token can have influenced which position after 0, 1 .. N layers, boolean (N + 1, T, T).

    `masks` holds one boolean (T, T) per layer, the lowest first; row = position, column = token. After no layer, each
    position knows itself only. Raises `ValueError` without a mask.
    """
    require(len(masks) >= 1, "masks", "hold at least one layer", len(masks))
    found = [torch.eye(len(masks[0]), dtype=torch.bool)]
    for mask in masks:
        found.append(mask.float() @ found[-1].float() > 0)  # sums of zeros and ones, so exact
    return torch.stack(found)


def rule(window: int, n_layers: int) -> int:
    """Return how many tokens a late position can know of: `window` keys per layer, itself included, in `n_layers`.

    Source: Jiang et al. 2023, "Mistral 7B", arXiv:2310.06825, section 2, which rounds window - 1 up to the window.
    """
    require(window >= 1, "window", "be at least 1 (1 sees only itself)", window)
    require(n_layers >= 0, "n_layers", "be at least 0", n_layers)
    return n_layers * (window - 1) + 1
