r"""One row of the sinusoidal table, number by number: frequency, angle, sine or cosine, in the paper's layout."""

from dataclasses import dataclass

import torch

from pe_core.encodings import sinusoidal
from pe_core.measures.channels import Channel, channel


@dataclass(frozen=True)
class Step:
    """How one number comes about: frequency = base^(-numerator/dim), angle = position * frequency, then the wave."""

    channel: Channel
    numerator: int  # 2i, the number in the exponent above dim
    angle: float  # in radians
    value: float


def steps(position: int, dim: int, base: float) -> list[Step]:
    """Return the steps to each number of the row of `position`, channel by channel."""
    row = sinusoidal.table(torch.tensor([position]), dim, base=base, dtype=torch.float64)[0].tolist()
    channels = [channel(index, dim, base) for index in range(dim)]
    return [Step(one, 2 * one.pair, position * one.frequency, value) for one, value in zip(channels, row, strict=True)]
