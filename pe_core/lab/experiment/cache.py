"""What a model keeps of the tokens it has read, so that it need not read them again as the text grows.

Keys are kept as they are before the encoding turns them, and all are turned anew for every new query. That is more work
than keeping them turned, but right for every encoding: xPos counts from the middle of the text, StreamingLLM within its
cache, and rules for longer texts change their frequencies. The input of each layer is there for encodings that read it.
"""

import torch
from torch import Tensor

from pe_core.encodings import PositionalEncoding
from pe_core.parameters import require


class LayerCache:
    """What one layer keeps of all tokens so far: their inputs (B, T, D), keys and values (B, H, T, d)."""

    def __init__(self) -> None:
        self.kept: tuple[Tensor, ...] = ()

    def extend(self, x: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        """Add inputs, keys and values of new tokens, and return those of all; `ValueError` for other texts."""
        new = (x, k, v)
        n_texts = len(self.kept[0]) if self.kept else len(x)
        require(len(x) == n_texts, "tokens", f"have as many texts as the cache has ({n_texts})", len(x))
        self.kept = tuple(torch.cat(both, dim=-2) for both in zip(self.kept, new, strict=True)) if self.kept else new
        return self.kept


class Cache:
    """What the model keeps of one batch of texts; it grows with every call. After an error, begin with a new one."""

    def __init__(self, n_layers: int) -> None:
        self.layers = [LayerCache() for _ in range(n_layers)]
        self.positions: Tensor | None = None  # (T,) or (B, T) of all tokens so far

    def next_position(self) -> Tensor:
        """Return the position after the last one, (1,) or (B, 1), 0 at first."""
        return torch.zeros(1, dtype=torch.int64) if self.positions is None else self.positions[..., -1:] + 1

    def extend(self, positions: Tensor, encoding: PositionalEncoding) -> Tensor:
        """Add the positions of new tokens, and return those of all.

        Raises `ValueError` where they have another shape than those before, (T,) or (B, T), or other texts, and where
        the encoding would need the tokens before anew.
        """
        if self.positions is not None:
            before = tuple(self.positions.shape[:-1])
            rule = "be one row per text" if before else "be one row (T,)"
            rule += f", as those in the cache are {tuple(self.positions.shape)}"
            require(tuple(positions.shape[:-1]) == before, "positions", rule, tuple(positions.shape))
            encoding.check_cache(self.positions, positions)
            positions = torch.cat([self.positions, positions], dim=-1)
        self.positions = positions
        return positions


def check_mask(allowed: Tensor, n_new: int) -> None:
    """Raise `ValueError` if the mask `allowed` (..., T, T) lets earlier tokens see any of the last `n_new` ones."""
    n_before = allowed.shape[-2] - n_new
    ahead = allowed[..., :n_before, n_before:].any(dim=(*range(allowed.ndim - 2), -1)).nonzero().flatten()
    rule = "hide new tokens from those in the cache, which were read without them"
    require(not len(ahead), "mask", rule, f"token {int(ahead[0])} that looks ahead" if len(ahead) else "")
