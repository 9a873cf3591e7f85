"""Whether two orders agree, and whether two systems, or many at once, can be told apart by repeated runs."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.parameters import require

LEVEL = 0.05  # of the test: two systems that are equal are told apart by chance once in 20 pairs
SAME = 1e-9  # of the mean: differences that spread less are equal, but for their rounding


def kendall_tau(first: Tensor, second: Tensor) -> float:
    r"""Return Kendall's $\tau_b$ of two series of numbers (N,): 1 for the same order, -1 for the opposite one.

    $\tau_b = (C - D) / \sqrt{(P - T_1)(P - T_2)}$ with $C$ pairs that both put in the same order, $D$ in opposite
    order, of $P = N(N-1)/2$, of which $T_i$ are equal in series $i$. Raises `ValueError` for different shapes, fewer
    than two numbers, and a series in which all are equal. Source: Kendall 1945, "The treatment of ties in ranking
    problems", Biometrika 33.
    """
    require(first.shape == second.shape, "second", f"have the shape {tuple(first.shape)}", tuple(second.shape))
    require(first.dim() == 1 and len(first) >= 2, "first", "be a row of at least two numbers", tuple(first.shape))
    rows, columns = torch.triu_indices(len(first), len(first), offset=1)
    signs = [torch.sign(values.double()[rows] - values.double()[columns]) for values in (first, second)]
    for name, sign in zip(("first", "second"), signs, strict=True):
        require(bool(sign.any()), name, "hold different numbers", "equal ones only")
    ordered = [float(sign.abs().sum()) for sign in signs]
    return float(signs[0] @ signs[1]) / math.sqrt(ordered[0] * ordered[1])


def spearman(first: Tensor, second: Tensor) -> Tensor:
    r"""Return Spearman's $\rho$ of series (..., N) in pairs, shape (...): 1 for the same order, -1 for the opposite.

    It is Pearson's correlation of the ranks, where equal numbers share the mean of theirs. NaN where all numbers of a
    series are equal. Raises `ValueError` for different shapes. Source: Spearman 1904, "The Proof and Measurement of
    Association between Two Things", American Journal of Psychology 15.
    """
    require(first.shape == second.shape, "second", f"have the shape {tuple(first.shape)}", tuple(second.shape))
    one, other = (ranked - ranked.mean(-1, keepdim=True) for ranked in (ranks(first), ranks(second)))
    return (one * other).sum(-1) / (one.square().sum(-1) * other.square().sum(-1)).sqrt()


def ranks(values: Tensor) -> Tensor:
    """Return the rank of each number of a series (..., N) from 1, float64; equal numbers share the mean of theirs."""
    here, there = values.unsqueeze(-1), values.unsqueeze(-2)
    return ((there < here).double().sum(-1) + (there <= here).double().sum(-1) + 1) / 2


def p_value(differences: Tensor) -> float:
    r"""Return the two-sided $p$ of Student's paired test: how often equal systems differ that much in the mean.

    `differences` (N,) has one number for each seed. Where there are fewer than two, or all are the same, nothing can be
    said, and the result is 1: without a spread of the seeds there is nothing that the mean could be held against, and
    two or three equal numbers do not show that there is none. $t = \bar d / (s / \sqrt N)$ with $N - 1$ degrees of
    freedom, for which the probability has a closed form: Abramowitz & Stegun 1964, "Handbook of Mathematical
    Functions", 26.7.3 and 26.7.4.
    """
    values = differences.double()
    if len(values) < 2 or float(values.std()) <= SAME * abs(float(values.mean())):
        return 1.0
    error = float(values.std()) / math.sqrt(len(values))
    return 1 - _within(abs(float(values.mean())) / error, len(values) - 1)


def t_critical(freedom: int) -> float:
    """Return Student's t with so many degrees of freedom that is exceeded on both sides together in 5 % of cases."""
    low, high = 0.0, 16.0  # with one degree of freedom it is 12.7
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < 1 - LEVEL else (low, middle)
    return high


def holm(p_values: Sequence[float]) -> list[float]:
    r"""Return the $p$ of each of several tests corrected for their number: below 0.05 it counts as told apart.

    With 20 tests of equal pairs one is below 0.05 by chance. Corrected, the chance that any of them is stays below
    0.05. The smallest of $m$ is multiplied by $m$, the next one by $m - 1$, and so on; none may become smaller than the
    one before it, or larger than 1. Source: Holm 1979, "A simple sequentially rejective multiple test procedure",
    Scandinavian Journal of Statistics 6.
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def _within(t: float, freedom: int) -> float:
    """Return the probability that Student's t with so many degrees of freedom lies between -t and t."""
    theta = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(theta), math.cos(theta)
    first = 1 if freedom % 2 else 0  # powers of the cosine: odd ones for odd degrees of freedom, even ones for even
    term, total = cosine**first, 0.0
    for power in range(first, freedom - 1, 2):
        total += term
        term *= cosine**2 * (power + 1) / (power + 2)
    return 2 / math.pi * (theta + sine * total) if freedom % 2 else sine * total
