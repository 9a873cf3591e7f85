r"""What becomes of attention when its sink leaves the window, and which ids the keys of a cache have.

A softmax gives away all of its weight. A trained head that has nothing to look for parks it on the first keys. With a
fraction $a$ there, the others have $1 - a$; where the sink is cut off, they get all, so that each weighs $1/(1 - a)$
times what it did in training. Reference: Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks",
arXiv:2309.17453, section 3.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.masks import sinks
from pe_core.parameters import require


@dataclass(frozen=True)
class Row:
    """Attention of one query, float64 (N + 1,), the sink first: with it, and without it, where its weight is 0."""

    with_sink: Tensor
    without: Tensor

    @property
    def fraction(self) -> float:
        """What the sink takes of the attention."""
        return float(self.with_sink[0])

    @property
    def growth(self) -> float:
        """By what each other weight is multiplied once the sink is gone."""
        return float(self.without[1] / self.with_sink[1])


def row(sink: float, others: Tensor) -> Row:
    """Return the attention to a key of score `sink` and to keys with the scores `others` (N,), with and without it."""
    require(len(others) >= 1, "others", "hold at least one score", len(others))
    scores = torch.cat([torch.tensor([sink], dtype=torch.float64), others.double()])
    gone = scores.clone()
    gone[0] = -torch.inf
    return Row(scores.softmax(-1), gone.softmax(-1))


@dataclass(frozen=True)
class Cache:
    """The keys that the query of a time step sees, int64 (K,) each: their places in the text and in the cache."""

    in_text: Tensor
    in_cache: Tensor

    @property
    def text_distances(self) -> Tensor:
        """Query minus key, where ids are places in the text."""
        return self.in_text[-1] - self.in_text

    @property
    def cache_distances(self) -> Tensor:
        """Query minus key, where ids are places in the cache."""
        return self.in_cache[-1] - self.in_cache


def cache(step: int, window: int, n_sinks: int) -> Cache:
    """Return what the cache holds when the token at place `step` is read: the first keys and the last `window`.

    The token itself is the last key. Source: arXiv:2309.17453, section 3.2 and figure 4.
    """
    require(step >= 0, "step", "be at least 0", step)
    in_text = sinks(step + 1, window, n_sinks)[-1].nonzero()[:, 0]
    return Cache(in_text, torch.arange(len(in_text)))
