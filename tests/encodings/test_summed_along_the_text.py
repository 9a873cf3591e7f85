"""Biases that read content: sums over the tokens in between (CoPE, forgetting, CABLE) and networks (FIRE, DAPE)."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from pe_core.encodings import cope, forgetting
from pe_core.encodings.cable import Cable, steps
from pe_core.encodings.dape import DAPE, PRIORS, prior_of
from pe_core.encodings.fire import HIDDEN, ROWS, Fire, interpolated
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs, of_texts
from tests.largest import max_tensor
from tests.strategies import F64, filled, initialised, lengths, normal, seeds, whole_positions, widths

INF = math.inf
half_precision = each("dtype", [torch.bfloat16, torch.float16])


def cable_of(weight, offset):
    return filled(Cable(*weight.shape, start=0.0).double(), weight=weight, offset=offset)


def test_half_open_gates_of_cope_count_half_tokens():
    """Zero keys: every gate is 1/2, so the places are 0.5, 1, 1.5 going back; row p of the table is worth p squared."""
    q, k = torch.ones(1, 3, 1, dtype=F64), torch.zeros(1, 3, 1, dtype=F64)
    assert cope.contextual_positions(q, k)[0].tolist() == [[0.5, 0, 0], [1, 0.5, 0], [1.5, 1, 0.5]]
    table = torch.tensor([[0.0], [1], [4]], dtype=F64)
    assert cope.bias(q, k, table)[0].tolist() == [[0.5, -INF, -INF], [1, 0.5, -INF], [2.5, 1, 0.5]]


def test_three_tokens_by_hand():
    """Gates of 1/2, 1/4 and 1/8, or steps of ln 2, ln 4 and ln 8: the query's own counts, the key's does not."""
    kept = torch.tensor([[1, 0, 0], [1 / 4, 1, 0], [1 / 32, 1 / 8, 1]], dtype=F64)
    added = forgetting.bias(torch.tensor([0.5, 0.25, 0.125], dtype=F64).log(), dtype=F64)
    assert_close(added.exp(), kept)
    x = torch.tensor([[[0.0], [math.log(3)], [math.log(7)]]], dtype=F64)
    assert_close(steps(x, torch.ones(1, 1), torch.zeros(1)).exp(), torch.tensor([[[2.0, 4, 8]]], dtype=F64))
    encoding, q = cable_of(torch.ones(1, 1), torch.zeros(1)).reading(x), torch.zeros(1, 1, 3, 2, dtype=F64)
    assert_close(encoding.bias(q, q, torch.arange(3))[0, 0].exp(), kept)


@given(seeds, lengths, widths, st.integers(2, 12))
def test_cope_equals_the_definition(seed, length, dim, rows):
    (q, k), table = normal(seed, 2, length, dim), normal(seed + 1, rows, dim)

    def value(m, n):
        logits = [float(q[m] @ k[t]) / math.sqrt(dim) for t in range(n, m + 1)]
        place = min(sum(1 / (1 + math.exp(-logit)) for logit in logits), rows - 1)
        low, high = math.floor(place), math.ceil(place)
        return float(q[m] @ ((place - low) * table[high] + (1 - place + low) * table[low]))

    expected = of_pairs(torch.arange(length), hiding_the_future(value))[0]
    assert_close(cope.bias(q, k, table), expected, atol=1e-10, rtol=0)


@given(seeds, lengths, widths, st.integers(1, 3), st.floats(-3, 10))
def test_forgetting_and_cable_equal_the_definition(seed, length, dim, heads, start):
    """Sums over the tokens after the key up to the query: of logarithms of gates of the keys, of steps of the input."""
    x, k = normal(seed, 2, length, dim), normal(seed, 2, heads, length, dim)
    weight, offset = normal(seed + 1, heads, dim), normal(seed + 2, heads)
    q = torch.zeros(2, heads, length, 2, dtype=F64)
    forgotten = forgetting.bias(forgetting.log_gates(k, weight, start + offset), dtype=F64)
    stepped = cable_of(weight, offset).reading(x).bias(q, q, torch.arange(length)).detach()

    def gates(m, n, text, head):
        scores = [float(weight[head] @ k[text, head, t] + start + offset[head]) for t in range(n + 1, m + 1)]
        return sum(math.log(1 / (1 + math.exp(-score))) for score in scores)

    def in_steps(m, n, text, head):
        scores = [float(weight[head] @ x[text, t] + offset[head]) for t in range(n + 1, m + 1)]
        return -sum(math.log1p(math.exp(score)) for score in scores)

    for found, value in ((forgotten, gates), (stepped, in_steps)):
        assert_close(found, of_texts(2, heads, length, hiding_the_future(value)), atol=1e-10, rtol=0)


def test_equal_rows_would_teach_the_gates_of_cope_nothing(q, k):
    for table, learns in ((torch.zeros(6, 4, dtype=F64), False), (normal(1, 6, 4), True)):
        keys = k.clone().requires_grad_()
        cope.bias(q, keys, table).tril().square().sum().backward()
        assert (keys.grad.abs().sum() > 0) == learns


def test_cable_without_an_input_counts_each_token_as_zeros():
    encoding, q = cable_of(normal(1, 2, 3), normal(2, 2)), normal(3, 1, 2, 6, 4)
    alone = encoding.bias(q, q, torch.arange(6))
    assert alone.shape == (2, 6, 6)
    assert torch.equal(alone, encoding.reading(torch.zeros(1, 6, 3, dtype=F64)).bias(q, q, torch.arange(6))[0])
    assert not torch.equal(alone, encoding.reading(normal(4, 1, 6, 3)).bias(q, q, torch.arange(6))[0])


@half_precision
def test_half_precision_counts_beyond_256_tokens_in_cope(dtype):
    q, k = torch.ones(1, 601, 1, dtype=dtype), torch.full((1, 601, 1), 100, dtype=dtype)
    table = torch.zeros(700, 1, dtype=dtype)
    table[601] = 1
    added = cope.bias(q, k, table)
    assert added.dtype == dtype
    assert added[0, 600, 0] == 1  # all 601 tokens are counted; bfloat16 has 600 and 604


@half_precision
def test_half_precision_keeps_near_keys_apart(dtype):
    """The sums themselves are near -2,560 and -2,048, where bfloat16 counts in steps of 16."""
    near = forgetting.bias(torch.full((2048,), -1.25, dtype=dtype), dtype=dtype)[2047, 2044:]
    assert near.dtype == dtype
    assert near.tolist() == [-3.75, -2.5, -1.25, 0]
    q, encoding = torch.zeros(1, 1, 1024, 1).to(dtype), cable_of(torch.zeros(1, 1), torch.tensor([1.8545865])).to(dtype)
    near = encoding.reading(q[0]).bias(q, q, torch.arange(1024))[0, 0, 1023, 1020:].detach()  # softplus is 2, nearly
    assert near.dtype == dtype
    assert_close(near.double(), torch.tensor([-6, -4, -2, 0], dtype=F64), atol=3e-2, rtol=0)


scales = st.floats(0.01, 10).map(lambda value: torch.tensor(value, dtype=F64))


def fire(n_heads=2, threshold=16.0, seed=0):
    return initialised(Fire(n_heads, threshold=threshold), seed).double()


def scalars(encoding):
    """The c and the L that the module uses."""
    c, reach = F.softplus(encoding.learned_c), F.softplus(encoding.learned_threshold)
    return 51.2 / encoding.threshold * c, encoding.threshold * reach


def ones(length, n_heads=2, dtype=F64):
    return torch.ones(1, n_heads, length, 4, dtype=dtype)


def test_fire_at_three_positions():
    one, two = torch.tensor(1.0, dtype=F64), torch.tensor(2.0, dtype=F64)
    found = interpolated(torch.tensor([0, 1, 7]), one, two, F64)  # ln(1 + distance) over ln 3, in the last row ln 8
    third, eighth = math.log(3), math.log(8)
    nearer = math.log(2) / third
    expected = [[0, nearer, eighth / third], [nearer, 0, math.log(7) / third], [1, math.log(7) / eighth, 0]]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-15, rtol=1e-15)


@given(seeds, whole_positions, st.floats(0.5, 600))
@torch.no_grad()
def test_fire_equals_the_definition(seed, positions, threshold):
    """One pass of the network per head, query and key."""
    encoding = fire(threshold=threshold, seed=seed)
    c, reach = (float(value) for value in scalars(encoding))
    hidden = list(zip(encoding.hidden_weight.flatten().tolist(), encoding.hidden_bias.tolist(), strict=True))

    def value(m, n, weights, offset):
        argument = math.log(c * (m - n) + 1) / math.log(c * max(reach, m) + 1)
        units = [max(0, weight * argument + bias) for weight, bias in hidden]
        return sum(weight * unit for weight, unit in zip(weights, units, strict=True)) + offset

    heads = list(zip(encoding.out_weight.tolist(), encoding.out_bias.tolist(), strict=True))
    expected = of_pairs(positions, hiding_the_future(value), heads)
    assert_close(encoding.bias(ones(len(positions)), ones(len(positions)), positions), expected, atol=1e-12, rtol=1e-12)


def test_many_rows_of_fire_are_computed_a_part_at_a_time():
    encoding, length = fire(), 2 * ROWS + 1
    with torch.no_grad():
        added = encoding.bias(ones(length), ones(length), torch.arange(length))
        largest = max_tensor(lambda: encoding.bias(ones(length), ones(length), torch.arange(length)))
        argument = interpolated(torch.arange(length), *scalars(encoding), F64)
        whole = encoding.network(argument[..., None]).permute(2, 0, 1)
    assert largest == ROWS * length * HIDDEN
    past = torch.ones(length, length, dtype=torch.bool).tril()
    assert_close(added[:, past], whole[:, past], atol=1e-12, rtol=0)


def test_c_and_threshold_of_fire_start_near_those_of_the_paper_and_stay_positive():
    for seed in range(8):
        c, threshold = scalars(fire(threshold=512.0, seed=seed))
        assert 0.09 - 1e-6 < c < 0.11 + 1e-6
        assert 460 < threshold < 564
    encoding = filled(fire(), learned_c=-50, learned_threshold=-50)
    assert all(value > 0 for value in scalars(encoding))
    assert encoding.bias(ones(5), ones(5), torch.arange(5)).tril().isfinite().all()


def test_the_curve_below_the_threshold_is_the_same_for_every_training_length():
    small, large = (fire(threshold=threshold) for threshold in (32.0, 512.0))
    with torch.no_grad():
        added = small.bias(ones(8), ones(8), torch.arange(8))
        assert_close(large.bias(ones(8), ones(8), 16 * torch.arange(8)), added, atol=1e-13, rtol=1e-13)


def test_weights_of_fire_start_within_one_over_the_root_of_their_inputs():
    encoding = fire(64)
    bounds = {"hidden_weight": 1, "hidden_bias": 1, "out_weight": HIDDEN**-0.5, "out_bias": HIDDEN**-0.5}
    for name, bound in bounds.items():
        assert 0.85 * bound < getattr(encoding, name).abs().max() <= bound


def dape(prior="alibi", heads=2, width=3, seed=0):
    return initialised(DAPE(prior_of(prior, heads), heads, width).double(), seed)


def test_dape_with_a_network_of_one_number_by_hand():
    """Two tokens, one head of the slope 1/256: f is twice what is above 0 of score plus bias, less 1."""
    encoding = filled(dape(heads=1, width=1), hidden_weight=1, hidden_bias=0, out_weight=2, out_bias=-1)
    q, k = torch.tensor([[[[2.0], [-3]]], [[[4.0], [5]]]], dtype=F64)
    added = encoding.bias(q, k, torch.arange(2))[0]
    below = -3 * 4 - 1 / 256  # of the second token and the first: LeakyReLU keeps a hundredth
    expected = [[2 * 8 - 1, -INF], [-1 / 256 + 2 * below / 100 - 1, 2 * -15 / 100 - 1]]
    assert_close(added, torch.tensor(expected, dtype=F64))


@given(seeds, st.integers(1, 6), st.integers(1, 3), st.integers(1, 4), st.sampled_from(PRIORS))
@torch.no_grad()
def test_dape_equals_the_definition(seed, length, heads, width, prior):
    encoding, positions = dape(prior, heads, width, seed), torch.arange(length) + 3
    q, k = normal(seed, 2, 2, heads, length, 4)
    added, static = encoding.bias(q, k, positions), encoding.prior.bias(q, k, positions)
    learned = (encoding.hidden_weight, encoding.hidden_bias, encoding.out_weight, encoding.out_bias)
    w1, b1, w2, b2 = (parameter.tolist() for parameter in learned)

    def value(m, n, text, head):
        seen = [float(q[text, h, m] @ k[text, h, n]) / 2 for h in range(heads)]
        seen += [float(static[h, m, n]) for h in range(heads)]
        hidden = [sum(w * z for w, z in zip(row, seen, strict=True)) + b for row, b in zip(w1, b1, strict=True)]
        active = [unit if unit > 0 else unit / 100 for unit in hidden]
        return seen[heads + head] + sum(w * unit for w, unit in zip(w2[head], active, strict=True)) + b2[head]

    assert_close(added, of_texts(2, heads, length, hiding_the_future(value)), atol=1e-9, rtol=0)


def test_errors():
    rule = "table must have at least 2 rows, to tell near from far, got 1"
    refuses(lambda: cope.bias(torch.ones(3, 4), torch.ones(3, 4), torch.ones(1, 4)), rule)
    refuses(lambda: prior_of("fire", 2), "prior must be one of alibi, kerple, got fire")
