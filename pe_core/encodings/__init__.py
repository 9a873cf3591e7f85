"""The registry of encodings: pages, lab, command line, tests and the README table are all made from `ENCODINGS`."""

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.alibi import Alibi
from pe_core.encodings.base import Chain, EncodingSpec, Paper, PositionalEncoding, Shape
from pe_core.encodings.binary import Binary, bits_for
from pe_core.encodings.index import Index
from pe_core.encodings.learned import Learned
from pe_core.encodings.rotary import Rotary
from pe_core.encodings.sinusoidal import Sinusoidal
from pe_core.parameters import Parameter

__all__ = ["ENCODINGS", "Chain", "EncodingSpec", "Paper", "PositionalEncoding", "Shape"]

_ATTENTION = Paper("Attention Is All You Need", "Vaswani et al.", 2017, "1706.03762")
_BASE = Parameter("base", "Base", 10_000.0, "Ratio of the slowest to the fastest wavelength, nearly.", 1, 1e9)

ENCODINGS: dict[str, EncodingSpec] = {
    spec.key: spec
    for spec in (
        EncodingSpec(
            key="none",
            title="None (NoPE)",
            family="none",
            hook="none",
            summary="Nothing at all: only the causal mask tells the model how many tokens came before.",
            paper=Paper(
                "Transformer Language Models without Positional Encodings Still Learn Positional Information",
                "Haviv et al.",
                2022,
                "2203.16634",
            ),
            make=lambda shape, params: PositionalEncoding(),
        ),
        EncodingSpec(
            key="integer",
            title="Integer index",
            family="absolute",
            hook="embed",
            summary="The position 0, 1, 2 ... along one learned direction: unbounded, and every later number is new.",
            paper=None,
            make=lambda shape, params: Index(shape.d_model, normalise=False),
        ),
        EncodingSpec(
            key="normalised",
            title="Normalised index",
            family="absolute",
            hook="embed",
            summary="The position divided by the last one: bounded, but the step depends on the length of the text.",
            paper=None,
            make=lambda shape, params: Index(shape.d_model, normalise=True),
        ),
        EncodingSpec(
            key="binary",
            title="Binary code",
            family="absolute",
            hook="embed",
            summary="The bits of the position through a learned map: unique, bounded, and full of jumps.",
            paper=None,
            make=lambda shape, params: Binary(shape.d_model, bits_for(shape.max_length)),
        ),
        EncodingSpec(
            key="learned",
            title="Learned table",
            family="absolute",
            hook="embed",
            summary="One free vector per position: flexible, and noise past the last position it was trained on.",
            paper=Paper("Convolutional Sequence to Sequence Learning", "Gehring et al.", 2017, "1705.03122"),
            make=lambda shape, params: Learned(shape.d_model, shape.max_length, std=params["std"]),
            parameters=(
                Parameter("std", "Initial spread", 0.02, "Standard deviation of the untrained rows.", 0.001, 1.0),
            ),
        ),
        EncodingSpec(
            key="sinusoidal",
            title="Sinusoidal",
            family="absolute",
            hook="embed",
            summary="Sines and cosines of falling frequency, added once at the input.",
            paper=_ATTENTION,
            make=lambda shape, params: Sinusoidal(base=params["base"], variant=params["variant"]),
            parameters=(
                _BASE,
                Parameter(
                    "variant",
                    "Layout",
                    "paper",
                    "Order of the channels and ladder of frequencies.",
                    choices=sinusoidal.VARIANTS,
                ),
            ),
        ),
        EncodingSpec(
            key="rope",
            title="RoPE",
            family="rotary",
            hook="rotate",
            summary="Queries and keys are turned, pair by pair, so that their score depends on the distance.",
            paper=Paper(
                "RoFormer: Enhanced Transformer with Rotary Position Embedding", "Su et al.", 2021, "2104.09864"
            ),
            make=lambda shape, params: Rotary(
                rotary.frequencies(shape.head_dim, params["base"]), layout=params["layout"]
            ),
            parameters=(
                _BASE,
                Parameter(
                    "layout", "Pairs", "interleaved", "Which channels are turned together.", choices=rotary.LAYOUTS
                ),
            ),
        ),
        EncodingSpec(
            key="alibi",
            title="ALiBi",
            family="bias",
            hook="bias",
            summary="Each score is lowered in proportion to the distance, with a slope of its own for every head.",
            paper=Paper(
                "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
                "Press, Smith & Lewis",
                2022,
                "2108.12409",
            ),
            make=lambda shape, params: Alibi(shape.n_heads, causal=params["direction"] == "causal"),
            parameters=(
                Parameter(
                    "direction", "Direction", "causal", "Which keys a query sees.", choices=("causal", "symmetric")
                ),
            ),
        ),
    )
}
