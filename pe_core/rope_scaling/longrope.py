r"""LongRoPE: each pair has a factor of its own, $\omega_i' = \omega_i / \lambda_i$, once the text is longer than L.

The factors of real models are found by a search on their own data, as `longrope2` has one. The registry has
factors that rise linearly from 1 for the fastest pair to s for the slowest, computed and not searched: they show what
the rule does and not what it can reach. In models a text of up to L tokens has factors too, the short ones; in the
registry they are all 1. Some lists go a little below 1: those of MiniCPM4 begin with 0.9978. The scores are multiplied
by $1 + \ln s / \ln L$, the square of what is applied to each of q and k.

Pitfalls: the switch comes with token L + 1, not L, and invalidates every cached key. Hugging Face multiplies the scores
in short texts too, since it takes s from the configuration and not from the text: so does a given factor here. The
paper also leaves the first
tokens of a text as they were, which frequencies cannot express.
Reference: Ding et al. 2024, "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens", arXiv:2402.13753,
section 3; the temperature is in its published code and in Phi-3.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.parameters import Paper, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec, check_scale


def linear_factors(n_pairs: int, scale: float) -> Tensor:
    """Return factors that rise linearly from 1 to `scale`, float64, shape (n_pairs,); a single pair has 1."""
    return torch.linspace(1, scale, n_pairs, dtype=torch.float64)


def temperature(scale: float, train_length: int) -> float:
    """Return t = 1 / (1 + ln s / ln L), by which the scores are divided; 1 for s = 1.

    Raises `ValueError` for a training length of 1, unless s is 1.
    """
    if scale == 1:
        return 1.0
    require(train_length >= 2, "train_length", "be at least 2: the rule divides by its logarithm", train_length)
    return 1 / (1 + math.log(scale) / math.log(train_length))


def longrope(
    frequencies: Tensor,
    *,
    base: float,
    train_length: int,
    scale: float,
    long_factors: Tensor | Sequence[float],
    short_factors: Tensor | Sequence[float] | None = None,
    factor: float | None = None,
    attention: float | None = None,
) -> Scaled:
    """Return the frequencies (d / 2,) divided by a factor of each pair (d / 2,), and the temperature.

    A text at hand `scale` > 1 times as long as L has the long factors, up to L the short ones, 1 if not given. The
    factor stands beside the scale: it is the s of the temperature at every length, where without it s is the scale, so
    that up to L there is none. `attention` is an explicit attention factor instead. Raises `ValueError` for factors not
    above 0 or not one per pair, an attention factor not above 0, and for a stretch of a training length of 1.
    """
    require(attention is None or 0 < attention < math.inf, "attention", "be above 0 and finite", attention)
    stretched = scale if factor is None else factor
    check_scale(stretched)
    long = _checked("long_factors", long_factors, frequencies)
    short = torch.ones_like(long) if short_factors is None else _checked("short_factors", short_factors, frequencies)
    sharpened = temperature(stretched, train_length) if attention is None else attention**-2
    return Scaled(frequencies / (long if scale > 1 else short), temperature=sharpened)


def _checked(name: str, factors: Tensor | Sequence[float], frequencies: Tensor) -> Tensor:
    """Return the factors in float64, shape (d / 2,) as the frequencies; `ValueError` unless one per pair, above 0."""
    n_pairs = len(frequencies)
    require(len(factors) == n_pairs, name, f"be one per pair ({n_pairs})", len(factors))
    values = torch.as_tensor(factors, dtype=torch.float64, device=frequencies.device)
    fine = (values > 0) & values.isfinite()
    require(bool(fine.all()), name, "be above 0 and finite", float(values[~fine][:1].sum()))
    return values


def _linear(frequencies: Tensor, *, base: float, train_length: int, scale: float) -> Scaled:
    """Return what `longrope` returns for factors that rise linearly from 1 to s."""
    factors = linear_factors(len(frequencies), scale)
    return longrope(frequencies, base=base, train_length=train_length, scale=scale, long_factors=factors)


SPEC = ScalingSpec(
    key="longrope",
    title="LongRoPE",
    summary="Each pair is slowed by a factor of its own, here a computed one instead of a searched one.",
    paper=Paper("LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens", "Ding et al.", 2024, "2402.13753"),
    rule=_linear,
)
