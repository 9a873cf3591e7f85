"""Products of queries and keys with a vector of their distance: Shaw, BERT's relative keys, Transformer-XL, DeBERTa."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, relative_key, shaw, transformer_xl
from pe_core.encodings.batch import whole
from pe_core.encodings.deberta import log_bucket
from pe_core.encodings.sinusoidal import frequencies as sines
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs, of_texts, scores
from tests.largest import max_tensor
from tests.strategies import F64, bases, built, filled, initialised, normal, real_positions, seeds, whole_positions

near_positions = st.lists(st.integers(0, 9), min_size=1, max_size=6).map(torch.tensor)  # neither sorted nor distinct
dims = st.integers(1, 5)


def test_shaw_at_three_positions_and_a_clip_of_1():
    q = torch.tensor([[1.0, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0]])[None, None]
    table = torch.tensor([[4.0, 6, 0, 0], [8, 10, 0, 0], [12, 14, 0, 0]])  # before, same, after
    expected = [[4, 6, 6], [6, 10, 14], [5, 5, 9]]  # q . a / sqrt(4)
    assert shaw.scores(q, table, torch.arange(3))[0, 0].tolist() == expected


@each(("both", "expected"), [(False, 8.0), (True, 14.0)])
def test_four_channels_of_ones_at_a_distance_of_3(both, expected):
    """Row e of distance x is (x, x, x, x): 4 + 12, or 4 + 12 + 12, over 2."""
    ones, table = torch.ones(1, 1, 4, 4), torch.arange(-5.0, 6)[:, None].expand(-1, 4)
    added = relative_key.scores(ones, ones, table, torch.arange(4), both=both)
    assert added[0, 0, 3, 0] + 4 / 2 == expected
    assert added[0, 0, 0, 3] - 4 / 2 == -expected  # the key comes after the query: the distance is -3


def test_transformer_xl_with_one_frequency_and_one_channel():
    q, k = torch.tensor([[2.0], [3.0]], dtype=F64)[None, None], torch.tensor([[5.0], [7.0]], dtype=F64)[None, None]
    added = transformer_xl.scores(
        q,
        k,
        torch.tensor([0, 1]),
        weight=torch.tensor([[[10.0, 1.0]]], dtype=F64),  # 10 times the sine and once the cosine
        content_bias=torch.tensor([[0.5]], dtype=F64),
        distance_bias=torch.tensor([[1.0]], dtype=F64),
        frequencies=torch.tensor([math.pi / 2], dtype=F64),  # distances 0, 1, -1: sine 0, 1, -1, cosine 1, 0, 0
    )
    expected = [[3 * 1 + 2.5, 3 * -10 + 3.5], [4 * 10 + 2.5, 4 * 1 + 3.5]]
    assert_close(added[0, 0], torch.tensor(expected, dtype=F64), atol=1e-14, rtol=1e-14)


def products(vector_of, positions, q, k=None):
    """The product of each query, and of each key if there are some, with the vector of its pair, over sqrt(d)."""

    def value(row, column, *head):
        vector = vector_of(int(positions[row] - positions[column]))
        asked = q[(*head, row)] if k is None else q[(*head, row)] + k[(*head, column)]
        return float(asked @ vector) / math.sqrt(q.shape[-1])

    return of_texts(*q.shape[:3], value)


@given(seeds, whole_positions, st.integers(1, 9), dims)
def test_shaw_equals_the_definition(seed, positions, clip, dim):
    q, table = normal(seed, 2, 2, len(positions), dim), normal(seed + 1, 2 * clip + 1, dim)
    expected = products(lambda distance: table[max(-clip, min(clip, -distance)) + clip], positions, q)
    assert_close(shaw.scores(q, table, positions), expected, atol=1e-12, rtol=1e-12)


@given(seeds, near_positions, dims, st.booleans())
def test_relative_keys_equal_the_definition(seed, positions, dim, both):
    q, k = normal(seed, 2, 2, 2, len(positions), dim)
    table = normal(seed + 1, 23, dim)
    expected = products(lambda distance: table[11 + distance], positions, q, k if both else None)
    assert_close(relative_key.scores(q, k, table, positions, both=both), expected, atol=1e-12, rtol=1e-12)


@given(seeds, real_positions, bases)
def test_transformer_xl_equals_the_definition(seed, positions, base):
    """The vector is a map of sines and cosines of the distance; two learned biases stand for the query."""
    (q, k), (u, v), omega = normal(seed, 2, 2, 2, len(positions), 3), normal(seed + 1, 2, 2, 3), sines(8, base)
    weight = normal(seed + 2, 2, 3, 8)

    def value(row, column, text, head):
        angle = [float(positions[row] - positions[column]) * rate for rate in omega.tolist()]
        distance = weight[head] @ torch.tensor([*map(math.sin, angle), *map(math.cos, angle)], dtype=F64)
        terms = (q[text, head, row] + v[head]) @ distance + u[head] @ k[text, head, column]
        return float(terms) / math.sqrt(3)

    learned = {"weight": weight, "content_bias": u, "distance_bias": v, "frequencies": omega}
    found = transformer_xl.scores(q, k, positions, **learned)
    assert_close(found, of_texts(2, 2, len(positions), value), atol=1e-10, rtol=1e-10)
    rule = "weight must have two columns per frequency (3), got 8"
    refuses(lambda: transformer_xl.scores(q, k, positions, **{**learned, "frequencies": sines(6)}), rule)


@each("width", [1, 2, 5, 8])
def test_an_odd_width_of_transformer_xl_has_one_more_sine_and_cosine(width):
    encoding = initialised(transformer_xl.TransformerXL(width, 1, base=10_000.0)).double()
    assert encoding.weight.shape == (1, width, width + width % 2)
    q, k = normal(1, 2, 1, 1, 3, width)
    expected = transformer_xl.scores(
        q, k, torch.arange(3), **dict(encoding.named_parameters()), frequencies=sines(width)
    )
    assert torch.equal(encoding.bias(q, k, torch.arange(3)), expected)


def test_only_the_second_form_asks_the_keys():
    q, k, other = normal(0, 3, 1, 2, 5, 4)
    one, two = (built(key, Shape(8, 2, 4, 16)).double() for key in ("relative_key", "relative_key_query"))
    assert torch.equal(one.bias(q, k, torch.arange(5)), one.bias(q, other, torch.arange(5)))
    assert not torch.isclose(two.bias(q, k, torch.arange(5)), two.bias(q, other, torch.arange(5))).any()


def test_longer_texts_that_the_table_has_rows_for_cost_nothing():
    q, table = normal(0, 1, 1, 30, 16), normal(1, 99, 16)
    assert max_tensor(lambda: relative_key.scores(q, q, table, torch.arange(30), both=True)) == 30 * 59


def test_a_fraction_within_the_clip_of_shaw_is_an_error_and_beyond_it_is_not():
    far = torch.tensor([0.0, 7.5])
    assert shaw.clipped(far[None, :] - far[:, None], 3).tolist() == [[3, 6], [0, 3]]
    refuses(lambda: shaw.clipped(-far, 8), "relative_position must be whole, got [-7.5]")


DEBERTA = Shape(8, 2, 4, 64)
nearby = st.lists(st.integers(0, 30), min_size=1, max_size=6).map(torch.tensor)  # neither sorted nor distinct


@each(
    ("n_buckets", "max_distance", "expected"),
    [
        (256, 512, {128: 128, 132: 131, 150: 143, 200: 169, 256: 192, 300: 207, 400: 233, 511: 255, 512: 256}),
        (8, 32, {**{x: x for x in range(6)}, 6: 5, 7: 5, 8: 6, 15: 6, 16: 7, 31: 7, 32: 8}),
    ],
)
def test_buckets_of_deberta_of_the_released_sizes_and_of_small_ones(n_buckets, max_distance, expected):
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
def test_buckets_of_deberta_equal_the_definition(half, more, far):
    sizes = {"n_buckets": 2 * half, "max_distance": half + more}
    places = [*range(-3 * half, 3 * half), far, -far, half + more - 1, half + more]
    assert log_bucket(torch.tensor(places), **sizes).tolist() == [bucket_by_powers(x, **sizes) for x in places]


def test_deberta_with_one_channel_and_two_positions():
    """A distance of 1 has row 2 of 4: K^r is 5 and Q^r is 7 there, and 11 and 13 for the key that comes after."""
    encoding = ENCODINGS["deberta"].build(Shape(1, 1, 2, 2)).double()
    filled(encoding, table=[[0.0], [1], [2], [3]], key_weight=5, query_weight=7)
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
@given(seeds, nearby)
def test_deberta_equals_the_definition(key, seed, positions):
    """The three terms for each of two heads and each pair of positions."""
    encoding, (span, bucket), (q, k) = built(key, DEBERTA).double(), SPANS[key], normal(seed, 2, 2, len(positions), 4)

    def value(row, column, head):
        vector = encoding.table[max(0, min(2 * span - 1, bucket(int(positions[row] - positions[column])) + span))]
        query, key = q[head, row], k[head, column]
        terms = query @ key + query @ (vector @ encoding.key_weight[head])
        return float(terms + key @ (vector @ encoding.query_weight[head])) / math.sqrt(3 * 4)

    expected = of_pairs(torch.arange(len(positions)), value, [(0,), (1,)])
    assert_close(scores(encoding, q[None], k[None], positions)[0], expected, atol=1e-12, rtol=1e-12)


def test_errors():
    (q, k), odd = normal(0, 2, 1, 2, 3, 4), "table must have an odd number of rows, got 4"
    refuses(lambda: shaw.clipped(torch.arange(2), 0), "max_distance must be at least 1, got 0")
    refuses(lambda: shaw.scores(q, torch.ones(4, 4), torch.arange(3)), odd)
    refuses(lambda: relative_key.scores(q, k, torch.ones(4, 4), torch.arange(3), both=False), odd)
    refuses(lambda: whole(torch.tensor([1.0, -0.5])), "distance must be whole, got [-0.5]")
    far = "positions must lie at most 3 apart, the rows of the table, got 4"
    refuses(lambda: built("relative_key", Shape(8, 2, 4, 4)).double().bias(q, k, torch.tensor([0, 4, 1])), far)
    of = torch.arange(2)
    refuses(lambda: log_bucket(of, n_buckets=2, max_distance=9), "n_buckets must be even and at least 4, got 2")
    refuses(lambda: log_bucket(of, n_buckets=7, max_distance=9), "n_buckets must be even and at least 4, got 7")
    reach = "max_distance must be at least 6, half of the buckets and 2, got 5"
    refuses(lambda: log_bucket(of, n_buckets=8, max_distance=5), reach)
    encoding, halves = built("deberta", DEBERTA).double(), torch.tensor([0, 0.5])
    refuses(lambda: encoding.bias(*normal(0, 2, 1, 2, 2, 4), halves), "distance must be whole, got [-0.5]")
