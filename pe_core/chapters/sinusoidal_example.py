r"""One row of the sinusoidal table, number by number: frequency, angle, sine or cosine, in the paper's layout."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Facts
from pe_core.measures.channels import Channel, channel
from pe_core.parameters import Parameter

APPROXIMATELY = r"\approx"

EXAMPLE = {
    "row": Parameter("example_position", "Position m", 1, "The position whose row is built up.", 0, 15),
    "dim": Parameter(
        "example_width", "Width D", 4, "How many channels the row has; the base is that of the page.", 1, 8
    ),
}


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


def worked_example(row: int, dim: int, base: float) -> Facts:
    """Return the steps to the numbers of one row, as formulas, and that row below the one of position 0."""
    own, zero = steps(row, dim, base), steps(0, dim, base)
    return {
        "steps": "\n".join(_formulas(step, row, dim, base) for step in own),
        "zero-equals": _row_equals(zero),
        "zero": _row(zero),
        "row-equals": _row_equals(own),
        "numbers": _row(own),
    }


def row_to_check() -> Facts:
    """Return the row of position 1, for width 4 and base 10,000, by which own code can be checked."""
    return {"row": ", ".join(f"{step.value:.5f}" for step in steps(1, 4, 10_000))}


def _formulas(step: Step, position: int, dim: int, base: float) -> str:
    """Return a line of a list: frequency, angle and wave of one number as formulas in a row."""
    pair, factor, angle = step.channel.pair, _digits(step.channel.frequency), _digits(step.angle)
    wave = r"\cos" if step.channel.wave == "cosine" else r"\sin"
    formulas = (
        rf"\omega_{{{pair}}} = {base}^{{-{step.numerator}/{dim}}} {_equals(step.channel.frequency)} {factor}",
        rf"{position} \times {factor} {_equals(step.angle)} {angle}",
        rf"{wave} {angle} {'=' if _is_whole(step) else APPROXIMATELY} \mathbf{{{_value(step)}}}",
    )
    return f"{step.channel.index}. {'&ensp;→&ensp;'.join(f'${formula}$' for formula in formulas)}"


def _digits(value: float) -> str:
    """Return six digits, as a formula has them."""
    mantissa, _, power = f"{value:.6g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if power else mantissa


def _equals(value: float) -> str:
    """Return the sign before six digits: they are either all there are, or an approximation."""
    return "=" if float(f"{value:.6g}") == value else APPROXIMATELY


def _row(row: Sequence[Step]) -> str:
    return ", ".join(map(_value, row))


def _row_equals(row: Sequence[Step]) -> str:
    return "=" if all(map(_is_whole, row)) else APPROXIMATELY


def _is_whole(step: Step) -> bool:
    return step.value == round(step.value)


def _value(step: Step) -> str:
    return f"{step.value:.0f}" if _is_whole(step) else f"{step.value:.5f}"
