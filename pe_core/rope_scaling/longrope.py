r"""LongRoPE: each pair has a factor of its own, $\omega_i' = \omega_i / \lambda_i$, once the text is longer than L.

The factors of real models are found by a search on their own data, and such a search is not made here. The registry has
factors that rise linearly from 1 for the fastest pair to s for the slowest, computed and not searched: they show what
the rule does and not what it can reach. In models a text of up to L tokens has factors too, the short ones; here
they are all 1. The scores are multiplied by $1 + \ln s / \ln L$, the square of what is applied to each of q and k.

Pitfalls: the switch comes with token L + 1, not L, and invalidates every cached key. Hugging Face multiplies the scores
in short texts too, since it takes s from the configuration and not from the text. The paper also leaves the first
tokens of a text as they were, which frequencies cannot express.
Reference: Ding et al. 2024, "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens", arXiv:2402.13753,
section 3; the temperature is in its published code and in Phi-3.
"""

import math

import torch
from torch import Tensor

from pe_core.parameters import require
from pe_core.registry import Paper
from pe_core.rope_scaling.base import Scaled, ScalingSpec, stretch


def linear_factors(n_pairs: int, scale: float) -> Tensor:
    """Return factors that rise linearly from 1 to `scale`, float64, shape (n_pairs,); a single pair has 1."""
    return torch.linspace(1, scale, n_pairs, dtype=torch.float64)


def longrope(
    frequencies: Tensor, *, base: float, train_length: int, target_length: int, long_factors: Tensor
) -> Scaled:
    """Return the frequencies (d / 2,) divided by `long_factors` (d / 2,), and the temperature; none up to L.

    Raises `ValueError` for factors below 1 or not one per pair, and beyond L for a training length of 1.
    """
    n_pairs = len(frequencies)
    require(len(long_factors) == n_pairs, "long_factors", f"be one per pair ({n_pairs})", len(long_factors))
    require(bool((long_factors >= 1).all()), "long_factors", "be at least 1", float(long_factors.min()))
    scale = stretch(train_length, target_length)
    if scale == 1:
        return Scaled(frequencies)
    require(train_length >= 2, "train_length", "be at least 2, for its logarithm divides", train_length)
    temperature = 1 / (1 + math.log(scale) / math.log(train_length))
    return Scaled(frequencies / long_factors.to(frequencies.device, torch.float64), temperature=temperature)


def _linear(frequencies: Tensor, *, base: float, train_length: int, target_length: int) -> Scaled:
    """Return what `longrope` returns for factors that rise linearly from 1 to s."""
    factors = linear_factors(len(frequencies), stretch(train_length, target_length))
    return longrope(
        frequencies, base=base, train_length=train_length, target_length=target_length, long_factors=factors
    )


SPEC = ScalingSpec(
    key="longrope",
    title="LongRoPE",
    summary="Each pair is slowed by a factor of its own, here a computed one instead of a searched one.",
    paper=Paper("LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens", "Ding et al.", 2024, "2402.13753"),
    rule=_linear,
)
