import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from pe_core.encodings.fire import HIDDEN, ROWS, Fire, interpolated
from tests.encodings.loops import hiding_the_future, of_pairs
from tests.largest import max_tensor
from tests.strategies import initialised, seeds, whole_positions

F64 = torch.float64
INF = math.inf
scales = st.floats(0.01, 10).map(lambda value: torch.tensor(value, dtype=F64))


def filled(n_heads=2, threshold=16.0, seed=0):
    return initialised(Fire(n_heads, threshold=threshold), seed).double()


def scalars(encoding):
    """The c and the L that the module uses."""
    c, reach = F.softplus(encoding.learned_c), F.softplus(encoding.learned_threshold)
    return 51.2 / encoding.threshold * c, encoding.threshold * reach


def ones(length, n_heads=2, dtype=F64):
    return torch.ones(1, n_heads, length, 4, dtype=dtype)


def test_three_positions():
    one, two = torch.tensor(1.0, dtype=F64), torch.tensor(2.0, dtype=F64)
    found = interpolated(torch.tensor([0, 1, 7]), one, two, F64)  # ln(1 + distance) over ln 3, in the last row ln 8
    third, eighth = math.log(3), math.log(8)
    nearer = math.log(2) / third
    expected = [[0, nearer, eighth / third], [nearer, 0, math.log(7) / third], [1, math.log(7) / eighth, 0]]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-15, rtol=1e-15)


@given(seeds, whole_positions, st.floats(0.5, 600))
@torch.no_grad()
def test_the_bias_equals_the_definition(seed, positions, threshold):
    """One pass of the network per head, query and key."""
    encoding = filled(threshold=threshold, seed=seed)
    c, reach = (float(value) for value in scalars(encoding))
    hidden = list(zip(encoding.hidden_weight.flatten().tolist(), encoding.hidden_bias.tolist(), strict=True))

    def value(m, n, weights, offset):
        argument = math.log(c * (m - n) + 1) / math.log(c * max(reach, m) + 1)
        units = [max(0, weight * argument + bias) for weight, bias in hidden]
        return sum(weight * unit for weight, unit in zip(weights, units, strict=True)) + offset

    heads = list(zip(encoding.out_weight.tolist(), encoding.out_bias.tolist(), strict=True))
    expected = of_pairs(positions, hiding_the_future(value), heads)
    assert_close(encoding.bias(ones(len(positions)), ones(len(positions)), positions), expected, atol=1e-12, rtol=1e-12)


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
    bounds = {"hidden_weight": 1, "hidden_bias": 1, "out_weight": HIDDEN**-0.5, "out_bias": HIDDEN**-0.5}
    for name, bound in bounds.items():
        assert 0.85 * bound < getattr(encoding, name).abs().max() <= bound
