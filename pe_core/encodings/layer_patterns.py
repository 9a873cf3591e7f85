r"""Models whose layers differ in base, mask and temperature: Gemma 3, ModernBERT, Llama 4, and RNoPE with windows.

With layers $\ell = 0, 1, \dots$ and an interval k, local layers see few keys and the others all of them:

- Gemma 3: local, but full where $(\ell + 1) \bmod k = 0$. RoPE of base $10^4$ in local layers, $10^6$ in full ones.
  Published: k = 6 (five local layers, then a full one), windows of 1,024 keys, 512 in the model of 1B.
- ModernBERT: full where $\ell \bmod k = 0$, so the first layer is full; base $10^4$ local, $1.6 \cdot 10^5$ full.
  Published: k = 3, windows of 128 tokens. It is an encoder that sees 64 tokens to each side and itself. The model of
  the lab is causal, so what is left of that window is 64 keys back and the query, 65 in all.
- Llama 4: chunks of C tokens and interleaved RoPE of base $5 \cdot 10^5$; where $(\ell + 1) \bmod k = 0$ no rotation,
  all keys and a temperature (`temperature.in_steps`). Published: k = 4, C = F = 8,192, a = 0.1. The RMS norm of q and
  k behind the rotation is left out: it knows nothing of position, and of the two models only the smaller has it.
- RNoPE with sliding windows (RNoPE-SWA): windows and RoPE; where $(\ell + 1) \bmod k = 0$ neither. Cohere 2 is so,
  with k = 4, windows of 4,096 keys and interleaved pairs; base and window of the paper's own runs are not known here.

Sizes in tokens mean nothing to a model trained on 64 of them. So windows, chunks and steps are given in training
lengths, half of one unless chosen otherwise: a text of training leaves them. By default the model of the lab has two
layers, and an interval is 2 where the published one would make both of them local.

Not modelled: norms of q and k, and softmax scales that are no $1 / \sqrt d$ (both in Gemma 3), as they do not depend on
the layer or on position.
Pitfalls: position and mask switch together, as one list of layers decides both. A window counts places in the text,
whatever positions the tokens are told. Which keys a token of a chunk sees depends on where in its chunk it stands.
Reference: Gemma Team 2025, arXiv:2503.19786; Warner et al. 2024, arXiv:2412.13663; Meta 2025, Llama 4 (no paper); Yang
et al. 2025, arXiv:2501.18795; the code of `transformers` 5.23.0.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pe_core import masks
from pe_core.encodings import rope_layers, rotary, sinusoidal, temperature
from pe_core.encodings.base import ByLayer, Chain, EncodingSpec, Masked, PositionalEncoding, Shape
from pe_core.encodings.rotary import rope
from pe_core.parameters import Paper, Parameter, require, tokens


def full_last(local: PositionalEncoding, full: PositionalEncoding, interval: int) -> ByLayer:
    """Return the pattern in which every `interval`-th layer is `full`, the last of so many, and all others `local`."""
    require(interval >= 2, "interval", "be at least 2 (1 leaves no local layer)", interval)
    return ByLayer(*[local] * (interval - 1), full)


def full_first(local: PositionalEncoding, full: PositionalEncoding, interval: int) -> ByLayer:
    """Return the pattern in which every `interval`-th layer is `full`, the first of so many, and all others `local`."""
    require(interval >= 2, "interval", "be at least 2 (1 leaves no local layer)", interval)
    return ByLayer(full, *[local] * (interval - 1))


def _in_window(shape: Shape, params: Mapping[str, Any]) -> Chain:
    window = tokens(params["window"], shape.train_length)
    return Chain(rope(shape, params), Masked(masks.sliding_window, window=window))


def _in_chunks(shape: Shape, params: Mapping[str, Any]) -> Chain:
    chunk = tokens(params["chunk"], shape.train_length)
    return Chain(rope(shape, params), Masked(masks.chunked, chunk=chunk))


_INTERVAL = Parameter("interval", "Interval", 2, "One layer of so many sees all keys.", 2, 8)
_WINDOW = Parameter("window", "Window", 0.5, "Keys that a local layer sees, in training lengths.", 0.05, 8.0, 0.05)
_CHUNK = Parameter("chunk", "Chunk", 0.5, "Tokens of a chunk, in training lengths.", 0.05, 8.0, 0.05)
_LOCAL = replace(sinusoidal.BASE, label="Local base", help="Base of the layers that see few keys.")
_FULL = replace(sinusoidal.BASE, name="base_full", label="Full base", help="Base of the layers that see all keys.")
_HALF = replace(rotary.LAYOUT, default="half")
_BERT = "Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder"

GEMMA3 = EncodingSpec(
    key="gemma3",
    title="Gemma 3",
    family="rotary",
    summary="RoPE within a window, and in every second or later layer RoPE over all keys, by default of a larger base.",
    paper=Paper("Gemma 3 Technical Report", "Gemma Team", 2025, "2503.19786"),
    make=lambda shape, params: full_last(
        _in_window(shape, params), rope(shape, params, "base_full"), params["interval"]
    ),
    parameters=(_LOCAL, replace(_FULL, default=1e6), _WINDOW, _INTERVAL, _HALF),
)

MODERNBERT = EncodingSpec(
    key="modernbert",
    title="ModernBERT, causal",
    family="rotary",
    summary="By default RoPE over all keys in every third layer from the first; else in a window, of a smaller base.",
    paper=Paper(_BERT, "Warner et al.", 2024, "2412.13663"),
    make=lambda shape, params: full_first(
        _in_window(shape, params), rope(shape, params, "base_full"), params["interval"]
    ),
    parameters=(_LOCAL, replace(_FULL, default=1.6e5), _WINDOW, replace(_INTERVAL, default=3), _HALF),
)

LLAMA4 = EncodingSpec(
    key="llama4",
    title="Llama 4",
    family="rotary",
    summary="RoPE within chunks, and in every second or later layer all keys, no position and scores that grow.",
    paper=Paper("Llama 4 (release post)", "Meta", 2025, None),
    make=lambda shape, params: full_last(
        _in_chunks(shape, params), temperature.rising(shape, params), params["interval"]
    ),
    parameters=(replace(sinusoidal.BASE, default=5e5), rotary.LAYOUT, _CHUNK, _INTERVAL, *temperature.STEPS),
)

RNOPE = EncodingSpec(
    key="rnope_window",
    title="RNoPE with windows",
    family="rotary",
    summary="RoPE within a window, and in every second or later layer all keys and no position.",
    paper=rope_layers.SPEC.paper,
    make=lambda shape, params: full_last(_in_window(shape, params), PositionalEncoding(), params["interval"]),
    parameters=(sinusoidal.BASE, rotary.LAYOUT, _WINDOW, _INTERVAL),
)
