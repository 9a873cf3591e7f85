"""The seven things that an encoding of positions must do, each with a number and the threshold that meets it.

Vaswani et al. 2017, arXiv:1706.03762, section 3.5, and Wang et al., "On Position Embeddings in BERT", ICLR 2021, ask
for some of them; the list of all, the numbers and the thresholds are our own. Where a criterion of the scorecard means
the same, it is the number. The numbers are those of an encoding as it was built, before any training; only whether it
works on longer texts is known from trained models alone, so that requirement has no measure here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.measures import lengths, pairs, within
from pe_core.measures.criteria import n_parameters
from pe_core.measures.pairs import ROUNDING
from pe_core.parameters import require

DISTINCT = 0.01  # of the median distance: codes nearer to each other than this count as one
BOUND = 0.2  # power of the length: what grows more slowly than this counts as bounded (a logarithm has 0.1 at most)
SAME = 0.01  # part of the variation of the scores that distance may leave unexplained
NEAR = 0.5  # of the median distance: a step to the next position may be as long
IN_ORDER = 0.95  # of the pairs that a read-out must put into the right order
HOLDS = 1.1  # times the loss within the training length, as in the verdicts of the lab
ONE_LAYER = 1.0  # times the parameters of the four matrices of an attention layer
FITTED = 0.75  # of the positions: from them the read-out is fitted, on the others it is tested


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """A requirement in a few words, what its number is, and the threshold with its good side.

    `measure` is None where only training tells the number. `short` is the title in one or two words.
    """

    title: str
    short: str
    summary: str
    measure: Callable[[PositionalEncoding, Shape], float | None] | None
    threshold: float
    better: Literal["higher", "lower"]

    @property
    def side(self) -> str:
        """On which side of the threshold a number meets the requirement, in words."""
        return "at least" if self.better == "higher" else "at most"

    def meets(self, value: float | None) -> bool | None:
        """Return whether a number meets the requirement, the threshold included; None where there is no number."""
        if value is None:
            return None
        return value >= self.threshold if self.better == "higher" else value <= self.threshold


def relative_steps(table: Tensor) -> Tensor | None:
    """Return the distance from each row of `table` (T, C) to the next over the median distance, shape (T - 1,).

    None where more than half of the pairs are alike. Raises `ValueError` for fewer than two rows.
    """
    require(len(table) >= 2, "table", "have at least two rows", len(table))
    typical = pairs.pair_distances(table).median().item()
    return table.diff(dim=0).norm(dim=-1) / typical if typical > ROUNDING else None


def max_step(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the longest step from one code to the next over the median distance of two codes; 0 is no step.

    None where the encoding refuses the positions, and where codes are alike, so that nothing is near or far.
    """
    table = within.codes_of(encoding, shape)
    steps = None if table is None else relative_steps(table)
    return None if steps is None else steps.max().item()


def read_out(table: Tensor) -> tuple[Tensor, Tensor]:
    """Return positions, ascending, and what a linear read-out of their rows in `table` (T, C) takes them for.

    The read-out, a weight per channel and a constant, is fitted by least squares to three quarters of the positions,
    drawn at random; returned are the others, (N,) each, the second float64. `ValueError` for fewer than 8 positions.
    """
    require(len(table) >= 8, "table", "have at least 8 rows", len(table))
    order = torch.randperm(len(table), generator=torch.Generator().manual_seed(0))
    n_fitted = int(len(table) * FITTED)
    fitted, tested = order[:n_fitted], order[n_fitted:].sort().values
    rows = torch.cat([table.double(), torch.ones(len(table), 1, dtype=torch.float64)], dim=1)
    weights = torch.linalg.lstsq(rows[fitted], fitted.double()[:, None], rcond=1e-10, driver="gelsd").solution
    return tested, (rows[tested] @ weights)[:, 0]


def right_order(positions: Tensor, read: Tensor) -> float:
    """Return the fraction of pairs of `positions` (N,), ascending, whose `read` numbers (N,) are in the same order.

    Two numbers that are one but for rounding are in no order.
    """
    require(len(positions) >= 2, "positions", "be at least two", len(positions))
    pairs = torch.triu_indices(len(read), len(read), offset=1)
    rising = read[pairs[1]] - read[pairs[0]] > 1e-6  # positions lie 1 apart at least
    return rising.double().mean().item()


def readable_order(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the fraction of pairs of positions that a linear read-out of their codes puts into order, 0 to 1.

    None where the encoding refuses the positions.
    """
    table = within.codes_of(encoding, shape)
    return None if table is None else right_order(*read_out(table))


def relative_cost(encoding: PositionalEncoding, shape: Shape) -> float:
    """Return the parameters of the encoding over those of an attention layer, 4 D^2 for its four matrices."""
    return n_parameters(encoding) / (4 * shape.d_model**2)


REQUIREMENTS: dict[str, Requirement] = {
    "own": Requirement(
        title="Every position has its own code",
        short="own code",
        summary="Smallest distance of two codes, over the median one",
        measure=within.uniqueness,
        threshold=DISTINCT,
        better="higher",
    ),
    "bounded": Requirement(
        title="Bounded",
        short="bounded",
        summary="Power of the length with which the largest number grows",
        measure=lengths.growth,
        threshold=BOUND,
        better="lower",
    ),
    "offset": Requirement(
        title="Same offset, same score",
        short="same offset",
        summary="Part of the variation of the scores that the distance does not explain",
        measure=within.toeplitz_deviation,
        threshold=SAME,
        better="lower",
    ),
    "near": Requirement(
        title="Neighbours are near",
        short="neighbours near",
        summary="Longest step to the next code, over the median distance of two codes",
        measure=max_step,
        threshold=NEAR,
        better="lower",
    ),
    "order": Requirement(
        title="Order and direction can be read off",
        short="order",
        summary="Fraction of pairs of positions that a linear read-out puts into the right order",
        measure=readable_order,
        threshold=IN_ORDER,
        better="higher",
    ),
    "longer": Requirement(
        title="Works on longer texts",
        short="longer texts",
        summary="Loss of a trained model at 8 times the training length, over that within it",
        measure=None,
        threshold=HOLDS,
        better="lower",
    ),
    "cheap": Requirement(
        title="Cheap",
        short="cheap",
        summary="Parameters of the encoding, over those of the four matrices of an attention layer",
        measure=relative_cost,
        threshold=ONE_LAYER,
        better="lower",
    ),
}
