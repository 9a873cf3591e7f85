r"""What becomes of attention when its sink leaves the window, and which ids the keys of a cache have.

A softmax gives away all of its weight. A trained head that has nothing to look for parks it on the first keys. With a
fraction $a$ there, the others have $1 - a$; where the sink is cut off, they get all, so that each weighs $1/(1 - a)$
times what it did in training. Reference: Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks",
arXiv:2309.17453, section 3.
"""

import torch
from torch import Tensor

from pe_core.masks import sinks
from pe_core.parameters import require


def rows(sink: float, others: Tensor) -> tuple[Tensor, Tensor]:
    """Return the attention to a key of score `sink` and to keys with the scores `others` (N,), with and without it.

    Both are float64, (N + 1,), the sink first: without it its weight is 0.
    """
    require(len(others) >= 1, "others", "hold at least one score", len(others))
    scores = torch.cat([torch.tensor([sink], dtype=torch.float64), others.double()])
    gone = scores.clone()
    gone[0] = -torch.inf
    return scores.softmax(-1), gone.softmax(-1)


def cached(step: int, window: int, n_sinks: int) -> Tensor:
    """Return the places in the text of what the cache holds when the token at place `step` is read, int64, (K,).

    These are the first keys and the last `window`; the token itself is the last one. Source: arXiv:2309.17453, section
    3.2 and figure 4.
    """
    require(step >= 0, "step", "be at least 0", step)
    return sinks(step + 1, window, n_sinks)[-1].nonzero()[:, 0]
