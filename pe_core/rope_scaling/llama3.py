r"""The rule of Llama 3.1: wavelengths below L / high are kept, those above L / low divided, those between are blended.

In turns $r = L / \lambda$ the blend is $\gamma = (r - low) / (high - low)$, with low 1 and high 4: NTK-by-parts with
other ends, and no temperature. Llama 3.1 has L = 8192 and divides by 8, Llama 4 Scout has low = high = 1: a step.

Pitfall: the claimed length is not the target. Llama 3.1 claims 131,072 tokens, which is 16 L; as a target that divides
the slow pairs by 16. Hand the factor of a configuration over as the scale.
Reference: the code published with Llama 3.1; of the model, Grattafiori et al. 2024, "The Llama 3 Herd of Models",
arXiv:2407.21783.
"""

import math

from torch import Tensor

from pe_core.parameters import Paper, Parameter, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec
from pe_core.rope_scaling.by_parts import blend, kept


def llama3(
    frequencies: Tensor, *, base: float, train_length: int, scale: float, low: float = 1.0, high: float = 4.0
) -> Scaled:
    """Return the frequencies (d / 2,), those that turn `high` times in training kept, those up to `low` times divided.

    The divisor is the scale s. Where low is high nothing is blended: pairs that turn so often are kept. Raises
    `ValueError` for a low above high.
    """
    require(low <= high, "low", f"be at most high ({high:g})", low)
    if low == high:
        gamma = (frequencies >= 2 * math.pi * high / train_length).to(frequencies.dtype)
    else:
        gamma = kept(frequencies, train_length=train_length, alpha=low, beta=high)
    return Scaled(blend(frequencies, gamma, scale))


SPEC = ScalingSpec(
    key="llama3",
    title="Llama 3",
    summary="By default pairs that turn four times in training are kept, those that never turn once interpolated.",
    paper=Paper("The Llama 3 Herd of Models", "Grattafiori et al.", 2024, "2407.21783"),
    rule=llama3,
    parameters=(
        Parameter("low", "Low", 1.0, "Pairs that turn less often in training are interpolated.", 0.25, 2, 0.25),
        Parameter("high", "High", 4.0, "Pairs that turn more often are kept.", 2.5, 16, 0.5),
    ),
)
