r"""Numbers of a profile (H, T, T), the score of every pair of positions, and of codes (T, C), a row for each position.

Of a profile, in which $-\infty$ marks keys that are not seen:
Wang et al., "On Position Embeddings in BERT", ICLR 2021, name three properties of a proximity $\phi$ of positions:
translation invariance, $\phi(x, x + m)$ is the same for all x; monotonicity, it falls as the distance grows; symmetry,
$\phi(x, y) = \phi(y, x)$. They ask for exact equality; how far an encoding is from it is measured here, with
definitions of our own. Each ignores a constant that is added to all scores of a head, as the softmax does.

One head can be read along its diagonals, too: what a score is at each distance, and how far it strays from that.

Codes are the vectors of `pe_core.measures.profile.codes`, or any table: are they told apart, evenly, and by one rule?
Vaswani et al. 2017, arXiv:1706.03762, section 3.5, chose sinusoids because the encoding k positions further on is a
linear function of the encoding here.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.measures import jumps
from pe_core.parameters import require

ROUNDING = 1e-12  # scores that spread over less than this are taken to be equal
TIE = 1e-9  # two scores nearer than this part of the spread are taken to be equal
# Directions in which a table is thinner than this part of its main one, times its size, carry rounding only. Slow pairs
# of a sinusoid hardly move within a text: with a higher cut they count as rounding, and what they lack as an error.
_CUT = torch.finfo(torch.float64).eps


def toeplitz_deviation(profile: Tensor, positions: Tensor) -> float:
    r"""Return which part of the variation distance does not explain, from 0, translation-invariant, to 1.

    $\|P - \bar P\| / \|P - \mathrm{mean}\|$ over the finite scores, where $\bar P$ is the mean over all pairs at the
    same signed distance, per head; `positions` (T,) belong to the rows. 0 where all scores are equal.
    """
    _check(profile, positions)
    group = torch.unique(positions[:, None] - positions[None, :], return_inverse=True)[1].flatten()
    left = []
    for scores in profile.flatten(1):
        seen = scores.isfinite()
        which, values = group[seen], scores[seen]
        sums = torch.bincount(which, values) / torch.bincount(which).clamp(min=1)
        left.append(values - sums[which])
    return _ratio(torch.cat(left), _centred(profile))


def asymmetry(profile: Tensor) -> float | None:
    r"""Return which part of the variation tells query and key apart, from 0, symmetric, to 1, antisymmetric.

    $\|(P - P^T)/2\| / \|P - \mathrm{mean}\|$ over the pairs that see each other. None where no two positions do.
    """
    both = profile.isfinite() & profile.mT.isfinite()
    if not (both & ~torch.eye(profile.shape[-1], dtype=torch.bool)).any():
        return None
    half = (profile - profile.mT) / 2
    return _ratio(half[both], _centred(profile.masked_fill(~both, -torch.inf)))


def displacement(profile: Tensor, moved: Tensor) -> float:
    """Return by how much the profile changes when the text is moved: largest change over largest size, from 0 to 2.

    A pair that is seen in one of the two only counts as 1.
    """
    seen = profile.isfinite() & moved.isfinite()
    size = max(profile[seen].abs().max().item(), moved[seen].abs().max().item())
    change = (profile[seen] - moved[seen]).abs().max().item()
    hidden = bool((profile.isfinite() != moved.isfinite()).any())
    return max(float(hidden), change / size if size > ROUNDING else 0.0)


def local_monotonicity(profile: Tensor, positions: Tensor, window: float) -> float | None:
    """Return the share of steps away from a query, up to a distance of `window`, at which the score falls.

    A step leads from one key to the next farther one on the same side, in either direction as far as keys are seen; a
    score that stays the same does not fall. None where there is no such step.
    """
    _check(profile, positions)
    require(window > 0, "window", "be above 0", window)
    order = positions.argsort()
    places, scores = positions[order], profile[:, order][:, :, order]
    distance = (places[:, None] - places[None, :]).abs()
    steps = falls = 0
    # Neighbours never lie on either side of a query: it is a key itself, and would stand between them.
    for near, far in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        away = (distance[:, far] > distance[:, near]) & (distance[:, far] <= window)
        step = away & scores[:, :, near].isfinite() & scores[:, :, far].isfinite()
        fall = scores[:, :, near] - scores[:, :, far] > _tie(profile)
        steps += int(step.sum())
        falls += int((fall & step).sum())
    return falls / steps if steps else None


def rank_correlation(profile: Tensor, positions: Tensor) -> float | None:
    """Return Spearman's correlation of score and distance, from -1, the score falls all the way, to 1.

    It is taken over the keys that a query sees, as the softmax compares them, and averaged over queries and heads. A
    query whose scores are all equal, or whose keys are all equally far away, has none. None where no query has one.
    """
    _check(profile, positions)
    distance = (positions[:, None] - positions[None, :]).abs().double().expand_as(profile)
    seen = profile.isfinite()
    scores = (profile / _tie(profile)).round()
    one, other = (_centred_ranks(values, seen) for values in (scores, distance))
    size = (one.square().sum(-1) * other.square().sum(-1)).sqrt()
    defined = size > 0
    if not defined.any():
        return None
    return ((one * other).sum(-1)[defined] / size[defined]).mean().item()


@dataclass(frozen=True)
class ByDistance:
    """Mean, least and greatest score at each distance query minus key that has a finite score, shape (K,) each."""

    distances: Tensor
    means: Tensor
    lowest: Tensor
    highest: Tensor

    @property
    def spread(self) -> float:
        """By how much scores of the same distance differ at most: 0 if the distance says it all."""
        return float((self.highest - self.lowest).max())


def by_distance(scores: Tensor) -> ByDistance:
    """Return what the finite of `scores` (T, T), row = query, column = key, are at each distance, in float64.

    Raises `ValueError` if none of them is finite.
    """
    finite, length = scores.isfinite(), len(scores)
    require(bool(finite.any()), "scores", "have at least one finite number", "none")
    values = scores.double()
    counts = _along_diagonals(finite.double(), 0.0).sum(dim=0)
    means = _along_diagonals(values.where(finite, 0.0), 0.0).sum(dim=0) / counts
    lowest = _along_diagonals(values.where(finite, torch.inf), torch.inf).amin(dim=0)
    highest = _along_diagonals(values.where(finite, -torch.inf), -torch.inf).amax(dim=0)
    present = counts > 0
    distances = torch.arange(1 - length, length)
    # rounding of the sum must not put a mean outside of its own range
    inside = means.clamp(lowest, highest)
    return ByDistance(distances[present], inside[present], lowest[present], highest[present])


def read_by_heads(scores: Tensor) -> dict[tuple[int, ...], ByDistance]:
    """Return what `scores` (H, T, T) are at each distance, once for the heads that have the same, up to rounding."""
    groups: list[list[int]] = []
    for head, own in enumerate(scores):
        twin = next((group for group in groups if _same(scores[group[0]], own)), None)
        if twin is None:
            groups.append([head])
        else:
            twin.append(head)
    return {tuple(heads): by_distance(scores[heads[0]]) for heads in groups}


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


def _centred_ranks(values: Tensor, seen: Tensor) -> Tensor:
    """Return the ranks along the last axis among the values that are seen, ties sharing theirs, less their mean."""
    last = values.masked_fill(~seen, torch.inf).contiguous()
    ordered = last.sort(dim=-1).values
    below, upto = (torch.searchsorted(ordered, last, right=right) for right in (False, True))
    ranks = ((below + upto) / 2).double() * seen
    mean = ranks.sum(-1, keepdim=True) / seen.sum(-1, keepdim=True).clamp(min=1)
    return (ranks - mean) * seen


def _check(profile: Tensor, positions: Tensor) -> None:
    rule = f"be (H, T, T) for as many positions as there are ({len(positions)})"
    require(profile.shape[1:] == (len(positions),) * 2, "profile", rule, tuple(profile.shape))


def _centred(profile: Tensor) -> Tensor:
    """Return the finite scores of all heads, each less the mean of its head, shape (N,)."""
    heads = [scores[scores.isfinite()] for scores in profile]
    return torch.cat([scores - scores.mean() for scores in heads])


def _tie(profile: Tensor) -> float:
    """Return how near two scores must be to count as equal, from the largest spread of the finite ones of a head."""
    heads = [scores[scores.isfinite()] for scores in profile]
    spreads: list[float] = [(scores.max() - scores.min()).item() for scores in heads]
    return max(ROUNDING, TIE * max(spreads))


def _ratio(part: Tensor, whole: Tensor) -> float:
    size = whole.norm().item()
    return part.norm().item() / size if size > ROUNDING * len(whole) ** 0.5 else 0.0


def _along_diagonals(values: Tensor, empty: float) -> Tensor:
    """Return `values` (T, T) with a column for each distance 1 - T ... T - 1 and `empty` where there is no number."""
    length = len(values)
    wide = values.new_full((length, 2 * length), empty)
    wide[:, :length] = values.flip(1)
    return wide.flatten()[:-length].view(length, 2 * length - 1)  # lines one shorter: each row stands one place further


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two matrices are equal up to rounding; most that are not differ in their last row already."""
    parts = slice(-1, None), slice(None)
    return all(torch.allclose(one[part], other[part], rtol=0, atol=1e-12) for part in parts)
