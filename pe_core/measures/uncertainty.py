"""How sure a number is, whether two orders agree, and whether systems can be told apart by repeated runs."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import torch
from torch import Tensor

from pe_core.parameters import require

LEVEL = 0.05  # of tests and intervals: two systems that are equal are told apart by chance once in 20 pairs
SAME = 1e-9  # of the mean: differences that spread less are equal, but for their rounding
NORMAL = NormalDist().inv_cdf(1 - LEVEL / 2)  # a standard normal number lies between -this and this in 95% of cases
RESAMPLES = 2_000
RANK_RESAMPLES = 20_000  # a rank correlation of few systems has few values, with gaps: fewer resamples jump over one


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
    """Return Student's t with so many degrees of freedom that is exceeded on both sides together in 5% of cases."""
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


def wilson(count: int, n: int) -> tuple[float, float]:
    r"""Return the 95% interval of the fraction that `count` of `n` draws stand for, from 0 to 1.

    $(\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}) / (1 + z^2/n)$: unlike the mean plus and minus its
    error it has a width where all draws agree. Source: Wilson 1927, "Probable inference, the law of succession, and
    statistical inference", Journal of the American Statistical Association 22.
    """
    require(n >= 1, "n", "be at least 1", n)
    require(0 <= count <= n, "count", f"be from 0 to {n}", count)
    fraction, square = count / n, NORMAL**2 / n
    middle = fraction + square / 2
    half = math.sqrt(square * fraction * (1 - fraction) + square**2 / 4)
    lower, upper = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return lower if count > 0 else 0.0, upper if count < n else 1.0  # without what rounding leaves


def mean_interval(values: Tensor) -> tuple[float, float] | None:
    """Return the 95% interval of the mean of `values` (N,) by Student's t; None for fewer than two."""
    numbers = values.double()
    if len(numbers) < 2:
        return None
    half = t_critical(len(numbers) - 1) * float(numbers.std()) / math.sqrt(len(numbers))
    return float(numbers.mean()) - half, float(numbers.mean()) + half


def interval(values: Tensor) -> tuple[float, float] | None:
    r"""Return where the mean of `values` (seeds, blocks) lies with a confidence of 95%, None for a single number.

    Row = seed, column = block of the evaluated text, the same blocks for every seed. Each of 2,000 resamples draws
    seeds with replacement and blocks with replacement; a block that is hard for one seed is hard for the others too, so
    that all seeds of a resample get the same blocks. Of $n$ seeds or blocks $n - 1$ are drawn, which gives the variance
    of the mean without bias (Rao & Wu 1988). The ends are the 2.5% and 97.5% points of the resampled means, moved
    away from the mean by Student's $t$ over the normal quantile: a percentile interval of a few seeds is too narrow
    (Hesterberg 2014, arXiv:1411.5279). The degrees of freedom are Satterthwaite's, from the variances of the means of
    the seeds and of the blocks. With one seed the interval is that of the text alone, with one block that of the seeds.
    The generator is fixed: equal numbers have equal intervals. Raises `ValueError` for another shape.
    """
    require(values.dim() == 2 and values.numel() > 0, "values", "have a row per seed", tuple(values.shape))
    if values.numel() == 1:
        return None
    values = values.double()
    mean, freedom = values.mean(), _freedom(values)
    if freedom is None:
        return float(mean), float(mean)
    generator = torch.Generator().manual_seed(0)
    seeds, blocks = (_fractions(n, generator) for n in values.shape)
    means = ((seeds @ values) * blocks).sum(1)
    ends = means.quantile(torch.tensor([LEVEL / 2, 1 - LEVEL / 2], dtype=torch.float64))
    stretch = t_critical(freedom) / NORMAL
    low, high = (mean + stretch * (ends - mean)).tolist()
    return low, high


def rank_interval(first: Tensor, second: Tensor, *, systems: bool = True) -> tuple[float, float]:
    r"""Return where Spearman's $\rho$ of the means of two sides (systems, seeds) lies with a confidence of 95%.

    Row = system, the same in both, column = seed. Each of 20,000 resamples draws as many seeds of each side with
    replacement, the same for all systems, and with `systems` as many systems too. The ends are the 2.5% and 97.5%
    points. Resamples in which a side has equal numbers alone have no $\rho$ and are left out. The generator is fixed.
    Raises `ValueError` for other systems or fewer than two. Source: Efron & Tibshirani 1993, "An Introduction to the
    Bootstrap", chapter 13.
    """
    rule = f"have a row for each of the {len(first)} systems"
    require(len(first) == len(second), "second", rule, len(second))
    require(len(first) >= 2, "first", "have two systems or more", len(first))
    generator = torch.Generator().manual_seed(0)
    means = []
    for side in (first, second):
        seeds = torch.randint(side.shape[1], (RANK_RESAMPLES, side.shape[1]), generator=generator)
        means.append(side.double()[:, seeds].mean(2).T)
    if systems:
        rows = torch.randint(len(first), (RANK_RESAMPLES, len(first)), generator=generator)
        means = [side.gather(1, rows) for side in means]
    found = spearman(*means)
    found = found[~found.isnan()]
    low, high = found.quantile(torch.tensor([LEVEL / 2, 1 - LEVEL / 2], dtype=torch.float64)).tolist()
    return low, high


def _fractions(n: int, generator: torch.Generator) -> Tensor:
    """Return by resample the fraction of the draws that each of n items got, (RESAMPLES, n); rows sum to 1."""
    if n == 1:
        return torch.ones(RESAMPLES, 1, dtype=torch.float64)
    drawn = torch.randint(n, (RESAMPLES, n - 1), generator=generator)
    counts = torch.zeros(RESAMPLES, n, dtype=torch.float64)
    return counts.scatter_add_(1, drawn, torch.ones_like(drawn, dtype=torch.float64)) / (n - 1)


def _freedom(values: Tensor) -> int | None:
    """Return Satterthwaite's degrees of freedom of the mean, None where neither seeds nor blocks differ."""
    parts = []
    for means in (values.mean(1), values.mean(0)):
        if len(means) > 1 and float(means.std()) > 0:
            parts.append((float(means.var()) / len(means), len(means) - 1))
    if not parts:
        return None
    total = sum(variance for variance, _ in parts)
    return max(1, int(1 / sum((variance / total) ** 2 / freedom for variance, freedom in parts)))


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
