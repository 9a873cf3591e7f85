r"""NTK-by-parts: pairs that turn often in training keep their frequency, slow ones are interpolated, a ramp between.

With $r_i = L / \lambda_i$, how often pair i turns in a text of training, and
$\gamma_i = \mathrm{clip}((r_i - \alpha) / (\beta - \alpha), 0, 1)$:
$\omega_i' = (1 - \gamma_i)\,\omega_i / s + \gamma_i\,\omega_i$. The paper has $\alpha = 1$, $\beta = 32$.

Pitfall: a pair turns 32 times only where $\lambda_i \le L / 32$, which no pair does below L = 202. In the registry
$\beta$ is therefore at most $L / (4\pi)$, the turns of a pair of half a radian per token, and at least $2\alpha$.
Reference: Peng et al. 2023, "YaRN", arXiv:2309.00071, section 3.2.
"""

import math

from torch import Tensor

from pe_core.parameters import Paper, Parameter, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec, check_scale

YARN: Paper = Paper(
    "YaRN: Efficient Context Window Extension of Large Language Models", "Peng et al.", 2023, "2309.00071"
)


def kept(frequencies: Tensor, *, train_length: int, alpha: float, beta: float) -> Tensor:
    """Return gamma, from 0 (interpolate) to 1 (keep), of each of the frequencies (d / 2,), shape as given.

    `alpha` and `beta` are turns in a text of training. Raises `ValueError` unless alpha is below beta.
    """
    require(alpha < beta, "alpha", f"be below beta ({beta:g})", alpha)
    turns = train_length * frequencies / (2 * math.pi)
    return ((turns - alpha) / (beta - alpha)).clamp(0, 1)


def blend(frequencies: Tensor, gamma: Tensor, scale: float) -> Tensor:
    """Return the frequencies (d / 2,), kept where gamma (d / 2,) is 1 and divided by `scale` where it is 0."""
    check_scale(scale)
    return (1 - gamma) * frequencies / scale + gamma * frequencies


def within_reach(turns: float, *, alpha: float, train_length: int) -> float:
    """Return `turns` or, if fewer, those of half a radian per token in a text of training, but at least 2 alpha."""
    return min(turns, max(2 * alpha, train_length / (4 * math.pi)))


def by_parts(
    frequencies: Tensor, *, base: float, train_length: int, scale: float, alpha: float = 1.0, beta: float = 32.0
) -> Scaled:
    """Return the frequencies (d / 2,), those that turn beta times in training kept, those up to alpha times divided.

    The divisor is the scale s. `beta` is taken as given, where the registry's entry moves it within reach of texts of
    training below 4 pi beta tokens. Raises `ValueError` unless alpha is below beta.
    """
    gamma = kept(frequencies, train_length=train_length, alpha=alpha, beta=beta)
    return Scaled(blend(frequencies, gamma, scale))


SPEC = ScalingSpec(
    key="by_parts",
    title="NTK-by-parts",
    summary="Fast pairs keep their frequency, slow pairs are interpolated, those between are blended.",
    paper=YARN,
    rule=lambda frequencies, *, train_length, alpha, beta, **given: by_parts(
        frequencies,
        train_length=train_length,
        alpha=alpha,
        beta=within_reach(beta, alpha=alpha, train_length=train_length),
        **given,
    ),
    parameters=(
        Parameter("alpha", "Alpha", 1.0, "Pairs that turn less often in training are interpolated.", 0.25, 2, 0.25),
        Parameter(
            "beta",
            "Beta",
            32.0,
            "Pairs that turn more often are kept; at most the larger of training length / 4 pi and 2 alpha.",
            4,
            64,
            0.5,
        ),
    ),
)
