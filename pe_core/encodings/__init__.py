"""The registry of encodings: pages, lab, command line, tests and the README table are all made from `ENCODINGS`."""

from pe_core.encodings import alibi, binary, index, learned, none, rope_scaled, rotary, sinusoidal
from pe_core.encodings.base import Chain, EncodingSpec, PositionalEncoding, Shape

__all__ = ["ENCODINGS", "Chain", "EncodingSpec", "PositionalEncoding", "Shape"]

ENCODINGS: dict[str, EncodingSpec] = {
    spec.key: spec
    for spec in (
        none.SPEC,
        index.INTEGER,
        index.NORMALISED,
        binary.SPEC,
        learned.SPEC,
        sinusoidal.SPEC,
        rotary.SPEC,
        rope_scaled.SPEC,
        alibi.SPEC,
    )
}
