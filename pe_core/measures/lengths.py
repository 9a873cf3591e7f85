"""What becomes of an encoding when the text moves, goes on, or grows past the training length.

Every function takes an encoding and the shape it was built for, works on a copy in float64, and returns None where the
measure does not apply or the encoding refuses the positions. The definitions are our own where no source is named.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.measures import channels
from pe_core.measures.entropy import entropy
from pe_core.measures.pairs import ROUNDING, displacement, linear_map_error
from pe_core.measures.profile import Effects, attempt, effects_on, precise, profile_of, random_content, unit_content
from pe_core.measures.within import start
from pe_core.parameters import require

MULTIPLES = (1, 2, 4, 8)  # of the training length
PER_TRAINING_LENGTH = 64
FAR = 5_000  # training lengths: farther than any sinusoid of base 10,000 takes to come round
FAR_TOKENS = 192
FAR_DRAWS = 3


def sample(shape: Shape, multiple: int) -> Tensor:
    """Return positions evenly spread over a text of so many training lengths, both ends included: what grows with it.

    They are at most 64 for each training length; texts that are no longer are there in full.
    """
    return torch.tensor(channels.evenly(multiple * shape.train_length, multiple * PER_TRAINING_LENGTH))


def shift_error(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return how much the profile of a training text changes at most when all positions grow by one of the `shifts`.

    Largest change over largest size, from 0 to 2. Translation invariance as in Wang et al. 2021, but measured.
    """
    here = attempt(encoding, shape, start(shape))
    there = [attempt(encoding, shape, start(shape) + shift) for shift in shifts(shape.train_length)]
    moved = [found for found in there if found is not None]
    if here is None or len(moved) < len(there):
        return None
    return max(displacement(profile_of(here), profile_of(found)) for found in moved)


def shifts(length: int) -> tuple[int, ...]:
    """Return 1 and the largest primes up to half the length and up to the length, ascending.

    A prime is no multiple of a row or a group, within which a shift by whole rows or groups would change nothing.
    """
    require(length >= 1, "length", "be at least 1", length)
    return tuple(sorted({1, _prime_up_to(length // 2), _prime_up_to(length)}))


def _prime_up_to(number: int) -> int:
    """Return the largest prime up to a number, or 1 where there is none."""
    primes = (n for n in range(number, 1, -1) if all(n % divisor for divisor in range(2, math.isqrt(n) + 1)))
    return next(primes, 1)


def growth(encoding: PositionalEncoding, shape: Shape) -> float | None:
    r"""Return the power of the length with which the largest size grows far away: 0 is bounded, 1 is like the length.

    $\log_2$ of the largest size in a text of 5,000 training lengths over that in its first half. A logarithm has
    0.06 to 0.1 there. Sizes are the norms of the added vectors, of the turned queries and of the turned keys, and the
    finite scores; that which grows most counts. The text is seen through three draws of tokens (`far_apart`), and the
    lowest power counts: what has no bound grows in each of them, while waves may miss their crest in one. None where a
    size that is 0 in the first half is not 0 in the whole, and where a table has no such positions.
    """
    found: list[float] = []
    for draw in range(FAR_DRAWS):
        positions = far_apart(FAR * shape.train_length, draw)
        half, whole = (attempt(encoding, shape, some) for some in (positions[: FAR_TOKENS // 2], positions))
        if half is None or whole is None:
            return None
        sizes = list(zip(_sizes(half), _sizes(whole), strict=True))
        if any(after > 0 == before for before, after in sizes):
            return None
        found.append(max(math.log2(after / before) if before else 0.0 for before, after in sizes))
    return min(found)


def far_apart(length: int, draw: int) -> Tensor:
    """Return 192 ascending positions of a text of so many tokens, the ends of both of its halves among them.

    Each is drawn from its own stretch of the text, with the seed `draw`: evenly spread ones would have 192 distances
    only, and what waves would be met at the same places of its wave.
    """
    require(length >= 2 * FAR_TOKENS, "length", f"be at least {2 * FAR_TOKENS}", length)
    starts = torch.arange(FAR_TOKENS) * length // FAR_TOKENS
    drawn = torch.rand(FAR_TOKENS, generator=torch.Generator().manual_seed(draw), dtype=torch.float64)
    positions = starts + (drawn * (length // FAR_TOKENS)).long()
    positions[0], positions[FAR_TOKENS // 2 - 1], positions[-1] = 0, length // 2 - 1, length - 1
    return positions


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
    largest size, for k = 1 and the training length; where they get wider, the worst `linear_map_error` of a head, too.
    The worse of the two where both apply; None where neither does, as for queries that are scaled alike everywhere, and
    for texts too short to fit a map.
    """
    positions, shifts = start(shape), (1, shape.train_length)
    found = attempt(encoding, shape, positions)
    if found is None or any(attempt(encoding, shape, positions + shift) is None for shift in shifts):
        return None
    errors: list[float | None] = []
    offsets = [offset for offset in (1, 2, 4, 8) if 4 * offset <= len(positions)]
    if _largest(found.vectors) > ROUNDING:
        errors += [linear_map_error(found.vectors, offset) for offset in offsets]
    own = precise(encoding).at_layer(0)
    q, k = (content[None] for content in random_content(shape, len(positions)))
    once, still = own.rotate(q, k, positions), own.rotate(q, k, torch.zeros_like(positions))
    if once[0].shape != q.shape:  # what is wider than a query cannot be turned once more
        heads = torch.cat([found.queries, found.keys])
        errors += [linear_map_error(head, offset) for head in heads for offset in offsets]
    elif not all(torch.equal(turned, other) for turned, other in zip(once, still, strict=True)):
        for shift in shifts:
            twice, direct = own.rotate(*once, torch.full_like(positions, shift)), own.rotate(q, k, positions + shift)
            errors += [displacement(one, other) for one, other in zip(twice, direct, strict=True)]
    known = [error for error in errors if error is not None]
    return max(known) if known else None


def dilution(encoding: PositionalEncoding, shape: Shape) -> float | None:
    r"""Return how attention of the last query spreads from the training length to 8 times it, all content being alike.

    Growth of the entropy over ln 8, mean over heads: 0 where as many keys as before share the attention, 1 where all
    of the new ones do, below 0 where fewer do. Query and key are alike and have norm $\sqrt d$, about that of d
    independent channels of mean 0 and variance 1, so $|q|\,|k| = d$ and the best score is $\sqrt d$; with much smaller
    ones the softmax is nearly flat, unless the encoding adds a bias. None for vectors that are added to embeddings:
    what they do is up to learned projections. Source: that attention over more keys is flatter is in Chiang & Cholak
    2022, arXiv:2202.12172.
    """
    positions = [sample(shape, multiple) for multiple in (1, MULTIPLES[-1])]
    found = [attempt(encoding, shape, some) for some in positions]
    if any(one is None or _largest(one.vectors) > ROUNDING for one in found):
        return None
    own, spread = precise(encoding), []
    for some in positions:
        content = unit_content(shape, len(some)) * math.sqrt(shape.head_dim)
        nothing = content.new_zeros(len(some), shape.d_model)
        scores = effects_on(own, shape, some, nothing, content, content).scores
        spread.append(entropy(scores[:, -1]).mean().item())
    return (spread[1] - spread[0]) / math.log(MULTIPLES[-1])


def _sizes(found: Effects) -> list[float]:
    """Return the largest norm of the vectors, the queries and the keys, and the largest finite score."""
    norms = [part.norm(dim=-1).max().item() for part in (found.vectors, found.queries, found.keys)]
    return [*norms, _largest(found.scores)]


def _largest(part: Tensor) -> float:
    """Return the largest size of a finite number."""
    return part[part.isfinite()].abs().max().item()
