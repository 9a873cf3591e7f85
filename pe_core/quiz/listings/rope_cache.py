"""A step of decoding: new tokens join a cache of keys that are turned already."""

import torch
from torch import Tensor

from pe_core.encodings.rotary import frequencies, rotate


def extend(cached: Tensor, new: Tensor, base: float) -> Tensor:
    """Return all turned keys, (T_old + T_new, d), from turned ones (T_old, d) and new ones (T_new, d)."""
    n_old, n_new = len(cached), len(new)
    speeds = frequencies(new.shape[-1], base)
    keys = new.new_empty(n_old + n_new, new.shape[-1])
    keys[:n_old] = cached
    positions = torch.arange(n_new)
    keys[n_old:] = rotate(new, positions, speeds)
    return keys
