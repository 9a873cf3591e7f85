import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, alibi
from pe_core.encodings.kerple import LOG, POWER, Kerple, log_bias, power_bias
from tests.strategies import head_counts, lengths, normal, offsets, real_positions, seeds, whole_positions

F64 = torch.float64
INF = math.inf
BOTH = pytest.mark.parametrize("kernel", [LOG, POWER], ids=["log", "power"])
KEYS = pytest.mark.parametrize("key", ["kerple_log", "kerple_power"])

strengths = st.lists(st.tuples(st.floats(0.01, 5), st.floats(0.01, 2)), min_size=1, max_size=4).map(
    lambda pairs: torch.tensor(pairs, dtype=F64).T
)  # r1 and r2 of some heads


def filled(kernel, n_heads=2, *, causal=True, seed=0):
    encoding = Kerple(n_heads, kernel=kernel, causal=causal)
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding.double()


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


@given(strengths)
def test_a_small_r2_makes_the_logarithm_linear(pair):
    distance, (r1, _) = torch.arange(10, dtype=F64)[None], pair
    tiny = torch.full_like(r1, 1e-9)
    assert_close(log_bias(distance, r1 / tiny, tiny), -r1[:, None, None] * distance, atol=1e-5, rtol=1e-6)


@BOTH
@given(seeds, whole_positions, st.booleans())
def test_the_module_adds_its_kernel(kernel, seed, positions, causal):
    encoding, length = filled(kernel, causal=causal, seed=seed), len(positions)
    q = torch.ones(1, 2, length, 4, dtype=F64)
    added = encoding.bias(q, q, positions)
    expected = kernel.bias(apart(positions).double(), *numbers(encoding))
    assert_close(added, expected.masked_fill(apart(positions) < 0, -INF) if causal else expected)


@BOTH
@given(seeds, whole_positions, offsets)
@torch.no_grad()
def test_the_bias_depends_on_the_distance_only(kernel, seed, positions, shift):
    encoding, q = filled(kernel, seed=seed), torch.ones(1, 2, len(positions), 4, dtype=F64)
    assert torch.equal(encoding.bias(q, q, positions + shift), encoding.bias(q, q, positions))


@BOTH
@given(seeds, lengths, lengths)
@torch.no_grad()
def test_a_longer_text_starts_like_the_shorter_one(kernel, seed, length, more):
    encoding, q = filled(kernel, seed=seed), torch.ones(1, 2, length + more, 4, dtype=F64)
    longer = encoding.bias(q, q, torch.arange(length + more))[:, :length, :length]
    assert_close(
        longer, encoding.bias(q[..., :length, :], q[..., :length, :], torch.arange(length)), atol=1e-13, rtol=1e-13
    )


@given(strengths)
def test_farther_is_always_less(pair):
    distance = torch.arange(50, dtype=F64)[None]
    for bias in (log_bias, power_bias):
        assert (bias(distance, *pair).diff(dim=-1) < 0).all()
        assert (bias(distance, *pair)[..., 0] == 0).all()


@BOTH
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


@BOTH
@pytest.mark.parametrize("r2", [0.1, 0.5, 1.0, 1.9])
def test_gradients_are_finite_where_query_and_key_coincide(kernel, r2):
    """Positions that are computed and coincide: the distance of a query to itself is always 0."""
    positions = torch.tensor([0.0, 1.5, 1.5], dtype=F64, requires_grad=True)
    strength, exponent = (torch.tensor([value], dtype=F64, requires_grad=True) for value in (0.7, r2))
    kernel.bias(apart(positions), strength, exponent).sum().backward()
    for leaf in (positions, strength, exponent):
        assert leaf.grad.isfinite().all()
        assert (leaf.grad != 0).any()


@BOTH
def test_the_gradient_is_the_derivative(kernel):
    distance = apart(torch.tensor([0.0, 1.0, 5.0], dtype=F64))
    r1, r2 = (normal(seed, 2).abs().add(0.1).requires_grad_() for seed in (1, 2))
    assert torch.autograd.gradcheck(lambda a, b: kernel.bias(distance, a, b), (r1, r2))


@BOTH
def test_heads_start_within_the_published_ranges(kernel):
    r1, r2 = numbers(filled(kernel, 4000))
    for drawn, (least, most) in ((r1, kernel.r1), (r2, kernel.r2)):
        assert drawn.min() > least - 1e-6
        assert drawn.max() < most + 1e-6
        assert_close(drawn.mean().item(), (least + most) / 2, rtol=0.03, atol=0)


@BOTH
def test_a_pass_changes_no_parameter(kernel, q):
    encoding = filled(kernel)
    with torch.no_grad():
        encoding.learned_r1.fill_(-9)
        encoding.learned_r2.fill_(-9)
    encoding.bias(q, q, torch.arange(5))
    assert all((parameter == -9).all() for parameter in encoding.parameters())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_near_keys_apart_at_position_8191(dtype):
    encoding, positions = filled(LOG).to(dtype), torch.arange(8188, 8192)
    q = torch.ones(1, 2, 4, 2, dtype=dtype)
    near = encoding.bias(q, q, positions)
    assert near.dtype == dtype
    assert torch.equal(near, encoding.bias(q, q, torch.arange(4)))
    assert (near[:, 3].diff(dim=-1) > 0).all()


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


@KEYS
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


@KEYS
def test_errors(key):
    with pytest.raises(ValueError, match=r"^direction must be one of causal, symmetric, got left$"):
        ENCODINGS[key].build(Shape(8, 2, 4, 8), {"direction": "left"})
