r"""The search of LongRoPE2: where the slow pairs of RoPE begin, and a factor for each, by any loss that one wants low.

The frequency of pair i is divided by a factor $\lambda_i$, as in LongRoPE. A pair that does not turn once in L tokens
meets angles in a longer text that training never had, unless $\lambda_i \ge s = L' / L$ (equation 10). The first of
these pairs is the theoretical critical one, $\lceil d/2 \cdot \log_b(L / 2\pi) \rceil$ (equation 7, which counts two
channels per pair). Slow pairs are trained too little, so the real critical pair c is thought to come earlier. It is
found among those from the first pair with at most ten turns in L to the theoretical one, and with it the factors:

- from c on they are searched between s and 2 s, and never fall from one pair to the next;
- before c they follow from the one at c, $\lambda_i = \lambda_c^{i / c}$, which is RoPE with a greater base ("NTK").

Population and mutation are those of algorithms 1 and 2, with the sizes of appendix B. Where the paper leaves a choice:
a mutated factor is drawn evenly between its neighbours, and the better half of the population lives on, each with one
mutated child. The authors' own search code does so too, on a grid, and crosses parents besides, as the algorithms do
not. All pairs that turn within L leave one pair to search, the last.

What the caller decides is the loss. The paper's is the perplexity of the answer alone, asked at the end of a long text
about a sentence at its beginning ("needle-driven"): the mean over all tokens found factors that reach less far (table
6). The paper also trains the model on, short texts with the old frequencies and long ones with the new: no part of this
module. Neither is a temperature of the scores, which its equations do not have and published code does.
Reference: Shang et al. 2025, "LongRoPE2: Near-Lossless LLM Context Window Scaling", arXiv:2502.20082, sections 2.1 to
3.2; the critical pair is from Liu et al. 2023, arXiv:2310.05209.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.parameters import require
from pe_core.rope_scaling.base import stretch

TURNS = 10  # in the training length: candidates for the critical pair have at most so many
POPULATION, ITERATIONS, MUTATION = 64, 40, 0.3  # of the paper, appendix B


@dataclass(frozen=True, eq=False)
class Found:
    """The best factors of a search, float64 (d / 2,), the critical pair that they belong to, and their loss."""

    factors: Tensor
    critical: int
    loss: float


def critical_pair(dim: int, base: float, train_length: int, *, turns: float = 1) -> int:
    """Return the first pair, from 0, that makes at most `turns` turns in the training length; dim / 2 if none does.

    Raises `ValueError` for an odd width, a base of 1 or less, and a training length below 1.
    """
    require(dim >= 2 and dim % 2 == 0, "dim", "be even and at least 2", dim)
    require(1 < base < math.inf, "base", "be above 1 and finite", base)
    require(train_length >= 1, "train_length", "be at least 1", train_length)
    exact = dim / 2 * math.log(train_length / (2 * math.pi * turns)) / math.log(base)
    return min(max(math.ceil(exact), 0), dim // 2)


def candidates(dim: int, base: float, train_length: int) -> range:
    """Return the pairs among which the real critical one is searched, up to the theoretical one; errors as there."""
    last = min(critical_pair(dim, base, train_length), dim // 2 - 1)
    return range(min(critical_pair(dim, base, train_length, turns=TURNS), last), last + 1)


def completed(searched: Tensor, critical: int) -> Tensor:
    """Return the factors of all pairs, float64 (c + n,), from the `searched` ones (n,), which begin at pair c."""
    right = searched.to(torch.float64)
    before = torch.arange(critical, dtype=torch.float64, device=right.device) / max(critical, 1)
    return torch.cat([right[0] ** before, right])


def mutated(searched: Tensor, scale: float, generator: torch.Generator, *, probability: float = MUTATION) -> Tensor:
    """Return the factors (n,) of the slow pairs, some drawn anew between their neighbours: they never fall, s to 2 s.

    Each is drawn anew with this `probability`, from the fastest pair on, at least one of them.
    """
    factors = searched.clone()
    ends = torch.tensor([scale, 2 * scale], dtype=torch.float64)
    chosen = torch.rand(len(factors), generator=generator) < probability
    if not chosen.any():
        chosen[torch.randint(len(factors), (1,), generator=generator)] = True
    for pair in torch.nonzero(chosen).flatten().tolist():
        low = factors[pair - 1] if pair else ends[0]
        high = factors[pair + 1] if pair + 1 < len(factors) else ends[1]
        factors[pair] = low + (high - low) * torch.rand((), generator=generator, dtype=torch.float64)
    return factors


def n_losses(population: int = POPULATION, iterations: int = ITERATIONS) -> int:
    """Return how many factors a search of this size tries; `ValueError` for fewer than 2 and for no iterations."""
    require(population >= 2, "population", "be at least 2", population)
    require(iterations >= 0, "iterations", "be at least 0", iterations)
    return population + iterations * (population // 2)


def proposals(
    dim: int,
    base: float,
    *,
    train_length: int,
    target_length: int,
    generator: torch.Generator,
    population: int = POPULATION,
    iterations: int = ITERATIONS,
) -> Generator[Tensor, float, Found]:
    """Yield the factors (d / 2,) to try, one after the other, take the loss of each by `send`, and return the best.

    They are for a text of `target_length` tokens; `dim` is the width that is turned, d, and `base` that of the
    frequencies. The best goes into `longrope` as `long_factors`, or into a configuration as `long_factor`; where a loss
    is NaN, factors count as the worst. Raises `ValueError` for sizes and lengths that are not allowed.
    """
    n_losses(population, iterations)
    scale = stretch(train_length, target_length)
    pairs = candidates(dim, base, train_length)
    living: list[tuple[float, int, Tensor]] = []  # loss, critical pair, factors of the slow pairs
    n_begun = min(population, len(pairs))
    for number in range(population):  # algorithm 1, and what is mutated from it, until the population is full
        if number < n_begun:  # all candidates, or as many as there is room for, from the first to the last
            critical = pairs[number * (len(pairs) - 1) // max(n_begun - 1, 1)]
            drawn = scale * (1 + torch.rand((), generator=generator, dtype=torch.float64))
            searched = drawn.expand(dim // 2 - critical)
        else:
            _, critical, parent = living[number - n_begun]
            searched = mutated(parent, scale, generator)
        living.append(((yield completed(searched, critical)), critical, searched))
    for _ in range(iterations):  # algorithm 2
        parents = sorted(living, key=_loss)[: population - population // 2]
        living = parents.copy()
        for _, critical, parent in parents[: population // 2]:
            searched = mutated(parent, scale, generator)
            living.append(((yield completed(searched, critical)), critical, searched))
    loss, critical, searched = min(living, key=_loss)
    return Found(completed(searched, critical), critical, loss)


def _loss(one: tuple[float, int, Tensor]) -> float:
    return math.inf if math.isnan(one[0]) else one[0]
