"""Numbers of the codes of positions, (T, C), one row per position: are they told apart, evenly, and by one rule?

Codes are the vectors of `pe_core.measures.profile.codes`, or any table. The definitions are our own, but for the linear
map: Vaswani et al. 2017, arXiv:1706.03762, section 3.5, chose sinusoids because the encoding k positions further on is
a linear function of the encoding here.
"""

import torch
from torch import Tensor

from pe_core.measures import jumps
from pe_core.measures.pairs import ROUNDING
from pe_core.parameters import require

# Directions in which a table is thinner than this part of its main one, times its size, carry rounding only. Slow pairs
# of a sinusoid hardly move within a text: with a higher cut they count as rounding, and what they lack as an error.
_CUT = torch.finfo(torch.float64).eps


def pair_distances(codes: Tensor) -> Tensor:
    """Return the Euclidean distance of every two different positions, each pair once, shape (T * (T - 1) / 2,)."""
    distances: Tensor = torch.nn.functional.pdist(codes)
    return distances


def uniqueness(codes: Tensor) -> float | None:
    """Return the smallest distance of two positions over the median one, from 0, two are one, to 1.

    0 where more than half of the pairs are alike; None for a single position.
    """
    if len(codes) < 2:
        return None
    distances = pair_distances(codes)
    typical = distances.median().item()
    return distances.min().item() / typical if typical > ROUNDING else 0.0


def evenness(codes: Tensor) -> float | None:
    """Return the smallest step between neighbours over the largest, from 0 to 1, all alike.

    None for a single position, and where no step is longer than rounding.
    """
    if len(codes) < 2:
        return None
    lengths = jumps.euclidean_steps(codes)
    largest = lengths.max().item()
    return lengths.min().item() / largest if largest > ROUNDING else None


def linear_map_error(vectors: Tensor, offset: int) -> float | None:
    r"""Return how badly one linear map takes every row of `vectors` (T, D) to the row `offset` further on.

    The map of least norm is fitted by least squares to three quarters of the pairs, drawn at random, and tested on
    the rest: $\|M p_m - p_{m+k}\| / \|p_{m+k} - \mathrm{mean}\|$, 0 for a map that is exact, 1 for one no better than
    always answering the mean. None for fewer than 4 pairs and for rows that are all alike.
    """
    require(offset >= 1, "offset", "be at least 1", offset)
    here, there = vectors[:-offset], vectors[offset:]
    if len(there) < 4:
        return None
    order = torch.randperm(len(there), generator=torch.Generator().manual_seed(0))
    n_fitted = len(there) * 3 // 4
    fitted, tested = order[:n_fitted], order[n_fitted:]
    cut = _CUT * max(len(fitted), here.shape[1])
    matrix = torch.linalg.lstsq(here[fitted], there[fitted], rcond=cut, driver="gelsd").solution
    size = (there[tested] - there.mean(dim=0)).norm().item()
    return (here[tested] @ matrix - there[tested]).norm().item() / size if size > ROUNDING else None
