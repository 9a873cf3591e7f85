"""RoPE with a rule for longer contexts: turned by the frequencies that the rule gives for the length at hand.

Up to the training length every rule with a factor of 1 is plain RoPE. So a model trained with this encoding has learned
plain RoPE, and beyond its training length it is seen with the rule applied and without any fine-tuning.
Reference: the papers of the rules, in `pe_core.rope_scaling`.
"""

from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Parameter
from pe_core.registry import Paper
from pe_core.rope_scaling import SCALINGS, Scaled, ScalingSpec


class ScaledRotary(PositionalEncoding):
    """Turn queries and keys by frequencies made for the length of the text, and divide q by the temperature."""

    def __init__(
        self, head_dim: int, *, base: float, layout: Layout, scaling: ScalingSpec, train_length: int, target_length: int
    ) -> None:
        super().__init__()
        self.head_dim = head_dim
        self.base = base
        self.layout = layout
        self.scaling = scaling
        self.train_length = train_length
        self.target_length = target_length

    def scaled(self, positions: Tensor) -> Scaled:
        """Return frequencies and temperature for a text whose last position is the largest of `positions` (T,)."""
        length = max(self.target_length, int(positions.max()) + 1)
        frequencies = rotary.frequencies(self.head_dim, self.base)
        return self.scaling(frequencies, base=self.base, train_length=self.train_length, target_length=length)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        scaled = self.scaled(positions)
        turned_q, turned_k = (rotary.rotate(x, positions, scaled.frequencies, layout=self.layout) for x in (q, k))
        return turned_q / scaled.temperature, turned_k


SPEC = EncodingSpec(
    key="rope_scaled",
    title="RoPE, scaled",
    family="rotary",
    hooks=("rotate",),
    summary="RoPE whose frequencies are changed by a rule once the text is longer than those of training.",
    paper=Paper("YaRN: Efficient Context Window Extension of Large Language Models", "Peng et al.", 2023, "2309.00071"),
    make=lambda shape, params: ScaledRotary(
        shape.head_dim,
        base=params["base"],
        layout=params["layout"],
        scaling=SCALINGS[params["scaling"]],
        train_length=shape.train_length,
        target_length=shape.train_length if params["made_for"] == "this text" else shape.max_length,
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("scaling", "Rule", "plain", "How frequencies change.", choices=tuple(SCALINGS)),
        Parameter(
            "made_for",
            "Made for",
            "this text",
            "Whether the rule looks at the length of the text at hand, or always at the longest one.",
            choices=("this text", "longest text"),
        ),
    ),
)
