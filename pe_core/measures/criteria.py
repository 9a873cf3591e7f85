"""The registry of criteria that every encoding is judged by; `cards` measures them all.

Asked for are a code of its own for every position, bounds, offsets that mean the same everywhere, distinct neighbours,
visible distance and direction, reach past training, low cost. None of it says how well a model learns.
Costs are counted, in parameters and in numbers of a bias; there are no times.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pe_core.encodings import alibi, sinusoidal
from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.measures import lengths, within
from pe_core.measures.profile import PROJECTIONS, attempt, effects_on, precise, random_content, unit_content
from pe_core.parameters import Entry, Paper

Better = Literal["higher", "lower", "neutral"]


@dataclass(frozen=True, kw_only=True)
class Criterion(Entry):
    """A registry entry: a number for an encoding built for a shape, its unit, and which direction is better.

    `measure` takes the weights as they are and returns None where the criterion does not apply.
    """

    measure: Callable[[PositionalEncoding, Shape], float | None]
    unit: str
    better: Better


def n_parameters(encoding: PositionalEncoding) -> int:
    """Return how many parameters the encoding has, over all layers that share it."""
    return sum(parameter.numel() for parameter in encoding.parameters())


def unreached(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the fraction of the parameters that only a text longer than those of training reaches, from 0 to 1.

    Reached are those whose gradient is not exactly 0 on random queries and keys, at the weights as they are. Counted
    are those that the longest text that the encoding was built for reaches and a text of the training length does not:
    rows of a table and buckets past the training length. What neither reaches, like a unit that a rectifier has
    switched off, is not up to the length. None where nothing is learned and where the encoding refuses the positions.
    """
    if not n_parameters(encoding) or attempt(encoding, shape, torch.arange(shape.train_length)) is None:
        return None
    trained = reached(encoding, shape, shape.train_length)
    if all(bool(one.all()) for one in trained):
        return 0.0
    longest = max(shape.max_length, shape.train_length)
    longer = trained if attempt(encoding, shape, torch.arange(longest)) is None else reached(encoding, shape, longest)
    n_later = sum(int((later & ~before).sum()) for before, later in zip(trained, longer, strict=True))
    return n_later / n_parameters(encoding)


def reached(encoding: PositionalEncoding, shape: Shape, length: int) -> list[Tensor]:
    """Return for each parameter where its gradient is not 0 on a text of random queries and keys, bool, its shape."""
    positions = torch.arange(length)
    own = copy.deepcopy(encoding).double().requires_grad_(True)
    q, k = random_content(shape, length)
    found = effects_on(own, shape, positions, q.new_zeros(length, shape.d_model), q, k)
    generator = torch.Generator().manual_seed(PROJECTIONS)
    loss = sum(
        (part[part.isfinite()] * torch.randn(int(part.isfinite().sum()), generator=generator, dtype=part.dtype)).sum()
        for part in (found.vectors, found.queries, found.keys, found.bias)
    )
    assert isinstance(loss, Tensor)  # for the type checker: a sum of none would be the number 0
    gradients = torch.autograd.grad(loss, list(own.parameters()), allow_unused=True, materialize_grads=True)
    return [gradient != 0 for gradient in gradients]


def bias_elements(encoding: PositionalEncoding, shape: Shape) -> int | None:
    """Return how many numbers the bias of one layer holds for one text of the training length; 0 without a bias.

    None where the encoding refuses the positions.
    """
    positions = torch.arange(shape.train_length)
    if attempt(encoding, shape, positions) is None:
        return None
    content = unit_content(shape, len(positions))[None]
    bias = precise(encoding).at_layer(0).bias(content, content, positions)
    return 0 if bias is None else bias.numel()


_WANG = Paper("On Position Embeddings in BERT", "Wang et al.", 2021, None)
_CHIANG = Paper("Overcoming a Theoretical Limitation of Self-Attention", "Chiang & Cholak", 2022, "2202.12172")

CRITERIA: dict[str, Criterion] = {
    criterion.key: criterion
    for criterion in (
        Criterion(
            key="uniqueness",
            title="Own code",
            summary="Smallest distance between the codes of two positions, or of two distances, over the median one.",
            measure=within.uniqueness,
            unit="ratio",
            better="higher",
        ),
        Criterion(
            key="growth",
            title="Bounded",
            summary="Power of the length with which the largest number grows in very long texts; 0 is bounded.",
            measure=lengths.growth,
            unit="power",
            better="lower",
        ),
        Criterion(
            key="translation",
            title="Same offset, same score",
            summary="Part of the variation of the scores that the distance does not explain; 0 is invariant.",
            paper=_WANG,
            measure=within.toeplitz_deviation,
            unit="part",
            better="lower",
        ),
        Criterion(
            key="shift",
            title="Same scores after a shift",
            summary="Largest change of a score when all positions grow by the same number, over the largest score.",
            paper=_WANG,
            measure=lengths.shift_error,
            unit="part",
            better="lower",
        ),
        Criterion(
            key="prefix",
            title="Same codes in a longer text",
            summary="Change of vectors and scores of the first positions when the text becomes twice as long.",
            measure=lengths.prefix_error,
            unit="part",
            better="lower",
        ),
        Criterion(
            key="evenness",
            title="Equal steps between neighbours",
            summary="Smallest step from one position to the next over the largest; 1 is the same step everywhere.",
            measure=within.evenness,
            unit="ratio",
            better="higher",
        ),
        Criterion(
            key="local_order",
            title="Near before far, locally",
            summary="Share of steps away from a query, up to a quarter of the training length, at which scores fall.",
            paper=_WANG,
            measure=within.local_monotonicity,
            unit="share",
            better="higher",
        ),
        Criterion(
            key="global_order",
            title="Near before far, everywhere",
            summary="Rank correlation of score and distance; −1 means that the score falls all the way.",
            paper=_WANG,
            measure=within.rank_correlation,
            unit="correlation",
            better="lower",
        ),
        Criterion(
            key="asymmetry",
            title="Direction in the plain scores",
            summary="Part of the variation of the plain scores that is different for before and after; 0 is symmetric.",
            paper=_WANG,
            measure=within.asymmetry,
            unit="part",
            better="neutral",
        ),
        Criterion(
            key="direction",
            title="Direction after a projection",
            summary="The same with random projections for queries and keys: whether a model could tell the direction.",
            measure=within.direction,
            unit="part",
            better="higher",
        ),
        Criterion(
            key="composition",
            title="One linear map per offset",
            summary="Error of one linear map from each vector, query or key to that k positions on; 0 is exact.",
            paper=sinusoidal.SPEC.paper,
            measure=lengths.composition_error,
            unit="part",
            better="lower",
        ),
        Criterion(
            key="reach",
            title="Defined past training",
            summary="Largest multiple of the training length, up to 8, at which all numbers are finite.",
            paper=alibi.SPEC.paper,
            measure=lengths.reach,
            unit="times",
            better="higher",
        ),
        Criterion(
            key="dilution",
            title="Attention thins out with length",
            summary="How attention over keys like the query spreads as a text grows 8 times: 0 not at all, 1 fully.",
            paper=_CHIANG,
            measure=lengths.dilution,
            unit="part",
            better="lower",
        ),
        Criterion(
            key="parameters",
            title="Parameters",
            summary="How many parameters the encoding has.",
            measure=lambda encoding, shape: n_parameters(encoding),
            unit="parameters",
            better="lower",
        ),
        Criterion(
            key="unreached",
            title="Parameters never trained",
            summary="Share of the parameters that only texts longer than those of training use.",
            measure=unreached,
            unit="share",
            better="lower",
        ),
        Criterion(
            key="bias_size",
            title="Size of the bias",
            summary="How many numbers are added to the scores of one layer, for one text of the training length.",
            measure=bias_elements,
            unit="numbers",
            better="lower",
        ),
    )
}
