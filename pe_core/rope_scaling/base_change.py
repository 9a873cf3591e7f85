r"""Adjusted base frequency (ABF): the frequencies of a larger base, $\omega_i' = \omega_i\,(b / b')^{2i/d}$.

For $\omega_i = b^{-2i/d}$ this is $b'^{-2i/d}$, the power $\ln b' / \ln b$ of the old frequency. As a product it
needs no logarithm, which is 0 for base 1, and may follow another rule. The new base is chosen and not computed from the
lengths: 10 000 became 500 000 in Llama 2 Long and a million in Code Llama, each time with more training. A smaller base
than the old one makes all pairs but the first faster.

Pitfall: a rule that needs the base and comes after this one must be given the new base.
Reference: Xiong et al. 2023, "Effective Long-Context Scaling of Foundation Models", arXiv:2309.16039, section 4.1.
"""

import torch
from torch import Tensor

from pe_core.parameters import Paper, Parameter, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec


def base_change(
    frequencies: Tensor, *, base: float, train_length: int, scale: float, new_base: float = 500_000.0
) -> Scaled:
    """Return the frequencies (d / 2,) of the new base; a scale of 1, a text as those of training, keeps the old base.

    Raises `ValueError` for a base below 1.
    """
    require(base >= 1, "base", "be at least 1", base)
    require(new_base >= 1, "new_base", "be at least 1", new_base)
    if scale == 1:
        return Scaled(frequencies)
    n_pairs = len(frequencies)
    exponent = torch.arange(n_pairs, dtype=torch.float64, device=frequencies.device) / n_pairs
    return Scaled(frequencies * (base / new_base) ** exponent)


SPEC = ScalingSpec(
    key="base_change",
    title="Adjusted base",
    summary="The frequencies are those of another base, once the text is longer than those of training.",
    paper=Paper("Effective Long-Context Scaling of Foundation Models", "Xiong et al.", 2023, "2309.16039"),
    rule=base_change,
    parameters=(Parameter("new_base", "New base", 500_000.0, "Base used beyond the training length.", 1_000, 1e9),),
)
