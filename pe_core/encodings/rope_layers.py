r"""RoPE on some layers only (iRoPE, RNoPE): layer $\ell$, counted from 0, has none where $(\ell + 1) \bmod k = 0$.

Layers without position look up content at any distance, the turned layers between them provide the local order. In
Hugging Face the interval k is `no_rope_layer_interval`, 4 in Llama 4 and SmolLM3; its list `no_rope_layers` has a 1
where RoPE *is* used. Llama 4 also lets the turned layers see chunks of 8,192 tokens only: a mask, not done here.
Reference: Yang et al. 2025, "Rope to Nope and Back Again: A New Hybrid Attention Strategy", arXiv:2501.18795.
"""

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import ByLayer, EncodingSpec, PositionalEncoding
from pe_core.encodings.rotary import Rotary
from pe_core.parameters import Paper, Parameter, require


def on_some(rope: Rotary, interval: int) -> ByLayer:
    """Return the pattern of layers in which every `interval`-th has no position, the last of so many, others `rope`."""
    require(interval >= 2, "interval", "be at least 2 (1 leaves no layer with RoPE)", interval)
    return ByLayer(*[rope] * (interval - 1), PositionalEncoding())


SPEC = EncodingSpec(
    key="rope_layers",
    title="RoPE on some layers",
    family="rotary",
    summary="Every second or later layer goes without position, the others have RoPE.",
    paper=Paper("Rope to Nope and Back Again: A New Hybrid Attention Strategy", "Yang et al.", 2025, "2501.18795"),
    make=lambda shape, params: on_some(rotary.rope(shape, params), params["interval"]),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("interval", "Interval", 2, "One layer of so many goes without RoPE.", 2, 8),
    ),
)
