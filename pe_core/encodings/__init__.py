"""The registry of encodings: pages, lab, command line, tests and the README table are all made from `ENCODINGS`."""

from pe_core.encodings import (
    alibi,
    binary,
    cope,
    fire,
    forgetting,
    index,
    kerple,
    learned,
    log_n,
    mrope,
    none,
    own,
    partial_rope,
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
    t5,
    transformer_xl,
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
    for spec in (
        none.SPEC,
        index.INTEGER,
        index.NORMALISED,
        binary.SPEC,
        learned.SPEC,
        sinusoidal.SPEC,
        sincos_2d.MAE,
        sincos_2d.DETR,
        rotary.SPEC,
        rope_scaled.SPEC,
        partial_rope.PARTIAL,
        partial_rope.TRUNCATED,
        xpos.SPEC,
        log_n.SPEC,
        rerope.SPEC,
        rerope.LEAKY,
        self_extend.SPEC,
        rope_layers.SPEC,
        rope_2d.AXIAL,
        rope_2d.MIXED,
        mrope.CHUNKED,
        mrope.INTERLEAVED,
        shaw.SPEC,
        transformer_xl.SPEC,
        t5.SPEC,
        alibi.SPEC,
        kerple.LOGARITHMIC,
        kerple.POWER_LAW,
        sandwich.SPEC,
        fire.SPEC,
        cope.SPEC,
        forgetting.SPEC,
    )
)
