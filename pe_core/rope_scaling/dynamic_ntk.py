r"""Dynamic NTK scaling: $b' = b\,(f \ell / L - (f - 1))^{d/(d-2)}$ for a text of $\ell$ tokens beyond L, plain up to L.

The factor f is 1 in the YaRN paper, which makes this NTK-aware scaling by $\ell / L$; a larger one slows them more.

Pitfall: the frequencies change with each token beyond L. Keys that were turned before they were cached have old ones,
so keys must be cached before they are turned; and the scores of a prefix are not those it had as a whole text.
Reference: emozilla 2023, "Dynamically Scaled RoPE", reddit.com/r/LocalLLaMA/comments/14mrgpr; the factor is that of
Hugging Face's `dynamic`. Peng et al. 2023, arXiv:2309.00071, section 3.3.
"""

from torch import Tensor

from pe_core.parameters import Paper, Parameter, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec
from pe_core.rope_scaling.ntk import slowed


def dynamic_ntk(frequencies: Tensor, *, base: float, train_length: int, scale: float, factor: float = 1.0) -> Scaled:
    """Return the frequencies (d / 2,) for a text that is `scale` times as long as those of training, the one at hand.

    The factor stands beside the scale: where that is 1, up to the training length, it changes nothing. The training
    length is what a configuration calls `max_position_embeddings`, for Hugging Face reads no other here.

    Raises `ValueError` for a factor below 1 or a head_dim below 4.
    """
    require(factor >= 1, "factor", "be at least 1", factor)
    return Scaled(slowed(frequencies, factor * scale - (factor - 1)))


SPEC = ScalingSpec(
    key="dynamic_ntk",
    title="Dynamic NTK",
    summary="NTK-aware scaling that follows the length of the text, with a base that grows as fast as a factor says.",
    paper=Paper("Dynamically Scaled RoPE (Reddit)", "emozilla", 2023, None),
    rule=dynamic_ntk,
    parameters=(
        # Not 1: made for the text at hand, that is `ntk`.
        Parameter("factor", "Factor", 2.0, "How fast the base grows with the text; 1 is NTK-aware.", 1, 8, 0.5),
    ),
)
