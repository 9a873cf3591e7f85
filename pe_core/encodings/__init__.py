"""The registry of encodings: pages, lab, command line, tests and docs/catalogue.md are all made from `ENCODINGS`."""

from pe_core.encodings import (
    alibi,
    binary,
    cable,
    cope,
    dape,
    deberta,
    decoupled_rope,
    dual_chunk,
    fire,
    fope,
    forgetting,
    fourier,
    index,
    kerple,
    layer_patterns,
    learned,
    log_n,
    mrope,
    none,
    own,
    partial_rope,
    pope,
    random_fourier,
    relative_key,
    rerope,
    rope_2d,
    rope_layers,
    rope_scaled,
    rotary,
    sandwich,
    self_extend,
    shaw,
    sincos_2d,
    sinusoidal,
    ssmax,
    string_rope,
    swin,
    swin_v2,
    t5,
    timestep,
    transformer_xl,
    videorope,
    xpos,
)
from pe_core.encodings.base import ByLayer, Chain, EncodingSpec, Masked, PositionalEncoding, Shape

__all__ = ["ENCODINGS", "ByLayer", "Chain", "EncodingSpec", "Masked", "PositionalEncoding", "Shape"]


class Registry(dict[str, EncodingSpec]):
    """The encodings by key. A key that spells out an own one finds it, too; it is in no list, and `in` denies it."""

    def __missing__(self, key: str) -> EncodingSpec:
        if own.is_own(key):
            return own.spec_of(key)  # with the error that says what is wrong with it
        raise KeyError(key)


ENCODINGS = Registry(
    (spec.key, spec)
    for relatives in (
        (none.SPEC, index.INTEGER, index.NORMALISED, binary.SPEC, learned.SPEC, sinusoidal.SPEC),
        (fourier.SPEC, random_fourier.SPEC, timestep.SPEC, sincos_2d.MAE, sincos_2d.DETR),
        (rotary.SPEC, rope_scaled.SPEC, partial_rope.PARTIAL, partial_rope.TRUNCATED, fope.SPEC, xpos.SPEC),
        (log_n.SPEC, ssmax.SPEC, rerope.SPEC, rerope.LEAKY, self_extend.SPEC, dual_chunk.SPEC, string_rope.SPEC),
        (rope_layers.SPEC, layer_patterns.RNOPE, layer_patterns.GEMMA3, layer_patterns.MODERNBERT),
        (layer_patterns.LLAMA4, decoupled_rope.SPEC, rope_2d.AXIAL, rope_2d.MIXED),
        (mrope.CHUNKED, mrope.INTERLEAVED, videorope.SPEC, pope.SPEC),
        (shaw.SPEC, relative_key.KEY, relative_key.KEY_QUERY, deberta.CLIPPED, deberta.BUCKETS, transformer_xl.SPEC),
        (t5.SPEC, alibi.SPEC, kerple.LOGARITHMIC, kerple.POWER_LAW, sandwich.SPEC, fire.SPEC),
        (cope.SPEC, forgetting.SPEC, swin.SPEC, swin_v2.SPEC, cable.SPEC, dape.SPEC),
    )
    for spec in relatives
)
