"""Invariance, symmetry and monotonicity of a profile, against naive loops over its pairs."""

import itertools
import math
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.measures import pairs
from tests.strategies import normal, seeds

INF = math.inf


@st.composite
def profiles(draw):
    """Scores of one to three heads, at positions in any order, some keys hidden, some scores equal."""
    length, heads = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    positions = torch.tensor(draw(st.lists(st.integers(0, 12), min_size=length, max_size=length, unique=True)))
    scores = (2 * normal(draw(seeds), heads, length, length)).round()
    hidden = {"none": 0, "later": positions[None, :] > positions[:, None]}[draw(st.sampled_from(["none", "later"]))]
    return scores.masked_fill(torch.as_tensor(hidden, dtype=torch.bool), -INF), positions


def rows(profile):
    """Every head, query and key with its finite score."""
    heads, length, _ = profile.shape
    for h in range(heads):
        for m in range(length):
            for n in range(length):
                if math.isfinite(profile[h, m, n]):
                    yield h, m, n, profile[h, m, n].item()


def variation(entries):
    """Sum of squares around the mean of each head."""
    entries = list(entries)
    total = 0.0
    for head in {h for h, *_ in entries}:
        own = [score for h, *_, score in entries if h == head]
        total += sum((score - sum(own) / len(own)) ** 2 for score in own)
    return total


def naive_toeplitz(profile, positions):
    entries, groups = list(rows(profile)), {}
    for h, m, n, score in entries:
        groups.setdefault((h, (positions[m] - positions[n]).item()), []).append(score)
    left = sum((score - sum(group) / len(group)) ** 2 for group in groups.values() for score in group)
    whole = variation(entries)
    return math.sqrt(left / whole) if whole else 0.0


def naive_asymmetry(profile):
    seen = {(h, m, n): score for h, m, n, score in rows(profile)}
    both = {key: score for key, score in seen.items() if (key[0], key[2], key[1]) in seen}
    if all(m == n for _, m, n in both):
        return None
    half = sum(((score - both[h, n, m]) / 2) ** 2 for (h, m, n), score in both.items())
    whole = variation((*key, score) for key, score in both.items())
    return math.sqrt(half / whole) if whole else 0.0


def naive_local(profile, positions, window):
    falls, places = [], positions.tolist()
    for m, side in itertools.product(range(len(places)), (-1, 1)):
        ahead = [side * (place - places[m]) for place in places]
        keys = sorted((distance, n) for n, distance in enumerate(ahead) if distance >= 0)
        for row, ((_, near), (distance, far)) in itertools.product(profile[:, m].tolist(), itertools.pairwise(keys)):
            if distance <= window and math.isfinite(row[near]) and math.isfinite(row[far]):
                falls.append(row[far] < row[near])
    return sum(falls) / len(falls) if falls else None


def ranks(values):
    return [sum(other < value for other in values) + (values.count(value) - 1) / 2 for value in values]


def naive_ranks(profile, positions):
    found = []
    for head in profile:
        for m, row in enumerate(head):
            seen = row.isfinite()
            distances, scores = (positions - positions[m]).abs()[seen].tolist(), row[seen].tolist()
            if len(set(scores)) > 1 and len(set(distances)) > 1:
                found.append(statistics.correlation(ranks(distances), ranks(scores)))
    return sum(found) / len(found) if found else None


def same(found, expected):
    return found is expected is None or found == pytest.approx(expected, abs=1e-9)


@given(profiles())
def test_toeplitz_deviation_equals_the_definition(drawn):
    assert same(pairs.toeplitz_deviation(*drawn), naive_toeplitz(*drawn))


@given(profiles())
def test_asymmetry_equals_the_definition(drawn):
    assert same(pairs.asymmetry(drawn[0]), naive_asymmetry(drawn[0]))


@given(profiles(), st.integers(1, 13))
def test_local_monotonicity_equals_the_definition(drawn, window):
    assert same(pairs.local_monotonicity(*drawn, window), naive_local(*drawn, window))


@given(profiles())
def test_rank_correlation_equals_the_definition(drawn):
    assert same(pairs.rank_correlation(*drawn), naive_ranks(*drawn))


def test_rounding_is_no_order():
    flat = 3 + 1e-15 * normal(0, 2, 5, 5)
    assert pairs.toeplitz_deviation(flat, torch.arange(5)) == 0
    assert pairs.asymmetry(flat) == 0
    assert pairs.local_monotonicity(flat, torch.arange(5), 2) == 0
    assert pairs.rank_correlation(flat, torch.arange(5)) is None


def test_displacement():
    before, after = torch.tensor([1.0, -4.0, 2.0]), torch.tensor([1.0, -4.0, 5.0])
    assert pairs.displacement(before, after) == pytest.approx(3 / 5)
    assert pairs.displacement(before, before) == 0
    assert pairs.displacement(before, -before) == 2
    assert pairs.displacement(torch.zeros(3), torch.zeros(3)) == 0


def test_a_key_that_is_seen_once_and_once_not_counts_as_1():
    seen, hidden = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -INF])
    assert pairs.displacement(seen, hidden) == 1
    assert pairs.displacement(hidden, hidden) == 0
