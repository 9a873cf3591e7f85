"""Numbers of a profile, scores by distance, and numbers of codes: against loops, tables and formulas that are known."""

import itertools
import math
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import Chain, Shape, sinusoidal
from pe_core.measures import pairs, within
from pe_core.measures.pairs import by_distance
from pe_core.measures.profile import PROJECTIONS, profile
from tests.cases import each
from tests.measures.handmade import SHAPE, Scores, Short, Vectors, registered
from tests.measures.test_uncertainty import naive_ranks
from tests.strategies import F64, normal, seeds, widths


@st.composite
def profiles(draw):
    """Scores of one to three heads, at positions in any order, some keys hidden, some scores equal."""
    length, heads = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    positions = torch.tensor(draw(st.lists(st.integers(0, 12), min_size=length, max_size=length, unique=True)))
    scores = (2 * normal(draw(seeds), heads, length, length)).round()
    hidden = {"none": 0, "later": positions[None, :] > positions[:, None]}[draw(st.sampled_from(["none", "later"]))]
    return scores.masked_fill(torch.as_tensor(hidden, dtype=torch.bool), -math.inf), positions


def rows(profile):
    """Every head, query and key with its finite score."""
    heads, length, _ = profile.shape
    for h, m, n in itertools.product(range(heads), range(length), range(length)):
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


def naive_correlation(profile, positions):
    found = []
    for head in profile:
        for m, row in enumerate(head):
            seen = row.isfinite()
            distances, scores = (positions - positions[m]).abs()[seen].tolist(), row[seen].tolist()
            if len(set(scores)) > 1 and len(set(distances)) > 1:
                found.append(statistics.correlation(naive_ranks(distances), naive_ranks(scores)))
    return sum(found) / len(found) if found else None


def same(found, expected):
    return found is expected is None or found == pytest.approx(expected, abs=1e-9)


@given(profiles(), st.integers(1, 13))
def test_numbers_of_pairs_equal_their_definition(drawn, window):
    assert same(pairs.toeplitz_deviation(*drawn), naive_toeplitz(*drawn))
    assert same(pairs.asymmetry(drawn[0]), naive_asymmetry(drawn[0]))
    assert same(pairs.local_monotonicity(*drawn, window), naive_local(*drawn, window))
    assert same(pairs.rank_correlation(*drawn), naive_correlation(*drawn))


def test_rounding_is_no_order():
    flat = 3 + 1e-15 * normal(0, 2, 5, 5)
    assert pairs.toeplitz_deviation(flat, torch.arange(5)) == 0
    assert pairs.asymmetry(flat) == 0
    assert pairs.local_monotonicity(flat, torch.arange(5), 2) == 0
    assert pairs.rank_correlation(flat, torch.arange(5)) is None


def test_displacement():
    before, after = torch.tensor([1.0, -4.0, 2.0]), torch.tensor([1.0, -4.0, 5.0])
    assert pairs.displacement(before, after) == pytest.approx(3 / 5)
    assert pairs.displacement(before, before) == pairs.displacement(torch.zeros(3), torch.zeros(3)) == 0
    assert pairs.displacement(before, -before) == 2
    hidden = torch.tensor([1.0, -math.inf, 2.0])
    assert pairs.displacement(before, hidden) == 1  # a key that is seen once, and once not
    assert pairs.displacement(hidden, hidden) == 0


def test_scores_by_distance_by_hand():
    found = by_distance(torch.tensor([[1.0, -math.inf], [5.0, 3.0]]))
    assert found.distances.tolist() == [0, 1]
    assert found.means.tolist() == [2, 5]
    assert found.lowest.tolist() == [1, 5]
    assert found.highest.tolist() == [3, 5]
    assert found.spread == 2


@given(length=st.integers(1, 9), seed=st.integers(0, 99))
def test_scores_by_distance_against_a_loop(length, seed):
    scores = normal(seed, length, length)
    scores[normal(seed + 1, length, length) < -1] = -math.inf
    scores[0, 0] = 0.5
    values = {}
    for query, key in torch.isfinite(scores).nonzero().tolist():
        values.setdefault(query - key, []).append(float(scores[query, key]))
    found = by_distance(scores)
    assert found.distances.tolist() == sorted(values)
    for place, distance in enumerate(found.distances.tolist()):
        own = values[distance]
        assert found.means[place] == pytest.approx(sum(own) / len(own), abs=1e-14)
        assert (found.lowest[place], found.highest[place]) == (min(own), max(own))
    assert found.spread == max(max(own) - min(own) for own in values.values())


LINE = torch.arange(9.0, dtype=F64)[:, None]


@given(seeds, st.integers(2, 9), widths)
def test_uniqueness_and_evenness_equal_the_definition(seed, length, width):
    codes = normal(seed, length, width)
    distances = [math.dist(one, other) for one, other in itertools.combinations(codes.tolist(), 2)]
    steps = [math.dist(one, other) for one, other in itertools.pairwise(codes.tolist())]
    assert pairs.uniqueness(codes) == pytest.approx(min(distances) / statistics.median_low(distances))
    assert pairs.evenness(codes) == pytest.approx(min(steps) / max(steps))


def test_codes_that_are_all_alike_but_for_rounding_are_neither_unique_nor_even():
    for codes in (torch.ones(9, 2, dtype=F64), 1 + 1e-15 * normal(0, 9, 2)):
        assert pairs.uniqueness(codes) == 0
        assert pairs.evenness(codes) is None
        assert pairs.linear_map_error(codes, 1) is None  # rounding is no code
    assert pairs.uniqueness(torch.ones(1, 2)) is None
    assert pairs.evenness(torch.ones(1, 2)) is None


def test_one_map_leads_along_the_sinusoid_and_none_along_random_vectors():
    for dim in (2, 8, 64):
        assert pairs.linear_map_error(sinusoidal.table(torch.arange(64), dim, dtype=F64), 5) < 1e-8, dim
    assert pairs.linear_map_error(normal(0, 64, 32), 1) > 0.9


def test_the_map_of_one_channel_equals_the_definition():
    here, there = LINE[:-1, 0].tolist(), LINE[1:, 0].tolist()
    order = torch.randperm(8, generator=torch.Generator().manual_seed(0)).tolist()
    fitted, tested = order[:6], order[6:]
    slope = sum(here[i] * there[i] for i in fitted) / sum(here[i] ** 2 for i in fitted)
    mean = sum(there) / len(there)
    missed = math.hypot(*(slope * here[i] - there[i] for i in tested))
    expected = missed / math.hypot(*(there[i] - mean for i in tested))
    assert pairs.linear_map_error(LINE, 1) == pytest.approx(expected)


def test_there_is_no_map_without_pairs_to_test_it_on():
    assert pairs.linear_map_error(LINE[:4], 1) is None
    assert pairs.linear_map_error(LINE, 20) is None


OF_PAIRS = (within.toeplitz_deviation, within.asymmetry, within.local_monotonicity, within.rank_correlation)
MEASURES = (*OF_PAIRS, within.uniqueness, within.evenness, within.direction)


def test_who_sees_only_the_past_has_no_symmetry_and_no_direction():
    assert within.asymmetry(registered("alibi"), SHAPE) is None
    assert within.direction(registered("alibi"), SHAPE) is None
    assert within.asymmetry(registered("alibi", {"direction": "symmetric"}), SHAPE) == 0


def test_near_is_a_quarter_of_the_training_length():
    rising_from_5 = Scores(lambda m, n: torch.where((m - n).abs() <= 4, -(m - n).abs(), (m - n).abs()))
    assert within.local_monotonicity(rising_from_5, SHAPE) == 1
    assert within.local_monotonicity(rising_from_5, Shape(8, 2, train_length=20, max_length=20)) < 1


def test_distances_that_share_a_bias_are_one():
    assert within.uniqueness(Scores(lambda m, n: -(m - n).abs().clamp(max=10)), SHAPE) == 0
    assert within.uniqueness(Chain(Scores(lambda m, n: -(m - n).clamp(max=10)), registered("rope")), SHAPE) > 0


def test_the_direction_of_added_vectors_and_a_bias_equals_the_definition():
    table = [[math.sin(m * (c + 1)) for c in range(4)] for m in range(6)]
    shape = Shape(d_model=4, n_heads=1, train_length=6, max_length=6)
    generator = torch.Generator().manual_seed(PROJECTIONS)
    token, query, key = (
        torch.randn(size, generator=generator, dtype=torch.float64).tolist() for size in ((4,), (4, 1, 4), (4, 1, 4))
    )

    def projected(row, weights):
        return [sum((token[c] + row[c]) / 2 * weights[c][0][e] for c in range(4)) for e in range(4)]

    def score(m, n):
        pairs = zip(projected(table[m], query), projected(table[n], key), strict=True)
        return sum(a * b for a, b in pairs) / 2 + m - 2 * n

    places = [(m, n) for m in range(6) for n in range(6)]
    mean = sum(score(m, n) for m, n in places) / 36
    half = sum(((score(m, n) - score(n, m)) / 2) ** 2 for m, n in places)
    expected = math.sqrt(half / sum((score(m, n) - mean) ** 2 for m, n in places))
    added = Vectors(lambda positions: torch.tensor(table, dtype=torch.float64)[positions])
    assert within.direction(Chain(added, Scores(lambda m, n: m - 2 * n)), shape) == pytest.approx(expected)


def test_a_long_text_is_measured_at_its_start():
    long = Shape(8, 2, train_length=600, max_length=600)
    assert within.start(long).tolist() == list(range(512))
    assert profile(registered("sinusoidal", shape=long), long, within.start(long)).shape == (2, 512, 512)


@each("measure", MEASURES)
def test_positions_that_are_refused_give_no_number(measure):
    assert measure(Short(15), SHAPE) is None
