"""Why the base is 10,000: how unlike neighbours are under a base, and whether near and far are told apart at all."""

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.curves import POWERS, across, lines, marks, reach, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.measures import similarity
from pe_core.measures.channels import unfinished

TEXT = 512  # positions of the text
BASES = torch.logspace(0, 6, 61, dtype=torch.float64)
NAMED = {"small": 10, "paper": 10_000, "large": 1_000_000}
NEIGHBOUR, ORDER = "similarity of neighbours", "near before far (1: at every distance)"


def alike(width: int, base: float) -> tuple[float, float]:
    """Return how alike neighbours are, 1 for equal, and how well similarity tells distances apart, 1 for in order.

    The second is Spearman's correlation of similarity and nearness over the distances 0 to 511.
    """
    found = similarity.dot_products(torch.arange(TEXT), similarity.complete_pairs(width, base)) / (width // 2)
    nearness = torch.arange(TEXT, 0, -1)
    return float(found[1]), float(torch.corrcoef(torch.stack([_ranks(found), _ranks(nearness)]))[0, 1])


def _ranks(values: Tensor) -> Tensor:
    return values.argsort().argsort().double()


def by_base(width: int) -> Figure:
    """Return how alike neighbours are, and how well distances are told apart, by base, for a width of 2 or more."""
    nearby, order = torch.tensor([alike(width, float(base)) for base in BASES], dtype=torch.float64).T
    facts: dict[str, object] = {"text": TEXT, "pairs": width // 2}
    for name, base in NAMED.items():
        here, there = alike(width, base)
        frequencies = sinusoidal.frequencies(width, base)
        facts |= {
            f"{name}-base": base,
            f"{name}-near": here,
            f"{name}-order": there + 0.0,
            f"{name}-slowest": float(sinusoidal.wavelengths(frequencies)[-1]),
            f"{name}-still": unfinished(frequencies, TEXT),
        }
    x, y = across("Base", log=True, ticks=POWERS[4:11]), upwards("Similarity or rank correlation")
    named, paper = {NEIGHBOUR: nearby, ORDER: order}, marks([("10,000", NAMED["paper"])])
    return lines(BASES, named, x, y, reach(-0.4, 1), paper).with_facts(facts)


def speeds(length: int, width: int, base: float) -> Facts:
    """Return which channels are fast and which slow: the first one of a pair that never turns within the length."""
    frequencies = sinusoidal.frequencies(width, base)
    still = unfinished(frequencies, length)
    first = 2 * (len(frequencies) - still)
    which = "speeds-all-fast" if not still else "speeds-all-slow" if still == len(frequencies) else "speeds-both"
    return {"speeds": which, "last-fast": first - 1, "first-slow": first}
