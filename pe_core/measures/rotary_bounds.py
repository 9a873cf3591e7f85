r"""What the frequencies of RoPE allow: how far aligned queries find their keys, and how the bound on scores decays.

For a query that equals its key the score at distance m is $\sum_i \cos(m\,\omega_i)$ up to a constant. Men et al. 2024,
"Base of RoPE Bounds Context Length", arXiv:2405.14591, ask it to stay above 0 throughout the context: beyond the first
distance at which it does not, a similar key is no longer preferred to a random one.

The decay bound is that of Su et al. 2021, arXiv:2104.09864, section 3.4.3: summation by parts bounds the score by a
factor of the content times $\sum_j |S_j|$, $S_j = \sum_{i < j} e^{\mathrm{i} m \omega_i}$. It is a bound, for q and k
that change slowly from pair to pair: generic ones can have their largest score at any distance.

A rule for longer contexts keeps a pair, interpolates it, or blends:
$\omega_i' = \gamma_i\,\omega_i + (1 - \gamma_i)\,\omega_i / s$. Peng et al. 2023, "YaRN", arXiv:2309.00071, section
3.2, have a ramp of $\gamma$ over the pairs; read backwards, every rule has one.
"""

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.parameters import require

_SIDE = 64  # 64 x 64 distances at a time: the first negative one is mostly near


def first_negative(frequencies: Tensor, *, farthest: int = 65_536) -> int | None:
    """Return the first distance at which the sum of cosines is negative; None if there is none up to `farthest`.

    `frequencies` (d / 2,) in radians per token.
    """
    require(len(frequencies) >= 1, "frequencies", "hold at least one", len(frequencies))
    require(farthest >= 0, "farthest", "be at least 0", farthest)
    steps = torch.arange(_SIDE)
    near = torch.polar(torch.ones(()).double(), sinusoidal.angles(steps, frequencies))  # (side, d / 2)
    for start in range(0, farthest + 1, _SIDE**2):
        far = torch.polar(torch.ones(()).double(), sinusoidal.angles(start + _SIDE * steps, frequencies))
        # cos(a + b) = cos a cos b - sin a sin b: two products of matrices instead of a cosine for each distance
        sums = (far.real @ near.real.T - far.imag @ near.imag.T).flatten()[: farthest + 1 - start]
        negative = (sums < 0).nonzero()
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


def interpolated(before: Tensor, after: Tensor, scale: float) -> Tensor:
    """Return 1 - gamma, the part of position interpolation in what a rule did to each pair, shape (d / 2,).

    `before` and `after` (d / 2,) in radians per token: 0 for a pair that was kept, 1 for one divided by `scale`, more
    for one slowed further; 0 where there is nothing to do, at a scale of 1. Raises `ValueError` for a scale below 1.
    """
    require(scale >= 1, "scale", "be at least 1", scale)
    if scale == 1:
        return torch.zeros_like(before)
    return (1 - after / before) / (1 - 1 / scale)
