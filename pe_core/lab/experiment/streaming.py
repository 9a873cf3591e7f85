r"""StreamingLLM: the first keys and the last ones are kept in a cache, and positions are counted within that cache.

The query at place m of the text sees the first s keys and the last W, itself included. In the cache it stands at
$\min(m, s + W - 1)$. Keys of the window keep their distance; those of the sinks, at place j of text and cache, are
$\min(m, s + W - 1) - j$ away instead of $m - j$, so that no distance is above s + W - 1.

What enters is the distance alone, so the encoding has to be relative and to turn by p and then by r as by p + r. Added
vectors are in the keys of every later layer before a cache exists, and cannot be counted anew.
Reference: Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks", arXiv:2309.17453, section 3.2,
and its published code.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import PositionalEncoding
from pe_core.encodings.batch import between
from pe_core.masks import sinks
from pe_core.parameters import require

N_SINKS = 4  # section 4 of the paper: four are enough
RELATIVE = (
    *("rope", "rope_partial", "rope_p", "xpos", "rope_layers", "mrope", "mrope_interleaved", "videorope"),
    *("rnope_window", "gemma3", "modernbert"),
    *("shaw", "relative_key", "relative_key_query", "transformer_xl"),
    *("t5", "alibi", "kerple_log", "kerple_power", "sandwich", "dape"),
)  # keys of the encodings that it is for


def window_of(train_length: int) -> int:
    """Return how many of the last keys a cache of the training length has room for, beside the sinks; at least 1."""
    return max(1, train_length - N_SINKS)


def cached(length: int, train_length: int) -> Tensor:
    """Return the mask of a cache as large as the training length, boolean (T, T)."""
    return sinks(length, window_of(train_length), N_SINKS)


class Streaming(PositionalEncoding):
    """A relative encoding with positions that count within the cache; `positions` have to be 0, 1, 2 and so on.

    The scores of keys outside of the window are those of the sinks; what no query sees is up to the mask.
    """

    def __init__(self, encoding: PositionalEncoding, *, window: int, n_sinks: int) -> None:
        super().__init__()
        require(window >= 1, "window", "be at least 1 (1 keeps only the query itself)", window)
        require(n_sinks >= 0, "n_sinks", "be at least 0", n_sinks)
        self.encoding = encoding
        self.window = window
        self.n_sinks = n_sinks

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return q and k at their places in the text; arguments as in the contract."""
        return self.encoding.rotate(q, k, positions)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        """Return what the scores change by where keys are sinks, (B, H, T_q, T), and the encoding's own bias."""
        dtype = torch.promote_types(q.dtype, torch.float32)  # a difference of two scores: half precision is not enough
        in_cache = positions.clamp(max=self.window + self.n_sinks - 1)
        query, key = q.to(dtype), k.to(dtype)
        moved_query, moved_key = self.encoding.rotate(query, key, in_cache - positions)
        change = (moved_query @ moved_key.mT - query @ key.mT) / math.sqrt(q.shape[-1])
        in_window = between(positions, torch.float64, n_queries=q.shape[-2]) < self.window
        near, far = (self.encoding.bias(q, k, places) for places in (positions, in_cache))
        added = change.masked_fill(in_window, 0).to(q.dtype)
        return added if near is None or far is None else added + torch.where(in_window, near, far)

    def at_layer(self, layer: int) -> PositionalEncoding:
        """Return the same for the encoding of one layer."""
        return Streaming(self.encoding.at_layer(layer), window=self.window, n_sinks=self.n_sinks)

    def mask(self, positions: Tensor) -> Tensor | None:
        """Return the mask of the encoding."""
        return self.encoding.mask(positions)

    def reading(self, x: Tensor) -> PositionalEncoding:
        """Return the same for an encoding that reads the input of the layer."""
        return Streaming(self.encoding.reading(x), window=self.window, n_sinks=self.n_sinks)

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        """Raise `ValueError` where the encoding does."""
        self.encoding.check_cache(cached, new)

    def seeing(self, mask: Tensor) -> PositionalEncoding:
        """Return the same for an encoding that counts the keys it sees."""
        return Streaming(self.encoding.seeing(mask), window=self.window, n_sinks=self.n_sinks)
