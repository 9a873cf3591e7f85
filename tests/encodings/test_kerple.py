import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, alibi
from pe_core.encodings.kerple import LOG, POWER, Kerple, log_bias, power_bias
from tests.cases import each
from tests.strategies import head_counts, initialised, real_positions, seeds, whole_positions

F64 = torch.float64
INF = math.inf
both_kernels = each("kernel", [LOG, POWER])

strengths = st.lists(st.tuples(st.floats(0.01, 5), st.floats(0.01, 2)), min_size=1, max_size=4).map(
    lambda pairs: torch.tensor(pairs, dtype=F64).T
)  # r1 and r2 of some heads


def filled(kernel, n_heads=2, *, causal=True, seed=0):
    return initialised(Kerple(n_heads, kernel=kernel, causal=causal), seed).double()


def numbers(encoding):
    """r1 and r2 of each head."""
    return F.softplus(encoding.learned_r1), encoding.kernel.to_r2(encoding.learned_r2)


def apart(positions):
    return positions[:, None] - positions[None, :]


def test_two_heads_at_distances_0_1_and_3():
    distance = torch.tensor([[0.0, 1.0, -3.0]], dtype=F64)
    r1, r2 = torch.tensor([2.0, 1.0], dtype=F64), torch.tensor([1.0, 2.0], dtype=F64)
    logarithms = [[[0, -2 * math.log(2), -2 * math.log(4)]], [[0, -math.log(3), -math.log(7)]]]
    assert_close(log_bias(distance, r1, r2), torch.tensor(logarithms, dtype=F64), atol=1e-15, rtol=1e-15)
    assert power_bias(distance, r1, r2).tolist() == [[[0, -2, -6]], [[0, -1, -9]]]


@given(real_positions, strengths)
def test_biases_equal_the_definition(positions, pair):
    places, heads = positions.tolist(), pair.T.tolist()
    logarithms = [[[-r1 * math.log(1 + r2 * abs(m - n)) for n in places] for m in places] for r1, r2 in heads]
    powers = [[[-r1 * abs(m - n) ** r2 for n in places] for m in places] for r1, r2 in heads]
    assert_close(log_bias(apart(positions), *pair), torch.tensor(logarithms, dtype=F64), atol=1e-13, rtol=1e-12)
    assert_close(power_bias(apart(positions), *pair), torch.tensor(powers, dtype=F64), atol=1e-13, rtol=1e-12)


@given(whole_positions, head_counts)
def test_a_power_of_1_is_alibi(positions, n_heads):
    ours = power_bias(apart(positions).double(), alibi.slopes(n_heads), torch.ones(n_heads, dtype=F64))
    assert_close(ours, alibi.bias(positions, n_heads, causal=False, dtype=F64), atol=1e-13, rtol=1e-14)


@both_kernels
@given(seeds, whole_positions, st.booleans())
def test_the_module_adds_its_kernel(kernel, seed, positions, causal):
    encoding, length = filled(kernel, causal=causal, seed=seed), len(positions)
    q = torch.ones(1, 2, length, 4, dtype=F64)
    added = encoding.bias(q, q, positions)
    expected = kernel.bias(apart(positions).double(), *numbers(encoding))
    assert_close(added, expected.masked_fill(apart(positions) < 0, -INF) if causal else expected)


@both_kernels
@given(st.floats(-300, 300))
@torch.no_grad()
def test_no_step_of_training_leaves_the_allowed_numbers(kernel, learned):
    encoding = filled(kernel)
    encoding.learned_r1.fill_(learned)
    encoding.learned_r2.fill_(learned)
    r1, r2 = numbers(encoding)
    assert (r1 > 0).all()
    assert (r2 > 0).all()
    if kernel is POWER:
        assert (r2 <= 2).all()


@both_kernels
@each("r2", [0.1, 0.5, 1.0, 1.9])
def test_gradients_are_finite_where_query_and_key_coincide(kernel, r2):
    """Positions that are computed and coincide: the distance of a query to itself is always 0."""
    positions = torch.tensor([0.0, 1.5, 1.5], dtype=F64, requires_grad=True)
    strength, exponent = (torch.tensor([value], dtype=F64, requires_grad=True) for value in (0.7, r2))
    kernel.bias(apart(positions), strength, exponent).sum().backward()
    for leaf in (positions, strength, exponent):
        assert leaf.grad.isfinite().all()
        assert (leaf.grad != 0).any()


@both_kernels
def test_heads_start_within_the_published_ranges(kernel):
    r1, r2 = numbers(filled(kernel, 4000))
    for drawn, (least, most) in ((r1, kernel.r1), (r2, kernel.r2)):
        assert drawn.min() > least - 1e-6
        assert drawn.max() < most + 1e-6
        assert_close(drawn.mean().item(), (least + most) / 2, rtol=0.03, atol=0)


def test_a_power_that_float16_cannot_hold_leaves_the_near_keys():
    encoding = filled(POWER)
    with torch.no_grad():
        encoding.learned_r1.fill_(2)
        encoding.learned_r2.fill_(9)
    q, positions = torch.ones(1, 2, 3, 2, dtype=torch.float16), torch.tensor([0, 8190, 8191])
    weights = encoding.bias(q, q, positions).softmax(-1)
    assert_close(weights.sum(-1), torch.ones(2, 3, dtype=torch.float16), atol=1e-3, rtol=0)
    assert (weights[:, 2, 0] == 0).all()
    assert (weights[:, 2, 1] > 0).all()


@each("key", ["kerple_log", "kerple_power"])
def test_the_direction_hides_what_comes_after_the_query(key, q):
    causal, symmetric = (
        ENCODINGS[key].build(Shape(8, 2, 4, 8), {"direction": name}) for name in ("causal", "symmetric")
    )
    for encoding in (causal, symmetric):
        encoding.reset_parameters(torch.Generator().manual_seed(0))
    hidden, whole = (encoding.bias(q, q, torch.arange(5)) for encoding in (causal, symmetric))
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    assert torch.equal(whole, whole.mT)
    assert torch.equal(hidden[:, past], whole[:, past])
    assert (hidden[:, ~past] == -INF).all()
