r"""What the frequencies of RoPE allow: how far aligned queries find their keys, and how the bound on scores decays.

For a query that equals its key the score at distance m is $\sum_i \cos(m\,\omega_i)$ up to a constant. Men et al. 2024,
"Base of RoPE Bounds Context Length", arXiv:2405.14591, ask it to stay above 0 throughout the context: beyond the first
distance at which it does not, a similar key is no longer preferred to a random one.

The decay bound is that of Su et al. 2021, arXiv:2104.09864, section 3.4.3: summation by parts bounds the score by a
factor of the content times $\sum_j |S_j|$, $S_j = \sum_{i < j} e^{\mathrm{i} m \omega_i}$. It is a bound, for q and k
that change slowly from pair to pair: generic ones can have their largest score at any distance.
"""

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.measures import similarity
from pe_core.parameters import require

_CHUNK = 4096  # distances at a time: the first negative one is mostly near


def first_negative(frequencies: Tensor, *, farthest: int = 65_536) -> int | None:
    """Return the first distance at which the sum of cosines is negative; None if there is none up to `farthest`.

    `frequencies` (d / 2,) in radians per token.
    """
    require(len(frequencies) >= 1, "frequencies", "hold at least one", len(frequencies))
    require(farthest >= 0, "farthest", "be at least 0", farthest)
    for start in range(0, farthest + 1, _CHUNK):
        distances = torch.arange(start, min(start + _CHUNK, farthest + 1))
        negative = (similarity.dot_products(distances, frequencies) < 0).nonzero()
        if len(negative):
            return start + int(negative[0])
    return None


def decay_bound(distances: Tensor, frequencies: Tensor) -> Tensor:
    """Return the mean of |S_j| over j = 1 .. d / 2 at each distance, float64, shape (K,).

    `distances` (K,) in tokens, `frequencies` (d / 2,) in radians per token. At distance 0 it is (d / 2 + 1) / 2.
    """
    require(len(frequencies) >= 1, "frequencies", "hold at least one", len(frequencies))
    angle = sinusoidal.angles(distances, frequencies)
    return torch.polar(torch.ones_like(angle), angle).cumsum(dim=-1).abs().mean(dim=-1)
