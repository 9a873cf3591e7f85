"""No scaling: the frequencies stay as trained; past the training length slow pairs meet angles they have never seen."""

from torch import Tensor

from pe_core.rope_scaling.base import Scaled, ScalingSpec


def plain(frequencies: Tensor, *, base: float, train_length: int, scale: float) -> Scaled:
    """Return the frequencies (d / 2,) as they are."""
    return Scaled(frequencies)


SPEC = ScalingSpec(key="plain", title="None", summary="The frequencies stay as they were trained.", rule=plain)
