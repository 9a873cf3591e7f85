"""The registry of rules for longer contexts: functions from RoPE frequencies to RoPE frequencies, which compose."""

from pe_core.rope_scaling import base_change, by_parts, dynamic_ntk, llama3, longrope, ntk, pi, plain, yarn
from pe_core.rope_scaling.base import Scaled, ScalingSpec

__all__ = ["SCALINGS", "Scaled", "ScalingSpec"]

SCALINGS: dict[str, ScalingSpec] = {
    spec.key: spec
    for spec in (
        plain.SPEC,
        base_change.SPEC,
        pi.SPEC,
        ntk.SPEC,
        dynamic_ntk.SPEC,
        by_parts.SPEC,
        yarn.SPEC,
        llama3.SPEC,
        longrope.SPEC,
    )
}
