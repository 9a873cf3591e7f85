"""How sure a number is: one counted in draws, a mean over seeds and blocks of one text, or a rank correlation."""

import math
from statistics import NormalDist

import torch
from torch import Tensor

from pe_core.measures.agreement import LEVEL, spearman, t_critical
from pe_core.parameters import require

NORMAL = 1.959963984540054  # a standard normal number lies between -this and this in 95 % of cases
RESAMPLES = 2_000
RANK_RESAMPLES = 20_000  # a rank correlation of few systems has few values, with gaps: fewer resamples jump over one


def wilson(count: int, n: int) -> tuple[float, float]:
    r"""Return the 95 % interval of the fraction that `count` of `n` draws stand for, from 0 to 1.

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
    """Return the 95 % interval of the mean of `values` (N,) by Student's t; None for fewer than two."""
    numbers = values.double()
    if len(numbers) < 2:
        return None
    half = t_critical(len(numbers) - 1) * float(numbers.std()) / math.sqrt(len(numbers))
    return float(numbers.mean()) - half, float(numbers.mean()) + half


def interval(values: Tensor) -> tuple[float, float] | None:
    r"""Return where the mean of `values` (seeds, blocks) lies with a confidence of 95 %, None for a single number.

    Row = seed, column = block of the evaluated text, the same blocks for every seed. Each of 2,000 resamples draws
    seeds with replacement and blocks with replacement; a block that is hard for one seed is hard for the others too, so
    that all seeds of a resample get the same blocks. Of $n$ seeds or blocks $n - 1$ are drawn, which gives the variance
    of the mean without bias (Rao & Wu 1988). The ends are the 2.5 % and 97.5 % points of the resampled means, moved
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
    stretch = t_critical(freedom) / NormalDist().inv_cdf(1 - LEVEL / 2)
    low, high = (mean + stretch * (ends - mean)).tolist()
    return low, high


def rank_interval(first: Tensor, second: Tensor, *, systems: bool = True) -> tuple[float, float]:
    r"""Return where Spearman's $\rho$ of the means of two sides (systems, seeds) lies with a confidence of 95 %.

    Row = system, the same in both, column = seed. Each of 20,000 resamples draws as many seeds of each side with
    replacement, the same for all systems, and with `systems` as many systems too. The ends are the 2.5 % and 97.5 %
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
