"""Pictures of the chapter on context extension: what rules for longer texts do to the pairs of RoPE."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.figures.figure import Figure
from pe_core.figures.lines import Axes, lines
from pe_core.measures.rotary_bounds import first_negative, interpolated
from pe_core.measures.similarity import dot_products
from pe_core.rope_scaling import SCALINGS, Scaled

TRAINED = "in training"
MOST_DOTTED = 32  # pairs that get a dot each; more would run together
MOST_PLACES = 512  # of a kernel that are drawn; in a longer text each is the mean of some neighbours
NEIGHBOURS = 7  # tokens, a little more than a turn of the fastest pair
BASES = torch.logspace(2, 8, 25, dtype=torch.float64)  # four to a power of ten
FARTHEST = 65_536


def scaled(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> dict[str, Scaled]:
    """Return what each of the rules, given by their keys, makes of the frequencies of training, by its title."""
    frequencies, lengths = rotary.frequencies(head_dim, base), (train_length, factor * train_length)
    return {
        SCALINGS[key].title: SCALINGS[key](frequencies, base=base, train_length=lengths[0], target_length=lengths[1])
        for key in rules
    }


def slowdown(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return by how much each rule slows each pair, for a text `factor` times as long as those of training."""
    frequencies, found = rotary.frequencies(head_dim, base), scaled(rules, factor, train_length, head_dim, base)
    slowing = {title: frequencies / one.frequencies for title, one in found.items()}
    dots = len(frequencies) <= MOST_DOTTED
    axes = Axes("Pair", "Slowed by (times)", log_y=True, dots=dots, reach=(1, 10), line="Rule")
    return lines(torch.arange(len(frequencies)), slowing, axes)


def wavelengths(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return the wavelength of each pair under each rule and in training, with lines at the two lengths."""
    found = {TRAINED: Scaled(rotary.frequencies(head_dim, base)), **scaled(rules, factor, train_length, head_dim, base)}
    waves = {title: sinusoidal.wavelengths(one.frequencies) for title, one in found.items()}
    target = factor * train_length
    marks = [(f"training {train_length:,}", train_length), (f"target {target:,}", target)]
    axes = Axes("Pair", "Wavelength (tokens)", log_y=True, line="Rule")
    return lines(torch.arange(head_dim // 2), waves, axes, rules=[TRAINED], levels=marks[:factor])


def shares(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> dict[str, Tensor]:
    """Return how much of position interpolation each rule does to each pair, (head_dim / 2,) each, by its title."""
    frequencies, found = rotary.frequencies(head_dim, base), scaled(rules, factor, train_length, head_dim, base)
    return {title: interpolated(frequencies, one.frequencies, float(factor)) for title, one in found.items()}


def ramp(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return how much of position interpolation each rule does to each pair: 0 is left alone, 1 all of it."""
    dots = head_dim // 2 <= MOST_DOTTED
    axes = Axes("Pair", "Share of interpolation, 1 − γ", dots=dots, reach=(0, 1), line="Rule")
    return lines(torch.arange(head_dim // 2), shares(rules, factor, train_length, head_dim, base), axes)


def averaged(factor: int, train_length: int) -> bool:
    """Whether a point of a kernel is the mean of neighbours, for a text with more distances than can be drawn."""
    return factor * train_length > MOST_PLACES


def kernel(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return the score of equal content at each distance under each rule and in training, 1 at distance 0 before it."""
    target = factor * train_length
    distances = torch.linspace(0, target - 1, min(MOST_PLACES, target)).round()
    around = distances[:, None] + torch.arange(NEIGHBOURS if averaged(factor, train_length) else 1)
    found = {TRAINED: Scaled(rotary.frequencies(head_dim, base)), **scaled(rules, factor, train_length, head_dim, base)}
    kernels = {}
    for title, one in found.items():
        products = dot_products(around.flatten(), one.frequencies).view(around.shape).mean(dim=-1)
        kernels[title] = products / len(one.frequencies) / one.temperature
    axes = Axes("Distance (tokens)", "Score of equal content", reach=(0, 1), line="Rule")
    return lines(distances, kernels, axes, rules=[TRAINED])


def reached(head_dim: int) -> Tensor:
    """Return the first negative distance for each of `BASES`, infinite where there is none up to 65,536."""
    found = (first_negative(rotary.frequencies(head_dim, base), farthest=FARTHEST) for base in BASES.tolist())
    return torch.tensor([math.inf if first is None else first for first in found], dtype=torch.float64)


def base_bound(head_dim: int, target_length: int) -> Figure:
    """Return how far equal content beats random content, against the base, with a line at the length of a text."""
    axes = Axes("Base", "First negative distance (tokens)", log_x=True, log_y=True, dots=True, line="Rule")
    found = {"first negative distance": reached(head_dim)}
    return lines(BASES, found, axes, levels=[(f"target {target_length:,}", target_length)])
