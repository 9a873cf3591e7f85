"""Whether two orders agree, and whether two systems can be told apart by repeated runs."""

import math

import torch
from torch import Tensor

from pe_core.parameters import require

LEVEL = 0.05  # of the test: two systems that are equal are told apart by chance once in 20 pairs


def kendall_tau(first: Tensor, second: Tensor) -> float:
    r"""Return Kendall's $\tau_b$ of two series of numbers (N,): 1 for the same order, -1 for the opposite one.

    $\tau_b = (C - D) / \sqrt{(P - T_1)(P - T_2)}$ with $C$ pairs that both put in the same order, $D$ in opposite
    order, of $P = N(N-1)/2$, of which $T_i$ are equal in series $i$. Raises `ValueError` for different shapes, fewer
    than two numbers, and a series in which all are equal. Source: Kendall 1945, "The treatment of ties in ranking
    problems", Biometrika 33.
    """
    require(first.shape == second.shape, "second", f"have the shape {tuple(first.shape)}", tuple(second.shape))
    require(first.dim() == 1 and len(first) >= 2, "first", "be at least two numbers in a row", tuple(first.shape))
    rows, columns = torch.triu_indices(len(first), len(first), offset=1)
    signs = [torch.sign(values.double()[rows] - values.double()[columns]) for values in (first, second)]
    for name, sign in zip(("first", "second"), signs, strict=True):
        require(bool(sign.any()), name, "hold different numbers", "equal ones only")
    ordered = [float(sign.abs().sum()) for sign in signs]
    return float(signs[0] @ signs[1]) / math.sqrt(ordered[0] * ordered[1])


def p_value(differences: Tensor) -> float:
    r"""Return the two-sided $p$ of Student's paired test: how often equal systems differ that much in the mean.

    `differences` (N,) has one number for each seed. With fewer than two, or all of them 0, nothing can be said, and the
    result is 1. $t = \bar d / (s / \sqrt N)$ with $N - 1$ degrees of freedom, for which the probability has a closed
    form: Abramowitz & Stegun 1964, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
    """
    values = differences.double()
    if len(values) < 2 or not values.any():
        return 1.0
    error = float(values.std()) / math.sqrt(len(values))
    if error == 0:
        return 0.0
    return 1 - _within(abs(float(values.mean())) / error, len(values) - 1)


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


def distinguishable(first: Tensor, second: Tensor) -> bool:
    """Return whether two systems differ by more than their seeds do: $p$ of the paired test below 0.05.

    `first` and `second` (N,) belong to the same seeds in the same order; `ValueError` for different shapes.
    """
    require(first.shape == second.shape, "second", f"have the shape {tuple(first.shape)}", tuple(second.shape))
    return p_value(first.double() - second.double()) < LEVEL
