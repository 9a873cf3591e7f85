"""Biases that are a number or a formula for each distance: ALiBi, KERPLE, Sandwich and T5."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, alibi, sandwich, t5
from pe_core.encodings.kerple import LOG, POWER, Kerple, log_bias, power_bias
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs
from tests.strategies import F64, filled, head_counts, initialised, normal, real_positions, seeds, whole_positions

INF = math.inf
both_kernels = each("kernel", [LOG, POWER])


def test_alibi_of_a_few_heads_by_hand():
    """The steepest of 8 heads at 3 positions, and two heads that look to one side each."""
    causal = [[0, -INF, -INF], [-0.5, 0, -INF], [-1, -0.5, 0]]
    symmetric = [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    assert alibi.bias(torch.arange(3), 8)[0].tolist() == causal
    assert alibi.bias(torch.arange(3), 8, causal=False)[0].tolist() == symmetric
    back = [[0, -INF, -INF], [-(2**-8), 0, -INF], [-(2**-7), -(2**-8), 0]]
    ahead = [[0, -(2**-8), -(2**-7)], [-INF, 0, -(2**-8)], [-INF, -INF, 0]]
    assert alibi.nonsymmetric_bias(torch.arange(3), 2).tolist() == [back, ahead]
    assert_close(alibi.slopes(6), torch.tensor([2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3], dtype=F64))


def slopes_of(n_heads):
    """The rule for any number of heads, from the definition."""
    power = max(2**e for e in range(12) if 2**e <= n_heads)
    own, double = ([2 ** (-8 * h / n) for h in range(1, n + 1)] for n in (power, 2 * power))
    return (own + double[0::2])[:n_heads]


@given(real_positions, head_counts, st.booleans())
def test_alibi_equals_the_definition(positions, n_heads, causal):
    def of_slope(m, n, slope):
        return -slope * abs(m - n)

    def to_one_side(m, n, side, slope):
        return -slope * abs(m - n) if (m - n) * side >= 0 else -INF

    slopes = slopes_of(n_heads)
    expected = of_pairs(positions, hiding_the_future(of_slope, causal), [(slope,) for slope in slopes])
    assert_close(alibi.bias(positions, n_heads, causal=causal, dtype=F64), expected, atol=0, rtol=1e-14)
    expected = of_pairs(positions, to_one_side, [(side, slope) for side in (1, -1) for slope in slopes])
    assert_close(alibi.nonsymmetric_bias(positions, 2 * n_heads, dtype=F64), expected, atol=0, rtol=1e-14)


def kerple(kernel, n_heads=2, *, causal=True, seed=0):
    return initialised(Kerple(n_heads, kernel=kernel, causal=causal), seed).double()


def numbers(encoding):
    """r1 and r2 of each head."""
    return F.softplus(encoding.learned_r1), encoding.kernel.to_r2(encoding.learned_r2)


def test_two_heads_of_kerple_at_distances_0_1_and_3():
    distance = torch.tensor([[0.0, 1.0, -3.0]], dtype=F64)
    r1, r2 = torch.tensor([2.0, 1.0], dtype=F64), torch.tensor([1.0, 2.0], dtype=F64)
    logarithms = [[[0, -2 * math.log(2), -2 * math.log(4)]], [[0, -math.log(3), -math.log(7)]]]
    assert_close(log_bias(distance, r1, r2), torch.tensor(logarithms, dtype=F64), atol=1e-15, rtol=1e-15)
    assert power_bias(distance, r1, r2).tolist() == [[[0, -2, -6]], [[0, -1, -9]]]


@given(seeds, real_positions, st.booleans())
@torch.no_grad()
def test_kerple_equals_the_definition(seed, positions, causal):
    for kernel, value in (
        (LOG, lambda m, n, r1, r2: -r1 * math.log(1 + r2 * abs(m - n))),
        (POWER, lambda m, n, r1, r2: -r1 * abs(m - n) ** r2),
    ):
        encoding, q = kerple(kernel, causal=causal, seed=seed), torch.ones(1, 2, len(positions), 4, dtype=F64)
        heads = torch.stack(numbers(encoding), dim=-1).tolist()
        expected = of_pairs(positions, hiding_the_future(value, causal), heads)
        assert_close(encoding.bias(q, q, positions), expected, atol=1e-13, rtol=1e-12)


@both_kernels
@given(st.floats(-300, 300))
@torch.no_grad()
def test_no_step_of_training_leaves_the_allowed_numbers(kernel, learned):
    r1, r2 = numbers(filled(kerple(kernel), learned_r1=learned, learned_r2=learned))
    assert (r1 > 0).all()
    assert (r2 > 0).all()
    assert kernel is LOG or (r2 <= 2).all()


@both_kernels
@each("r2", [0.1, 0.5, 1.0, 1.9])
def test_gradients_are_finite_where_query_and_key_coincide(kernel, r2):
    """Positions that are computed and coincide: the distance of a query to itself is always 0."""
    positions = torch.tensor([0.0, 1.5, 1.5], dtype=F64, requires_grad=True)
    strength, exponent = (torch.tensor([value], dtype=F64, requires_grad=True) for value in (0.7, r2))
    kernel.bias(positions[:, None] - positions, strength, exponent).sum().backward()
    for leaf in (positions, strength, exponent):
        assert leaf.grad.isfinite().all()
        assert (leaf.grad != 0).any()


@both_kernels
def test_heads_of_kerple_start_within_the_published_ranges(kernel):
    for drawn, (least, most) in zip(numbers(kerple(kernel, 4000)), (kernel.r1, kernel.r2), strict=True):
        assert drawn.min() > least - 1e-6
        assert drawn.max() < most + 1e-6
        assert_close(drawn.mean().item(), (least + most) / 2, rtol=0.03, atol=0)


def test_a_power_that_float16_cannot_hold_leaves_the_near_keys():
    encoding = filled(kerple(POWER), learned_r1=2, learned_r2=9)
    q, positions = torch.ones(1, 2, 3, 2, dtype=torch.float16), torch.tensor([0, 8190, 8191])
    weights = encoding.bias(q, q, positions).softmax(-1)
    assert_close(weights.sum(-1), torch.ones(2, 3, dtype=torch.float16), atol=1e-3, rtol=0)
    assert (weights[:, 2, 0] == 0).all()
    assert (weights[:, 2, 1] > 0).all()


def test_one_cosine_and_two_heads_of_sandwich():
    positions = torch.tensor([0.0, math.pi])  # of a width of 2, index 0 turns by 1 radian per token
    added = sandwich.bias(positions, 2, inner_dim=2, first_index=0, dtype=F64)
    expected = [[[0, -INF], [-0.5, 0]], [[0, -INF], [-0.25, 0]]]  # (cos(pi) - 1) / 4 and / 8
    assert_close(added, torch.tensor(expected, dtype=F64), atol=1e-15, rtol=0)


@given(
    real_positions,
    st.integers(1, 6),
    st.integers(1, 40).map(lambda pairs: 2 * pairs),
    st.sampled_from(sandwich.FIRST_INDICES),
    st.booleans(),
)
def test_sandwich_equals_the_definition(positions, n_heads, inner_dim, first_index, causal):
    def value(m, n, head):
        indices = range(first_index, inner_dim // 2 + first_index)
        similarity = sum(math.cos((m - n) * 10_000 ** (-2 * i / inner_dim)) for i in indices)
        return (similarity - inner_dim / 2) / (8 * head / n_heads)

    added = sandwich.bias(positions, n_heads, inner_dim=inner_dim, first_index=first_index, causal=causal, dtype=F64)
    heads = [(head,) for head in range(1, n_heads + 1)]
    assert_close(added, of_pairs(positions, hiding_the_future(value, causal), heads), atol=1e-10, rtol=1e-10)


sizes = st.integers(1, 32).map(lambda halves: 2 * halves)  # of buckets
reaches = st.integers(1, 600)


def test_both_directions_of_8_buckets_of_t5_to_6():
    ahead = t5.bucket(torch.arange(-8, 9), n_buckets=8, max_distance=6, bidirectional=True)
    assert ahead.tolist() == [3, 3, 3, 3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7, 7, 7, 7]
    assert t5.bucket(torch.arange(-8, 9), n_buckets=4, max_distance=6).tolist() == [3] * 5 + [2] * 2 + [1] + [0] * 9


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
def test_buckets_of_t5_equal_the_definition(n_buckets, max_distance, bidirectional, far):
    n_buckets = 2 * n_buckets if bidirectional else n_buckets
    places = [*range(-40, 41), far, -far, max_distance, -max_distance]
    options = {"n_buckets": n_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    expected = [bucket_by_loops(place, n_buckets, max_distance, bidirectional) for place in places]
    assert t5.bucket(torch.tensor(places), **options).tolist() == expected


@each("n_buckets", [3, 7, 10, 33])
def test_an_odd_half_is_one_bucket_larger_above(n_buckets):
    expected = [bucket_of(distance, n_buckets, 1215) for distance in range(1300)]  # 1215 = 5 * 3^5: ties for 10 buckets
    assert t5.bucket(-torch.arange(1300), n_buckets=n_buckets, max_distance=1215).tolist() == expected


def test_a_fraction_counts_as_the_whole_number_below():
    assert t5.bucket(torch.tensor([-0.5, -3.9, -18.9, -19.0, -5000.5])).tolist() == [0, 3, 16, 17, 31]


@given(seeds, whole_positions, sizes, reaches, st.booleans())
def test_t5_equals_the_definition(seed, positions, n_buckets, max_distance, bidirectional):
    n_buckets = 2 * n_buckets if bidirectional else n_buckets
    table = normal(seed, n_buckets, 3)

    def value(m, n, head):
        return float(table[bucket_by_loops(n - m, n_buckets, max_distance, bidirectional), head])

    expected = of_pairs(positions, hiding_the_future(value, not bidirectional), [(0,), (1,), (2,)])
    added = t5.bias(positions, table, max_distance=max_distance, bidirectional=bidirectional, dtype=F64)
    assert torch.equal(added, expected)


def test_errors():
    halves = "n_heads must be even, half to look back and half ahead, got 3"
    refuses(lambda: alibi.slopes(0), "n_heads must be at least 1, got 0")
    refuses(lambda: alibi.nonsymmetric_bias(torch.arange(2), 3), halves)
    refuses(lambda: ENCODINGS["alibi"].build(Shape(9, 3, 4, 8), {"direction": "nonsymmetric"}), halves)
    refuses(lambda: sandwich.bias(torch.arange(2), 0), "n_heads must be at least 1, got 0")
    refuses(lambda: sandwich.bias(torch.arange(2), 1, inner_dim=7), "inner_dim must be even and at least 2, got 7")
    refuses(lambda: sandwich.frequencies(0), "inner_dim must be even and at least 2, got 0")
    refuses(lambda: sandwich.frequencies(8, first_index=2), "first_index must be one of 1, 0, got 2")
    of, even = torch.arange(2), "n_buckets must be even and at least 4, got"
    refuses(lambda: t5.bucket(of, n_buckets=1), "n_buckets must be at least 2, got 1")
    refuses(lambda: t5.bucket(of, n_buckets=2, bidirectional=True), f"{even} 2")
    refuses(lambda: t5.bias(of, torch.ones(7, 1), bidirectional=True), f"{even} 7")
    refuses(lambda: t5.bucket(of, max_distance=0), "max_distance must be at least 1, got 0")
