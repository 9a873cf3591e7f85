"""What holds within one text of the training length: the numbers of `pairs` for an encoding.

Every function takes an encoding and the shape it was built for, and returns None where the measure does not apply or
the encoding refuses the positions.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.measures import pairs
from pe_core.measures.profile import PROJECTIONS, attempt, codes, effects_on, precise, profile_of

MAX_POSITIONS = 512
WINDOW = 0.25  # of the training length: what counts as near


def start(shape: Shape) -> Tensor:
    """Return the positions of a training text, 0, 1, 2 ..., the first 512 of them."""
    return torch.arange(min(shape.train_length, MAX_POSITIONS))


def codes_of(encoding: PositionalEncoding, shape: Shape) -> Tensor | None:
    """Return one code per position of a training text, float64, (T, C); None where the encoding refuses one."""
    positions = start(shape)
    return None if attempt(encoding, shape, positions) is None else codes(encoding, shape, positions)


def toeplitz_deviation(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return which part of the variation of the profile distance does not explain, 0 to 1."""
    scores = _profile(encoding, shape)
    return None if scores is None else pairs.toeplitz_deviation(scores, start(shape))


def asymmetry(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return which part of the variation of the profile tells query and key apart, 0 to 1."""
    scores = _profile(encoding, shape)
    return None if scores is None else pairs.asymmetry(scores)


def local_monotonicity(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the share of steps away from a query at which scores fall, up to a quarter of the training length."""
    scores, window = _profile(encoding, shape), max(1.0, WINDOW * shape.train_length)
    return None if scores is None else pairs.local_monotonicity(scores, start(shape), window)


def rank_correlation(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the rank correlation of score and distance, -1 to 1."""
    scores = _profile(encoding, shape)
    return None if scores is None else pairs.rank_correlation(scores, start(shape))


def uniqueness(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the smallest distance between two codes over the median one, 0 to 1."""
    table = codes_of(encoding, shape)
    return None if table is None else pairs.uniqueness(table)


def evenness(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the smallest step from one code to the next over the largest, 0 to 1."""
    table = codes_of(encoding, shape)
    return None if table is None else pairs.evenness(table)


def direction(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return how well random query and key projections tell before from after: the asymmetry of their scores, 0 to 1.

    The content is one random embedding at every position. The plain dot product of two codes is always symmetric, but a
    model has a projection for queries and another for keys. None for an encoding that sees nothing after the query.
    """
    positions = start(shape)
    if attempt(encoding, shape, positions) is None:
        return None
    generator = torch.Generator().manual_seed(PROJECTIONS)
    size = (shape.d_model, shape.n_heads, shape.head_dim)
    token, *weights = (torch.randn(n, generator=generator, dtype=torch.float64) for n in (size[:1], size, size))
    content = token.expand(len(positions), -1)
    own = precise(encoding)
    x = own.embed(content[None], positions)[0] / math.sqrt(shape.d_model)
    q, k = (torch.einsum("td,dhe->hte", x, weight) for weight in weights)
    return pairs.asymmetry(effects_on(own, shape, positions, content, q, k).scores)


def _profile(encoding: PositionalEncoding, shape: Shape) -> Tensor | None:
    found = attempt(encoding, shape, start(shape))
    return None if found is None else profile_of(found)
