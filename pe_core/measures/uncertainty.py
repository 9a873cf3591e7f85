"""How sure a number is that was counted in draws, or is a mean over seeds."""

import math

from torch import Tensor

from pe_core.measures.agreement import t_critical
from pe_core.parameters import require

NORMAL = 1.959963984540054  # a standard normal number lies between -this and this in 95 % of cases


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
