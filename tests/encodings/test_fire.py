import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, kerple
from pe_core.encodings.fire import HIDDEN, ROWS, Fire, bias, interpolated
from tests.cases import each
from tests.largest import max_tensor
from tests.strategies import initialised, seeds, whole_positions

F64 = torch.float64
INF = math.inf
scales = st.floats(0.01, 10).map(lambda value: torch.tensor(value, dtype=F64))


def filled(n_heads=2, threshold=16.0, seed=0):
    return initialised(Fire(n_heads, threshold=threshold), seed).double()


def scalars(encoding):
    """The c and the L that the module uses."""
    return 51.2 / encoding.threshold * F.softplus(encoding.learned_c), encoding.threshold * F.softplus(
        encoding.learned_threshold
    )


def ones(length, n_heads=2, dtype=F64):
    return torch.ones(1, n_heads, length, 4, dtype=dtype)


def test_three_positions():
    one, two = torch.tensor(1.0, dtype=F64), torch.tensor(2.0, dtype=F64)
    found = interpolated(torch.tensor([0, 1, 7]), one, two, F64)
    nearer, whole = math.log(2) / math.log(3), 1
    expected = [
        [0, nearer, math.log(8) / math.log(3)],
        [nearer, 0, math.log(7) / math.log(3)],
        [whole, math.log(7) / math.log(8), 0],
    ]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-15, rtol=1e-15)


def bias_by_loops(encoding, places):
    """One pass of the network per head, query and key, from the definition."""
    c, threshold = (float(value) for value in scalars(encoding))
    hidden_weight, hidden_bias, out_weight, out_bias = (
        getattr(encoding, name).tolist() for name in ("hidden_weight", "hidden_bias", "out_weight", "out_bias")
    )

    def score(m, n, head):
        argument = math.log(c * (m - n) + 1) / math.log(c * max(threshold, m) + 1)
        units = [max(0, w[0] * argument + b) for w, b in zip(hidden_weight, hidden_bias, strict=True)]
        return sum(w * unit for w, unit in zip(out_weight[head], units, strict=True)) + out_bias[head]

    return [[[-INF if n > m else score(m, n, head) for n in places] for m in places] for head in range(len(out_bias))]


@given(seeds, whole_positions, st.floats(0.5, 600))
@torch.no_grad()
def test_the_bias_equals_the_definition(seed, positions, threshold):
    encoding = filled(threshold=threshold, seed=seed)
    expected = torch.tensor(bias_by_loops(encoding, positions.tolist()), dtype=F64)
    assert_close(encoding.bias(ones(len(positions)), ones(len(positions)), positions), expected, atol=1e-12, rtol=1e-12)


@given(st.lists(st.integers(0, 99), min_size=1, max_size=8).map(torch.tensor), scales, st.floats(100, 1000))
def test_a_linear_f_gives_kerple(positions, c, threshold):
    """With every query below the threshold the divisor is one number, and f can undo it."""
    r1 = torch.tensor([0.3, 2.0], dtype=F64)
    whole = torch.log1p(c * threshold)
    added = bias(positions, c, torch.tensor(threshold, dtype=F64), lambda x: -r1 * x * whole, dtype=F64)
    distance = (positions[:, None] - positions).double()
    expected = kerple.log_bias(distance, r1, c.expand(2)).masked_fill(distance < 0, -INF)
    assert_close(added, expected, atol=1e-12, rtol=1e-12)


def test_many_rows_are_computed_a_part_at_a_time():
    encoding, length = filled(), 2 * ROWS + 1
    with torch.no_grad():
        added = encoding.bias(ones(length), ones(length), torch.arange(length))
        largest = max_tensor(lambda: encoding.bias(ones(length), ones(length), torch.arange(length)))
        argument = interpolated(torch.arange(length), *scalars(encoding), F64)
        whole = encoding.network(argument[..., None]).permute(2, 0, 1)
    assert largest == ROWS * length * HIDDEN
    past = torch.ones(length, length, dtype=torch.bool).tril()
    assert_close(added[:, past], whole[:, past], atol=1e-12, rtol=0)


def test_c_and_threshold_start_near_those_of_the_paper_and_stay_positive():
    for seed in range(8):
        c, threshold = scalars(filled(threshold=512.0, seed=seed))
        assert 0.09 - 1e-6 < c < 0.11 + 1e-6
        assert 460 < threshold < 564
    encoding = filled()
    with torch.no_grad():
        encoding.learned_c.fill_(-50)
        encoding.learned_threshold.fill_(-50)
        assert all(value > 0 for value in scalars(encoding))
        assert encoding.bias(ones(5), ones(5), torch.arange(5)).tril().isfinite().all()


def test_the_curve_below_the_threshold_is_the_same_for_every_training_length():
    small, large = (filled(threshold=threshold) for threshold in (32.0, 512.0))
    with torch.no_grad():
        added = small.bias(ones(8), ones(8), torch.arange(8))
        assert_close(large.bias(ones(8), ones(8), 16 * torch.arange(8)), added, atol=1e-13, rtol=1e-13)


def test_weights_start_within_one_over_the_root_of_their_inputs():
    encoding = filled(64)
    for parameter, bound in (
        (encoding.hidden_weight, 1),
        (encoding.hidden_bias, 1),
        (encoding.out_weight, HIDDEN**-0.5),
        (encoding.out_bias, HIDDEN**-0.5),
    ):
        assert 0.85 * bound < parameter.abs().max() <= bound


@each(("train_length", "threshold", "expected"), [(64, 0.5, 32), (512, 1.0, 512), (1, 0.1, 0.1)])
def test_the_threshold_follows_the_training_length(train_length, threshold, expected):
    shape = Shape(d_model=8, n_heads=2, train_length=train_length, max_length=512)
    assert ENCODINGS["fire"].build(shape, {"threshold": threshold}).threshold == expected
