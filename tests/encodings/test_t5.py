import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.t5 import T5, bias, bucket
from tests.cases import each
from tests.strategies import lengths, normal, offsets, seeds, whole_positions

F64 = torch.float64
INF = math.inf
STARTS = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]

sizes = st.integers(1, 32).map(lambda halves: 2 * halves)  # of buckets
reaches = st.integers(1, 600)


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def first_distances(buckets):
    return [buckets.tolist().index(number) for number in range(int(buckets.max()) + 1)]


def test_where_the_32_buckets_of_the_paper_start():
    assert first_distances(bucket(-torch.arange(5000))) == STARTS


def test_where_16_buckets_to_32_start():
    starts = first_distances(bucket(-torch.arange(100), n_buckets=16, max_distance=32))
    assert starts == [*range(8), 8, 10, 12, 14, 16, 20, 23, 27]


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


@pytest.mark.parametrize("n_buckets", [3, 7, 10, 33])
def test_an_odd_half_is_one_bucket_larger_above(n_buckets):
    expected = [bucket_of(distance, n_buckets, 1215) for distance in range(1300)]  # 1215 = 5 * 3^5: ties for 10 buckets
    assert bucket(-torch.arange(1300), n_buckets=n_buckets, max_distance=1215).tolist() == expected


@given(sizes, reaches)
def test_farther_is_never_a_lower_bucket_and_from_the_reach_on_it_is_the_last(n_buckets, max_distance):
    found = bucket(-torch.arange(700), n_buckets=n_buckets, max_distance=max_distance)
    assert (found.diff() >= 0).all()
    assert (found[max_distance:] == n_buckets - 1).all()
    assert found[: min(n_buckets // 2, max_distance)].tolist() == [*range(min(n_buckets // 2, max_distance))]


@given(sizes, reaches)
def test_both_directions_have_the_same_buckets_once_each(n_buckets, max_distance):
    options = {"n_buckets": 2 * n_buckets, "max_distance": max_distance, "bidirectional": True}
    before, after = bucket(-torch.arange(1, 700), **options), bucket(torch.arange(1, 700), **options)
    assert torch.equal(after, before + n_buckets)
    assert torch.equal(before, bucket(-torch.arange(1, 700), n_buckets=n_buckets, max_distance=max_distance))


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


@given(seeds, whole_positions, offsets, st.booleans())
def test_the_bias_depends_on_the_distance_only(seed, positions, shift, bidirectional):
    table = normal(seed, 32, 2)
    shifted = bias(positions + shift, table, bidirectional=bidirectional)
    assert torch.equal(shifted, bias(positions, table, bidirectional=bidirectional))


@given(seeds, lengths, lengths)
def test_a_longer_text_starts_like_the_shorter_one(seed, length, more):
    table = normal(seed, 8, 2)
    longer = bias(torch.arange(length + more), table, max_distance=12)[:, :length, :length]
    assert torch.equal(longer, bias(torch.arange(length), table, max_distance=12))


def test_far_buckets_are_never_trained_when_the_reach_exceeds_the_text(q, k):
    encoding = filled(T5(2, n_buckets=8, max_distance=64, bidirectional=False, std=0.5)).double()
    encoding.bias(q, k, torch.arange(5)).nan_to_num(neginf=0).square().sum().backward()
    reached = (encoding.table.grad.abs().sum(1) > 0).nonzero().flatten()
    assert reached.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("train_length", "reach", "expected"), [(64, 0.5, 32), (64, 4.0, 256), (256, 0.25, 64), (1, 0.25, 1)]
)
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
        encoding = filled(ENCODINGS["t5"].build(shape, params)).double()
        assert encoding.table.shape == (params.get("n_buckets", 16), 2)
        assert torch.equal(encoding.bias(q, k, positions), bias(positions, encoding.table, **options, dtype=F64))


def test_the_table_starts_as_in_t5():
    table = filled(ENCODINGS["t5"].build(Shape(64, 64, 64, 64), {"n_buckets": 64})).table
    assert_close(table.std().item(), 1 / 8, rtol=0.05, atol=0)


def test_dtype_is_the_type_of_the_bias():
    assert bias(torch.arange(2), torch.ones(4, 1)).dtype == torch.float32
    assert bias(torch.arange(2), torch.ones(4, 1), dtype=torch.float16).dtype == torch.float16


@each(
    ("call", "message"),
    [
        (lambda: bucket(torch.arange(2), n_buckets=1), "n_buckets must be at least 2, got 1"),
        (
            lambda: bucket(torch.arange(2), n_buckets=2, bidirectional=True),
            "n_buckets must be even and at least 4, got 2",
        ),
        (
            lambda: bias(torch.arange(2), torch.ones(7, 1), bidirectional=True),
            "n_buckets must be even and at least 4, got 7",
        ),
        (lambda: bucket(torch.arange(2), max_distance=0), "max_distance must be at least 1, got 0"),
        (
            lambda: ENCODINGS["t5"].build(Shape(8, 2, 4, 8), {"n_buckets": 6}),
            "n_buckets must be a whole number from 4 to 64 in steps of 4, got 6",
        ),
        (
            lambda: ENCODINGS["t5"].build(Shape(8, 2, 4, 8), {"direction": "symmetric"}),
            "direction must be one of causal, bidirectional, got symmetric",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
