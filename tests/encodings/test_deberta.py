import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.deberta import log_bucket
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs, scores
from tests.strategies import built, normal, seeds

F64 = torch.float64
SHAPE = Shape(8, 2, 4, 64)
near_positions = st.lists(st.integers(0, 30), min_size=1, max_size=6).map(torch.tensor)  # neither sorted nor distinct


@each(
    ("n_buckets", "max_distance", "expected"),
    [
        (256, 512, {128: 128, 132: 131, 150: 143, 200: 169, 256: 192, 300: 207, 400: 233, 511: 255, 512: 256}),
        (8, 32, {**{x: x for x in range(6)}, 6: 5, 7: 5, 8: 6, 15: 6, 16: 7, 31: 7, 32: 8}),
    ],
)
def test_buckets_of_the_released_sizes_and_of_small_ones(n_buckets, max_distance, expected):
    away = torch.tensor([*expected])
    for sign in (1, -1):
        found = log_bucket(sign * away, n_buckets=n_buckets, max_distance=max_distance)
        assert (sign * found).tolist() == [*expected.values()]


def bucket_by_powers(distance, n_buckets, max_distance):
    """The rule in whole numbers, without a logarithm: the smallest j with ((M - 1) / h)^j at least (x / h)^(h - 1)."""
    half, away = n_buckets // 2, abs(distance)
    if away <= half:
        return distance
    j = 0
    while (max_distance - 1) ** j * half ** (half - 1) < away ** (half - 1) * half**j:
        j += 1
    return int(math.copysign(half + j, distance))


@given(st.integers(2, 12), st.integers(2, 300), st.integers(1, 400))
def test_buckets_equal_the_definition(half, more, far):
    sizes = {"n_buckets": 2 * half, "max_distance": half + more}
    places = [*range(-3 * half, 3 * half), far, -far, half + more - 1, half + more]
    assert log_bucket(torch.tensor(places), **sizes).tolist() == [bucket_by_powers(x, **sizes) for x in places]


def test_one_channel_and_two_positions_by_hand():
    """A distance of 1 has row 2 of 4: K^r is 5 and Q^r is 7 there, and 11 and 13 for the key that comes after."""
    encoding = ENCODINGS["deberta"].build(Shape(1, 1, 2, 2)).double()
    with torch.no_grad():
        encoding.table.copy_(torch.tensor([[0.0], [1], [2], [3]]))
        encoding.key_weight.fill_(5)
        encoding.query_weight.fill_(7)
    q, k = torch.tensor([[[[2.0], [3.0]]], [[[11.0], [13.0]]]], dtype=F64)[:, None]
    expected = [
        [22 + 2 * 10 + 11 * 14, 26 + 2 * 5 + 13 * 7],  # q k + q K^r + k Q^r at distances 0 and -1
        [33 + 3 * 15 + 11 * 21, 39 + 3 * 10 + 13 * 14],  # 1 and 0
    ]
    found = scores(encoding, q, k, torch.arange(2))[0, 0]
    assert_close(found, torch.tensor(expected, dtype=F64) / math.sqrt(3), atol=1e-12, rtol=1e-14)


SPANS = {  # rows of the table before the middle one, and what a distance counts as
    "deberta": (4, lambda x: x),
    "deberta_v2": (16, lambda x: bucket_by_powers(x, 16, 10)),  # 4 tokens hold no 8 exact distances and one more
}


@torch.no_grad()
@pytest.mark.parametrize("key", SPANS)
@given(seeds, near_positions)
def test_scores_equal_the_definition(key, seed, positions):
    """The three terms for each of two heads and each pair of positions."""
    encoding, (span, bucket), (q, k) = built(key, SHAPE).double(), SPANS[key], normal(seed, 2, 2, len(positions), 4)

    def value(row, column, head):
        vector = encoding.table[max(0, min(2 * span - 1, bucket(int(positions[row] - positions[column])) + span))]
        query, key = q[head, row], k[head, column]
        terms = query @ key + query @ (vector @ encoding.key_weight[head])
        return float(terms + key @ (vector @ encoding.query_weight[head])) / math.sqrt(3 * 4)

    expected = of_pairs(torch.arange(len(positions)), value, [(0,), (1,)])
    assert_close(scores(encoding, q[None], k[None], positions)[0], expected, atol=1e-12, rtol=1e-12)


def test_errors():
    of = torch.arange(2)
    refuses(lambda: log_bucket(of, n_buckets=2, max_distance=9), "n_buckets must be even and at least 4, got 2")
    refuses(lambda: log_bucket(of, n_buckets=7, max_distance=9), "n_buckets must be even and at least 4, got 7")
    reach = "max_distance must be at least 6, half of the buckets and 2, got 5"
    refuses(lambda: log_bucket(of, n_buckets=8, max_distance=5), reach)
    encoding, halves = built("deberta", SHAPE).double(), torch.tensor([0, 0.5])
    refuses(lambda: encoding.bias(*normal(0, 2, 1, 2, 2, 4), halves), "distance must be whole, got [-0.5]")
