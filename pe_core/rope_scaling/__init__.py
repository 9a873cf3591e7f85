"""The registry of rules for longer contexts: functions from RoPE frequencies to RoPE frequencies, which compose."""

from pe_core.rope_scaling import plain
from pe_core.rope_scaling.base import Scaled, ScalingSpec

__all__ = ["SCALINGS", "Scaled", "ScalingSpec"]

SCALINGS: dict[str, ScalingSpec] = {spec.key: spec for spec in (plain.SPEC,)}
