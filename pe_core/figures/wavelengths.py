"""Wavelengths of pairs as lines on a logarithmic axis, before and after a change."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.curves import DOTTED, across, levels, lines, upwards
from pe_core.figures.figure import Figure
from pe_core.measures.channels import evenly

MAX_PAIRS = 512  # of a line that are drawn; a head may have thousands
MAX_DOTTED = 64  # pairs that get a dot each; more would run together


def drawn(before: Mapping[str, Tensor], after: Mapping[str, Tensor], lengths: Sequence[tuple[str, float]]) -> Figure:
    """Return the wavelengths of named frequencies (P,), radians per token, those of `before` dashed.

    `lengths` are named lengths in tokens. Raises `ValueError` where there are no frequencies.
    """
    named = {**before, **after}
    if not named:
        raise ValueError("the model must turn pairs to have wavelengths, got one that turns nothing")
    width = max(len(one) for one in named.values())
    chosen = torch.tensor(evenly(width, MAX_PAIRS))
    waves = {}
    for name, frequencies in named.items():
        padded = torch.zeros(width, dtype=torch.float64)  # a frequency of 0 has no dot
        padded[: len(frequencies)] = frequencies
        waves[name] = sinusoidal.wavelengths(padded)[chosen]
    x, y, dash = across("Pair"), upwards("Wavelength (tokens)", log=True), {"dash": DOTTED} if before else {}
    looks: dict[str, Any] = {"rules": tuple(before), "dots": width <= MAX_DOTTED, "line": "Kind of layer"}
    return lines(chosen, waves, x, y, *([levels(lengths, **dash)] if lengths else []), **looks)
