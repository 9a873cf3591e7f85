"""What becomes of an encoding when the text moves, goes on, or grows past the training length.

Every function takes an encoding and the shape it was built for, works on a copy in float64, and returns None where the
measure does not apply or the encoding refuses the positions. The definitions are our own where no source is named.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.measures import channels
from pe_core.measures.pairs import ROUNDING, displacement
from pe_core.measures.points import linear_map_error
from pe_core.measures.profile import Effects, attempt, effects_on, precise, profile_of, random_content
from pe_core.measures.within import start

MULTIPLES = (1, 2, 4, 8)  # of the training length
PER_TRAINING_LENGTH = 64


def sample(shape: Shape, multiple: int) -> Tensor:
    """Return positions evenly spread over a text of so many training lengths, both ends included: what grows with it.

    They are at most 64 for each training length; texts that are no longer are there in full.
    """
    return torch.tensor(channels.evenly(multiple * shape.train_length, multiple * PER_TRAINING_LENGTH))


def shift_error(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return how much the profile of a training text changes when all positions grow by the training length.

    Largest change over largest size, from 0 to 2. Translation invariance as in Wang et al. 2021, but measured.
    """
    here, there = (attempt(encoding, shape, start(shape) + shift) for shift in (0, shape.train_length))
    if here is None or there is None:
        return None
    return displacement(profile_of(here), profile_of(there))


def growth(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the largest size at 8 times the training length over the largest within it.

    Sizes are the norms of the added vectors, of the turned queries and of the turned keys, and the finite biases; that
    which grows most counts. None where one that is 0 within training is not 0 later.
    """
    short, long = (attempt(encoding, shape, sample(shape, multiple)) for multiple in (1, MULTIPLES[-1]))
    if short is None or long is None:
        return None
    sizes = list(zip(_sizes(short), _sizes(long), strict=True))
    if any(after > 0 == before for before, after in sizes):
        return None
    return max(after / before if before else 1.0 for before, after in sizes)


def prefix_error(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the largest change of what a training text gets when the text goes on to twice its length.

    Of the added vectors and of the scores of random queries and keys, each over its largest size; the larger of the
    two. A key that is seen in one of the two only counts as 1.
    """
    n = len(start(shape))
    positions = torch.arange(2 * n)
    if any(attempt(encoding, shape, some) is None for some in (positions[:n], positions)):
        return None
    q, k = random_content(shape, 2 * n)
    own, nothing = precise(encoding), q.new_zeros(2 * n, shape.d_model)
    short = effects_on(own, shape, positions[:n], nothing[:n], q[:, :n], k[:, :n])
    long = effects_on(own, shape, positions, nothing, q, k)
    vectors, scores = displacement(short.vectors, long.vectors[:n]), displacement(short.scores, long.scores[:, :n, :n])
    return max(vectors, scores)


def reach(encoding: PositionalEncoding, shape: Shape) -> float:
    """Return the largest multiple (1, 2, 4, 8) of the training length with finite values and no error; 0 for none.

    All smaller ones have to be fine too. Values that no gradient has touched in training are finite as well.
    """
    defined = 0
    for multiple in MULTIPLES:
        if attempt(encoding, shape, sample(shape, multiple)) is None:
            break
        defined = multiple
    return float(defined)


def composition_error(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return how far "k positions further on" is from one linear map that is the same everywhere.

    Added vectors: the worst `linear_map_error` for k = 1, 2, 4, 8 up to a quarter of the training length. Queries and
    keys that are turned: the largest difference between turning by m and then by k, and turning by m + k, over the
    largest size, for k = 1 and the training length. The worse of the two where both apply; None where neither does,
    and for texts too short to fit a map.
    """
    positions, shifts = start(shape), (1, shape.train_length)
    found = attempt(encoding, shape, positions)
    if found is None or any(attempt(encoding, shape, positions + shift) is None for shift in shifts):
        return None
    errors: list[float | None] = []
    if _largest(found.vectors) > ROUNDING:
        errors += [linear_map_error(found.vectors, offset) for offset in (1, 2, 4, 8) if 4 * offset <= len(positions)]
    own = precise(encoding).at_layer(0)
    q, k = (content[None] for content in random_content(shape, len(positions)))
    once = own.rotate(q, k, positions)
    if not all(torch.equal(turned, content) for turned, content in zip(once, (q, k), strict=True)):
        for shift in shifts:
            twice, direct = own.rotate(*once, torch.full_like(positions, shift)), own.rotate(q, k, positions + shift)
            errors += [displacement(one, other) for one, other in zip(twice, direct, strict=True)]
    known = [error for error in errors if error is not None]
    return max(known) if known else None


def dilution(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return how attention of the last query spreads from the training length to 8 times it, all content being alike.

    Growth of the entropy over ln 8, mean over heads: 0 where as many keys as before share the attention, 1 where all
    of the new ones do. None for vectors that are added to embeddings: what they do is up to learned projections.
    Source: that attention over more keys is flatter is in Chiang & Cholak 2022, arXiv:2202.12172.
    """
    short, long = (attempt(encoding, shape, sample(shape, multiple)) for multiple in (1, MULTIPLES[-1]))
    if short is None or long is None or _largest(short.vectors) > ROUNDING:
        return None
    before, after = (entropy(found.scores[:, -1]).mean().item() for found in (short, long))
    return (after - before) / math.log(MULTIPLES[-1])


def entropy(scores: Tensor) -> Tensor:
    """Return the entropy in nats of the softmax over the last axis of `scores` (..., N), shape (...)."""
    shares: Tensor = scores.softmax(dim=-1)
    return shares.xlogy(shares).sum(dim=-1).neg()


def _sizes(found: Effects) -> list[float]:
    norms = [part.norm(dim=-1).max().item() for part in (found.vectors, found.queries, found.keys)]
    return [*norms, _largest(found.bias)]


def _largest(part: Tensor) -> float:
    return part[part.isfinite()].abs().max().item()
