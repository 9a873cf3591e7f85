import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.t5 import bias, bucket
from tests.cases import each, refuses
from tests.strategies import initialised, normal, seeds, whole_positions

F64 = torch.float64
INF = math.inf
STARTS = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]

sizes = st.integers(1, 32).map(lambda halves: 2 * halves)  # of buckets
reaches = st.integers(1, 600)


def first_distances(buckets):
    return [buckets.tolist().index(number) for number in range(int(buckets.max()) + 1)]


def test_where_the_32_buckets_of_the_paper_start():
    assert first_distances(bucket(-torch.arange(5000))) == STARTS


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
    table, places = normal(seed, n_buckets, 3), positions.tolist()
    expected = [
        [
            [
                -INF
                if n > m and not bidirectional
                else table[bucket_by_loops(n - m, n_buckets, max_distance, bidirectional), h]
                for n in places
            ]
            for m in places
        ]
        for h in range(3)
    ]
    added = bias(positions, table, max_distance=max_distance, bidirectional=bidirectional, dtype=F64)
    assert torch.equal(added, torch.tensor(expected, dtype=F64))


@each(("train_length", "reach", "expected"), [(64, 0.5, 32), (64, 4.0, 256), (256, 0.25, 64), (1, 0.25, 1)])
def test_the_reach_follows_the_training_length(train_length, reach, expected):
    shape = Shape(d_model=16, n_heads=4, train_length=train_length, max_length=512)
    assert ENCODINGS["t5"].build(shape, {"reach": reach}).max_distance == expected


def test_registry_parameters_reach_the_bias(q, k):
    shape, positions = Shape(d_model=8, n_heads=2, train_length=64, max_length=512), torch.tensor([0, 7, 20, 40, 90])
    for params, options in (
        ({}, {"max_distance": 32}),
        ({"n_buckets": 32}, {"max_distance": 32}),
        ({"reach": 1.0}, {"max_distance": 64}),
        ({"direction": "bidirectional"}, {"max_distance": 32, "bidirectional": True}),
    ):
        encoding = initialised(ENCODINGS["t5"].build(shape, params)).double()
        assert encoding.table.shape == (params.get("n_buckets", 16), 2)
        assert torch.equal(encoding.bias(q, k, positions), bias(positions, encoding.table, **options, dtype=F64))


def test_the_table_starts_as_in_t5():
    table = initialised(ENCODINGS["t5"].build(Shape(64, 64, 64, 64), {"n_buckets": 64})).table
    assert_close(table.std().item(), 1 / 8, rtol=0.05, atol=0)


def test_errors():
    of, even = torch.arange(2), "n_buckets must be even and at least 4, got"
    refuses(lambda: bucket(of, n_buckets=1), "n_buckets must be at least 2, got 1")
    refuses(lambda: bucket(of, n_buckets=2, bidirectional=True), f"{even} 2")
    refuses(lambda: bias(of, torch.ones(7, 1), bidirectional=True), f"{even} 7")
    refuses(lambda: bucket(of, max_distance=0), "max_distance must be at least 1, got 0")
