r"""RoPE taken apart: one turn written three ways, what becomes of scores as positions move, and how far they reach.

A pair $(x_0, x_1)$ turned by the angle $a$ is $(x_0 \cos a - x_1 \sin a,\ x_0 \sin a + x_1 \cos a)$ in real numbers,
$(x_0 + i\,x_1)\,e^{ia}$ in complex ones, and $R\,x$ with a block-diagonal matrix $R$.
Reference: Su et al. 2021, "RoFormer", arXiv:2104.09864, equations 13, 15 and 34. All pairs interleaved, all in float64.

For a query that equals its key the score at distance m is $\sum_i \cos(m\,\omega_i)$ up to a constant. Men et al. 2024,
"Base of RoPE Bounds Context Length", arXiv:2405.14591, ask it to stay above 0 throughout the context: beyond the first
distance at which it does not, a similar key is no longer preferred to a random one.

The decay bound is that of Su et al., section 3.4.3, equations 35-37. With the content of each pair, $h_i = q_i
\bar{k}_i$ and $h_{d/2} = 0$, and with $S_j = \sum_{i < j} e^{\mathrm{i} m \omega_i}$, summation by parts gives

$$|\text{score}| \le \sum_i |h_{i+1} - h_i|\,|S_{i+1}| \le \max_i |h_{i+1} - h_i| \sum_i |S_{i+1}|$$

The first sum is the closer bound. It is below the plain one, $\sum_i |h_i|$, only where the content changes slowly from
pair to pair. What the paper plots is the mean of $|S_j|$ alone, without the content: a trend, and no bound.

A rule for longer contexts keeps a pair, interpolates it, or blends:
$\omega_i' = \gamma_i\,\omega_i + (1 - \gamma_i)\,\omega_i / s$. Peng et al. 2023, "YaRN", arXiv:2309.00071, section
3.2, have a ramp of $\gamma$ over the pairs; read backwards, every rule has one.
"""

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.parameters import require

_SIDE = 64  # 64 x 64 distances at a time: the first negative one is mostly near


def real_form(x: Tensor, position: float, frequencies: Tensor) -> Tensor:
    """Return `x` (d,) turned element by element: x cos + (x with each pair swapped, the first negated) sin."""
    angle = (position * frequencies).repeat_interleave(2)
    swapped = torch.stack([-x[1::2], x[0::2]], dim=-1).flatten()
    return x * angle.cos() + swapped * angle.sin()


def complex_form(x: Tensor, position: float, frequencies: Tensor) -> Tensor:
    """Return `x` (d,) turned as d / 2 complex numbers times e^(i angle)."""
    numbers = torch.complex(x[0::2], x[1::2])
    turned = numbers * torch.polar(torch.ones_like(frequencies), position * frequencies)
    return torch.stack([turned.real, turned.imag], dim=-1).flatten()


def matrix(position: float, frequencies: Tensor) -> Tensor:
    """Return the block-diagonal rotation of a position, shape (d, d)."""
    cosine, sine = (position * frequencies).cos(), (position * frequencies).sin()
    blocks = torch.stack([torch.stack([cosine, -sine], -1), torch.stack([sine, cosine], -1)], -2)
    found: Tensor = torch.block_diag(*blocks)  # type: ignore[no-untyped-call]
    return found


def score(q: Tensor, k: Tensor, query: float, key: float, frequencies: Tensor) -> float:
    """Return the score of `q` (d,) at position `query` with `k` (d,) at position `key`, before any scaling."""
    both = torch.stack([q, k])[:, None]
    turned_q, turned_k = (
        rotary.rotate(x, torch.tensor([position], dtype=torch.float64), frequencies)[0]
        for x, position in zip(both, (query, key), strict=True)
    )
    return float(turned_q @ turned_k)


def pair_scores(q: Tensor, k: Tensor, distance: float, frequencies: Tensor) -> Tensor:
    r"""Return what each pair adds to the score at a distance m - n, float64, shape (d / 2,).

    $(q \cdot k)_i \cos(\Delta\,\omega_i) + (q \times k)_i \sin(\Delta\,\omega_i)$.
    """
    dot = q[0::2] * k[0::2] + q[1::2] * k[1::2]
    cross = q[0::2] * k[1::2] - q[1::2] * k[0::2]
    angle = distance * frequencies
    return dot * angle.cos() + cross * angle.sin()


def scores(q: Tensor, k: Tensor, distances: Tensor, frequencies: Tensor) -> Tensor:
    """Return the score of `q` and `k` (d,) at each distance m - n, float64, shape as `distances` (N,)."""
    turned = rotary.rotate(q.expand(len(distances), -1), distances, frequencies)
    return turned @ k


def without_minus(x: Tensor, position: float, frequencies: Tensor) -> Tensor:
    """Return the common mistake: the real form with the swapped pair (x1, x0) in place of (-x1, x0), shape (d,)."""
    angle = (position * frequencies).repeat_interleave(2)
    return x * angle.cos() + x.view(-1, 2).flip(-1).flatten() * angle.sin()


def half_order(head_dim: int) -> Tensor:
    """Return the order of channels that turns the interleaved layout into the half-split one: 0, 2 ... 1, 3 ..."""
    require(head_dim % 2 == 0, "head_dim", "be even", head_dim)
    return torch.cat([torch.arange(0, head_dim, 2), torch.arange(1, head_dim, 2)])


def turned_through(frequencies: Tensor, steps: int) -> Tensor:
    """Return which part of its circle each pair turns through in so many steps, at most 1, float64, shape (d / 2,).

    `frequencies` (d / 2,) in radians per token.
    """
    return (steps / sinusoidal.wavelengths(frequencies)).clamp(max=1.0)


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


def partial_sums(distances: Tensor, frequencies: Tensor) -> Tensor:
    """Return |S_j| of j = 1 .. d / 2 at each distance, float64, shape (K, d / 2).

    `distances` (K,) in tokens, `frequencies` (d / 2,) in radians per token. At distance 0 it is j.
    """
    require(len(frequencies) >= 1, "frequencies", "hold at least one", len(frequencies))
    angle = sinusoidal.angles(distances, frequencies)
    return torch.polar(torch.ones_like(angle), angle).cumsum(dim=-1).abs()


def decay_bound(q: Tensor, k: Tensor, distances: Tensor, frequencies: Tensor) -> Tensor:
    """Return what the score of `q` and `k` (d,) cannot exceed at each of `distances` (K,), float64, shape (K,).

    The lower one of two bounds on its absolute value: summation by parts (Su et al. 2021, equation 37, before the
    maximum is taken), and the sum of |h_i|, which is no function of the distance.
    """
    content = torch.complex(q[0::2], q[1::2]) * torch.complex(k[0::2], -k[1::2])
    changes = torch.cat([content, content.new_zeros(1)]).diff().abs()
    return (partial_sums(distances, frequencies) @ changes).clamp(max=float(content.abs().sum()))


def interpolated(before: Tensor, after: Tensor, scale: float) -> Tensor:
    """Return 1 - gamma, the part of position interpolation in what a rule did to each pair, shape (d / 2,).

    `before` and `after` (d / 2,) in radians per token: 0 for a pair that was kept, 1 for one divided by `scale`, more
    for one slowed further; 0 where there is nothing to do, at a scale of 1. Raises `ValueError` for a scale below 1.
    """
    require(scale >= 1, "scale", "be at least 1", scale)
    if scale == 1:
        return torch.zeros_like(before)
    return (1 - after / before) / (1 - 1 / scale)
