r"""Position interpolation (PI): $\omega_i' = \omega_i / s$ for a text s times as long as those of training.

Every angle of the longer text stays below $L\,\omega_i$, as in training; the same as dividing the positions by s. The
price: near tokens are told apart by angles s times smaller than those the model has learned, so it needs fine-tuning.
Reference: Chen et al. 2023, "Extending Context Window of Large Language Models via Positional Interpolation",
arXiv:2306.15595, equations 3 and 4.
"""

from torch import Tensor

from pe_core.parameters import Paper
from pe_core.rope_scaling.base import Scaled, ScalingSpec, check_scale


def pi(frequencies: Tensor, *, base: float, train_length: int, scale: float) -> Scaled:
    """Return the frequencies (d / 2,) divided by the scale s."""
    check_scale(scale)
    return Scaled(frequencies / scale)


SPEC = ScalingSpec(
    key="pi",
    title="Position interpolation",
    summary="Every frequency is divided by how many times longer than in training the text is.",
    paper=Paper(
        "Extending Context Window of Large Language Models via Positional Interpolation",
        "Chen et al.",
        2023,
        "2306.15595",
    ),
    rule=pi,
)
