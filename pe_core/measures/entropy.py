r"""How attention spreads as the number of keys grows: its entropy under random scores.

The entropy of weights $p$ is $H = -\sum_j p_j \ln p_j$, in nats, and $e^H$ is the number of keys that would have this
entropy if they shared the attention evenly. For n independent scores of normal distribution with spread $\sigma$,

$H = \ln Z - \sum_j p_j s_j \approx (\ln n + \sigma^2/2) - \sigma^2 = \ln n - \sigma^2/2$,

since $Z = \sum_j e^{s_j} \approx n\,e^{\sigma^2/2}$, and weighting by $e^s$ moves the mean of a normal distribution by
its variance. It holds while $n \gg e^{\sigma^2/2}$; with fewer, a few of the largest scores take most.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import log_n
from pe_core.parameters import require

SEED = 0
N_DRAWS = 32


def entropy(scores: Tensor) -> Tensor:
    """Return the entropy in nats of the softmax over the last dimension of `scores` (..., N), shape (...).

    A score of -inf is a key that is not seen. Raises `ValueError` where no key is left.
    """
    weights = scores.double().softmax(-1)
    require(
        not bool(weights.isnan().any()), "scores", "be finite for at least one key in each row", "a row without one"
    )
    spread_out: Tensor = torch.special.entr(weights).sum(-1)
    return spread_out


def expected(n_keys: Tensor, spread: Tensor | float) -> Tensor:
    """Return ln n - spread^2 / 2 in nats for each of `n_keys` (N,): the entropy of many normal scores, shape (N,)."""
    return n_keys.double().log() - torch.as_tensor(spread, dtype=torch.float64) ** 2 / 2


def enough_keys(spread: float) -> float:
    """Return e^(spread^2 / 2), the number of keys that n has to be far above for `expected` to hold."""
    return math.exp(spread**2 / 2)


def normal_scores(n_keys: int, spread: float) -> Tensor:
    """Return the scores of 32 queries with `n_keys` keys, normal with standard deviation `spread`, float64 (32, N).

    The nearest key comes first. The draw is always the same, and that of more keys starts with that of fewer.
    """
    require(n_keys >= 1, "n_keys", "be at least 1", n_keys)
    require(spread >= 0, "spread", "be at least 0", spread)
    generator = torch.Generator().manual_seed(SEED)
    return spread * torch.randn(n_keys, N_DRAWS, dtype=torch.float64, generator=generator).T


def by_number_of_keys(n_keys: Tensor, spread: float, train_length: int, slope: float) -> dict[str, Tensor]:
    """Return the mean entropy in nats of the last query for each of `n_keys` (N,), (N,) for each way to attend.

    The same normal scores are taken as they are, times the factor of log-n, in a window of the training length, and
    less ALiBi's `slope` per token of distance.
    """
    scores = normal_scores(int(n_keys.max()), spread)
    found: dict[str, list[Tensor]] = {name: [] for name in ("plain", "log-n", "window", "ALiBi")}
    distance = torch.arange(scores.shape[1], dtype=torch.float64)
    for n in map(int, n_keys):
        own = scores[:, :n]
        found["plain"].append(entropy(own).mean())
        factor = log_n.factor(torch.tensor([n]), train_length, dtype=torch.float64)
        found["log-n"].append(entropy(own * factor).mean())
        found["window"].append(entropy(own[:, :train_length]).mean())
        found["ALiBi"].append(entropy(own - slope * distance[:n]).mean())
    return {name: torch.stack(values) for name, values in found.items()}


def level_spread(train_length: int) -> float:
    r"""Return the spread of scores at which log-n neither raises nor lowers the entropy at the training length.

    With the factor $\ln n / \ln L$ the entropy of `expected` is $x - x^2 \sigma^2 / (2 \ln^2 L)$, $x = \ln n$; its
    slope at n = L is $1 - \sigma^2 / \ln L$, and 0 for $\sigma^2 = \ln L$.
    """
    require(train_length >= 2, "train_length", "be at least 2: the rule divides by its logarithm", train_length)
    return math.sqrt(math.log(train_length))
