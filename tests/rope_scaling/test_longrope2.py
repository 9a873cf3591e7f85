import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.rope_scaling.longrope2 import candidates, completed, critical_pair, mutated, n_losses, proposals
from tests.cases import each, refuses
from tests.strategies import seeds

F64 = torch.float64
LLAMA = {"train_length": 8192, "target_length": 131_072}
SMALL = {"train_length": 64, "target_length": 256}  # of width 16: the critical pair is 1, 2 or 3, the stretch 4
dims = st.integers(1, 40).map(lambda pairs: 2 * pairs)
scales = st.floats(1, 64)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def search(loss, trying):
    """The best of what is tried, by the loss of a list of factors."""
    factors = next(trying)
    while True:
        try:
            factors = trying.send(float(loss(factors.tolist())))
        except StopIteration as end:
            return end.value


def searched(loss, **sizes):
    return search(loss, proposals(16, 1e4, **SMALL, **sizes))


def bounds(n_pairs, critical, scale):
    """The lowest and the highest factor of each pair."""
    return [completed(torch.full((n_pairs - critical,), end, dtype=F64), critical) for end in (scale, 2 * scale)]


def rising(seed, scale, n):
    """Factors of slow pairs as a search has them: from s to 2 s, none below the one before."""
    drawn = torch.rand(n, generator=seeded(seed), dtype=F64).sort().values
    return scale * (1 + drawn)


@each(
    ("dim", "base", "length", "first", "last", "real"),
    [(128, 500_000, 8192, 24, 35, 30), (96, 10_000, 2048, 19, 31, 25)],  # LLaMA3-8B and Phi3-mini
)
def test_the_critical_pairs_of_the_paper(dim, base, length, first, last, real):
    """Sections 2.1 and 3.2: theoretically 35 and 31; those that its search found, 30 and 25, are candidates."""
    assert critical_pair(dim, base, length) == last
    assert candidates(dim, base, length) == range(first, last + 1)
    assert real in candidates(dim, base, length)


@given(dims, st.floats(1.5, 1e9), st.integers(1, 100_000), st.sampled_from([1, 2.5, 10]))
def test_the_critical_pair_equals_the_definition(dim, base, length, turns):
    """The first pair whose period times the turns is not shorter than the text, by a loop over the pairs."""
    found = critical_pair(dim, base, length, turns=turns)
    for pair in range(dim // 2):
        reach = turns * 2 * math.pi * base ** (2 * pair / dim)
        if not math.isclose(reach, length, rel_tol=1e-9):
            assert (reach >= length) == (pair >= found)


def test_factors_before_the_critical_pair_by_hand():
    found = completed(torch.tensor([8.0, 9.0, 12.0]), 3)
    assert_close(found, torch.tensor([1, 2, 4, 8, 9, 12], dtype=F64), atol=1e-14, rtol=0)
    assert completed(torch.tensor([8.0]), 0).tolist() == [8]


@given(st.integers(1, 20), st.integers(1, 20), st.floats(1.5, 1e9), scales, seeds)
def test_fast_pairs_are_those_of_a_greater_base(critical, n, base, scale, seed):
    """The base b' for which the critical pair turns as its factor says: b' ^ (2 c / d) = factor * b ^ (2 c / d)."""
    searched, dim = rising(seed, scale, n), 2 * (critical + n)
    greater = float(searched[0] * base ** (2 * critical / dim)) ** (dim / (2 * critical))
    slowed = rotary.frequencies(dim, base) / completed(searched, critical)
    for pair in range(critical + 1):
        assert float(slowed[pair]) == pytest.approx(greater ** (-2 * pair / dim), rel=1e-9)


@given(st.integers(1, 24), st.data(), scales, seeds)
def test_factors_lie_within_the_bounds_and_never_fall(n_pairs, data, scale, seed):
    critical = data.draw(st.integers(0, n_pairs - 1))
    low, high = bounds(n_pairs, critical, scale)
    assert_close(low[critical:], torch.full((n_pairs - critical,), scale, dtype=F64), rtol=0, atol=0)
    wider = [2 if pair >= critical else 2 ** (pair / critical) for pair in range(n_pairs)]
    assert_close(high, low * torch.tensor(wider, dtype=F64))
    searched, generator = rising(seed, scale, n_pairs - critical), seeded(seed)
    assert scale < 1.01 or (mutated(searched, scale, generator, probability=1.0) != searched).all()
    for _ in range(4):
        before, searched = searched.clone(), mutated(searched, scale, generator)
        assert not torch.equal(before, searched) or scale == pytest.approx(1)
        factors = completed(searched, critical)
        assert (factors.diff() >= -1e-12).all()
        assert (factors >= low - 1e-9).all()
        assert (factors <= high + 1e-9).all()


def by_loops(loss, generator, population, iterations):
    """The whole search from algorithms 1 and 2, with lists: width 16, base 10,000, 64 to 256 tokens."""
    first, last, scale = 1, 3, 4.0

    def whole(critical, right):
        return [right[0] ** (pair / critical) for pair in range(critical)] + right

    def mutate(right):
        right = list(right)
        draws = torch.rand(len(right), generator=generator).tolist()
        chosen = [pair for pair, draw in enumerate(draws) if draw < 0.3]
        if not chosen:
            chosen = [int(torch.randint(len(right), (1,), generator=generator))]
        for pair in chosen:
            low = right[pair - 1] if pair > 0 else scale
            high = right[pair + 1] if pair < len(right) - 1 else 2 * scale
            right[pair] = low + (high - low) * float(torch.rand((), generator=generator, dtype=F64))
        return right

    people = []
    for critical in range(first, last + 1):
        s = scale * (1 + float(torch.rand((), generator=generator, dtype=F64)))
        people.append((critical, [s] * (8 - critical)))
    while len(people) < population:
        critical, right = people[len(people) - 3]
        people.append((critical, mutate(right)))
    for _ in range(iterations):
        people.sort(key=lambda one: loss(whole(*one)))
        people = people[: population // 2]
        people += [(critical, mutate(right)) for critical, right in people]
    critical, right = min(people, key=lambda one: loss(whole(*one)))
    return critical, whole(critical, right)


@each("seed", range(6))
def test_the_search_equals_the_definition(seed):
    wanted = [1, 3, 4.5, 5, 5.5, 6, 6.5, 7]

    def loss(factors):
        return sum((one - other) ** 2 for one, other in zip(factors, wanted, strict=True))

    found = searched(loss, generator=seeded(seed), population=8, iterations=5)
    critical, factors = by_loops(loss, seeded(seed), 8, 5)
    assert found.critical == critical
    assert_close(found.factors, torch.tensor(factors, dtype=F64), rtol=1e-12, atol=0)
    assert found.loss == pytest.approx(loss(factors), rel=1e-9)


@each("critical", [1, 2, 3])
def test_it_finds_the_critical_pair_and_the_factors_that_a_loss_asks_for(critical):
    wanted = completed(torch.linspace(5, 7, 8 - critical, dtype=F64), critical)

    def loss(factors):
        return float((torch.tensor(factors, dtype=F64) / wanted).log().square().sum())

    found = searched(loss, generator=seeded(), population=32, iterations=30)
    assert found.critical == critical
    assert_close(found.factors, wanted, rtol=0.05, atol=0)


def test_a_longer_search_is_never_worse_and_no_loss_is_asked_too_often():
    asked = []

    def loss(factors):
        asked.append(factors)
        return sum((one - other) ** 2 for one, other in zip(factors, range(8), strict=True))

    found = [searched(loss, generator=seeded(), population=6, iterations=n).loss for n in (0, 1, 9)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0]
    assert len(asked) == sum(n_losses(6, n) for n in (0, 1, 9)) == 3 * 6 + 10 * 3
    assert n_losses() == 64 + 40 * 32


def test_what_is_not_a_number_is_never_chosen():
    def loss(factors):
        return math.nan if factors[-1] > 7 else factors[-1]

    for seed in range(4):
        found = searched(loss, generator=seeded(seed), population=16, iterations=3)
        assert found.loss == found.factors[-1] <= 7


def test_a_small_population_has_the_first_and_the_last_candidate():
    trying = proposals(128, 5e5, **LLAMA, generator=seeded(), population=2, iterations=0)
    first = next(trying)
    second = trying.send(1.0)
    assert [int((factors == factors[-1]).sum()) for factors in (first, second)] == [128 // 2 - 24, 128 // 2 - 35]


def test_a_text_that_pairs_all_turn_in_leaves_the_last_one_to_search():
    assert candidates(8, 10, 100_000) == range(3, 4)
    lengths = {"train_length": 100_000, "target_length": 200_000}
    found = search(sum, proposals(8, 10, **lengths, generator=seeded(), population=2))
    assert found.critical == 3
    assert 2 <= float(found.factors[3]) <= 4


def test_errors():
    refuses(lambda: critical_pair(7, 1e4, 64), "dim must be even and at least 2, got 7")
    refuses(lambda: critical_pair(8, 1.0, 64), "base must be above 1 and finite, got 1.0")
    refuses(lambda: critical_pair(8, 1e4, 0), "train_length must be at least 1, got 0")
    refuses(lambda: n_losses(1), "population must be at least 2, got 1")
    refuses(lambda: n_losses(2, -1), "iterations must be at least 0, got -1")
    rule = "target_length must be at least 1, got 0"
    refuses(lambda: next(proposals(8, 1e4, train_length=8, target_length=0, generator=seeded())), rule)
