import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings.t5 import bias, bucket
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs
from tests.strategies import normal, seeds, whole_positions

F64 = torch.float64
STARTS = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]

sizes = st.integers(1, 32).map(lambda halves: 2 * halves)  # of buckets
reaches = st.integers(1, 600)


def test_where_the_32_buckets_of_the_paper_start():
    found = bucket(-torch.arange(5000)).tolist()
    assert [found.index(number) for number in range(max(found) + 1)] == STARTS


def test_both_directions_of_8_buckets_to_6():
    ahead = bucket(torch.arange(-8, 9), n_buckets=8, max_distance=6, bidirectional=True)
    assert ahead.tolist() == [3, 3, 3, 3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7, 7, 7, 7]
    assert bucket(torch.arange(-8, 9), n_buckets=4, max_distance=6).tolist() == [3] * 5 + [2] * 2 + [1] + [0] * 9


def bucket_of(distance, n_buckets, max_distance):
    """The causal rule in whole numbers, without a logarithm."""
    exact = n_buckets // 2
    wide = n_buckets - exact
    if distance >= max_distance:
        return n_buckets - 1
    if distance < exact:
        return distance
    steps = (j for j in range(wide) if distance**wide * exact**j >= max_distance**j * exact**wide)
    return exact + max(steps)


def bucket_by_loops(relative, n_buckets, max_distance, bidirectional):
    if not bidirectional:
        return bucket_of(max(0, -relative), n_buckets, max_distance)
    return (relative > 0) * (n_buckets // 2) + bucket_of(abs(relative), n_buckets // 2, max_distance)


@given(sizes, reaches, st.booleans(), st.integers(0, 1000))
def test_buckets_equal_the_definition(n_buckets, max_distance, bidirectional, far):
    n_buckets = 2 * n_buckets if bidirectional else n_buckets
    places = [*range(-40, 41), far, -far, max_distance, -max_distance]
    options = {"n_buckets": n_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    expected = [bucket_by_loops(place, n_buckets, max_distance, bidirectional) for place in places]
    assert bucket(torch.tensor(places), **options).tolist() == expected


@each("n_buckets", [3, 7, 10, 33])
def test_an_odd_half_is_one_bucket_larger_above(n_buckets):
    expected = [bucket_of(distance, n_buckets, 1215) for distance in range(1300)]  # 1215 = 5 * 3^5: ties for 10 buckets
    assert bucket(-torch.arange(1300), n_buckets=n_buckets, max_distance=1215).tolist() == expected


def test_a_fraction_counts_as_the_whole_number_below():
    assert bucket(torch.tensor([-0.5, -3.9, -18.9, -19.0, -5000.5])).tolist() == [0, 3, 16, 17, 31]


@given(seeds, whole_positions, sizes, reaches, st.booleans())
def test_bias_equals_the_definition(seed, positions, n_buckets, max_distance, bidirectional):
    n_buckets = 2 * n_buckets if bidirectional else n_buckets
    table = normal(seed, n_buckets, 3)

    def value(m, n, head):
        return float(table[bucket_by_loops(n - m, n_buckets, max_distance, bidirectional), head])

    expected = of_pairs(positions, hiding_the_future(value, not bidirectional), [(0,), (1,), (2,)])
    added = bias(positions, table, max_distance=max_distance, bidirectional=bidirectional, dtype=F64)
    assert torch.equal(added, expected)


def test_errors():
    of, even = torch.arange(2), "n_buckets must be even and at least 4, got"
    refuses(lambda: bucket(of, n_buckets=1), "n_buckets must be at least 2, got 1")
    refuses(lambda: bucket(of, n_buckets=2, bidirectional=True), f"{even} 2")
    refuses(lambda: bias(of, torch.ones(7, 1), bidirectional=True), f"{even} 7")
    refuses(lambda: bucket(of, max_distance=0), "max_distance must be at least 1, got 0")
