"""Each rule against its definition, in loops over the pairs, golden numbers, and what an engineer hands over."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.rope_scaling import SCALINGS
from pe_core.rope_scaling.base import stretch
from pe_core.rope_scaling.base_change import base_change
from pe_core.rope_scaling.by_parts import by_parts, within_reach
from pe_core.rope_scaling.dynamic_ntk import dynamic_ntk
from pe_core.rope_scaling.llama3 import llama3
from pe_core.rope_scaling.longrope import linear_factors, longrope
from pe_core.rope_scaling.ntk import ntk
from pe_core.rope_scaling.pi import pi
from pe_core.rope_scaling.plain import plain
from pe_core.rope_scaling.yarn import kept_by_index, pair_index, yarn
from tests.cases import each, refuses

F64 = torch.float64
head_dims = st.integers(2, 64).map(lambda pairs: 2 * pairs)
bases = st.floats(1.5, 1e9)
train_lengths = st.integers(2, 8192)
targets = st.integers(1, 100_000)


def same(result, expected, rtol=1e-11):
    assert_close(result, torch.tensor(expected, dtype=F64), rtol=rtol, atol=0)


def ladder(head_dim, base):
    return [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]


def apply(rule, head_dim, base, train_length, target_length, **options):
    frequencies = rotary.frequencies(head_dim, base)
    scale = stretch(train_length, target_length)
    return rule(frequencies, base=base, train_length=train_length, scale=scale, **options)


def test_four_pairs_twice_as_long():
    frequencies = torch.tensor([1, 0.1, 0.01, 0.001], dtype=F64)
    lengths = {"base": 1e4, "train_length": 100, "scale": 2.0}
    same(pi(frequencies, **lengths).frequencies, [0.5, 0.05, 0.005, 0.0005])
    same(ntk(frequencies, **lengths).frequencies, [1, 0.1 / 2 ** (1 / 3), 0.01 / 2 ** (2 / 3), 0.0005])
    same(base_change(frequencies, new_base=1e8, **lengths).frequencies, [1, 0.01, 0.0001, 0.000001])
    halved = base_change(frequencies / 2, new_base=1e8, **lengths)  # it may follow another rule
    same(halved.frequencies, [0.5, 0.005, 0.00005, 0.0000005])
    # 15.9, 1.59, 0.159 and 0.0159 turns
    gamma = (10 / (2 * math.pi) - 1) / 3
    same(llama3(frequencies, **lengths).frequencies, [1, 0.1 * (1 + gamma) / 2, 0.005, 0.0005])
    factors = torch.tensor([1, 1, 1.5, 2], dtype=F64)
    long = longrope(frequencies, long_factors=factors, **lengths)
    same(long.frequencies, [1, 0.1, 0.01 / 1.5, 0.0005])
    assert long.temperature == pytest.approx(1 / (1 + math.log(2) / math.log(100)), rel=1e-15)


@given(head_dims, bases, train_lengths, targets)
def test_without_a_rule_the_frequencies_stay_at_any_length(head_dim, base, train_length, target):
    result = apply(plain, head_dim, base, train_length, target)
    same(result.frequencies, ladder(head_dim, base))
    assert result.temperature == 1


@given(head_dims, bases, train_lengths, targets)
def test_interpolation_equals_the_definition(head_dim, base, train_length, target):
    scale = max(1, target / train_length)
    same(apply(pi, head_dim, base, train_length, target).frequencies, [w / scale for w in ladder(head_dim, base)])


@given(head_dims, bases, bases)
def test_another_base_is_a_power_of_the_frequencies_and_the_ladder_of_that_base(head_dim, base, new_base):
    result = apply(base_change, head_dim, base, 64, 65, new_base=new_base).frequencies
    same(result, ladder(head_dim, new_base))
    same(result, [w ** (math.log(new_base) / math.log(base)) for w in ladder(head_dim, base)])


def test_another_base_than_1_has_its_ladder_too():
    same(apply(base_change, 8, 1.0, 64, 65, new_base=1e4).frequencies, [1, 0.1, 0.01, 0.001])


@given(head_dims, bases, train_lengths, targets)
def test_ntk_is_the_ladder_of_a_larger_base(head_dim, base, train_length, target):
    scale = max(1, target / train_length)
    larger = base * scale ** (head_dim / (head_dim - 2))
    result = apply(ntk, head_dim, base, train_length, target).frequencies
    same(result, ladder(head_dim, larger))
    assert result[0] == 1
    assert_close(result[-1], rotary.frequencies(head_dim, base)[-1] / scale, rtol=1e-15, atol=0)


@given(head_dims, bases, st.floats(1, 64))
def test_the_relatives_of_ntk(head_dim, base, scale):
    target, step = round(1024 * scale), (max(1, round(1024 * scale) / 1024)) ** (2 / head_dim)
    total = math.log(max(1, target / 1024))
    strength = total / (head_dim / 2) ** 0.625
    old, fixed, mixed = (
        apply(ntk, head_dim, base, 1024, target, variant=variant).frequencies for variant in ("old", "fixed", "mixed")
    )
    same(old, ladder(head_dim, base * max(1, target / 1024)))
    same(fixed, [w / (step * step**i) for i, w in enumerate(ladder(head_dim, base))])
    same(mixed, [w / math.exp(strength * (i + 1) ** 0.625) for i, w in enumerate(ladder(head_dim, base))])


@given(head_dims, bases, train_lengths, targets, st.floats(1, 8))
def test_dynamic_ntk_equals_the_definition(head_dim, base, train_length, target, factor):
    length = max(target, train_length)
    larger = base * (factor * length / train_length - (factor - 1)) ** (head_dim / (head_dim - 2))
    result = apply(dynamic_ntk, head_dim, base, train_length, target, factor=factor).frequencies
    same(result, ladder(head_dim, larger), rtol=1e-10)


def blended(head_dim, base, train_length, scale, slow, fast):
    """Wavelengths below L / fast kept, above L / slow divided, and the line in turns between."""
    result = []
    for w in ladder(head_dim, base):
        wavelength = 2 * math.pi / w
        if wavelength < train_length / fast:
            result.append(w)
        elif wavelength > train_length / slow:
            result.append(w / scale)
        else:
            gamma = (train_length / wavelength - slow) / (fast - slow)
            result.append((1 - gamma) * w / scale + gamma * w)
    return result


ends = st.tuples(st.floats(0.1, 4), st.floats(0.1, 60)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(head_dims, bases, train_lengths, st.integers(1, 64), ends)
def test_by_parts_llama3_and_yarn_in_turns_equal_the_definition(head_dim, base, train_length, scale, ends):
    slow, fast = ends
    expected = blended(head_dim, base, train_length, scale, slow, fast)
    parts = apply(by_parts, head_dim, base, train_length, scale * train_length, alpha=slow, beta=fast)
    llama = apply(llama3, head_dim, base, train_length, scale * train_length, low=slow, high=fast)
    in_turns = {"ramp": "rotations", "beta_slow": slow, "beta_fast": fast}
    turns = apply(yarn, head_dim, base, train_length, scale * train_length, **in_turns)
    for result in (parts, llama, turns):
        same(result.frequencies, expected)
    assert parts.temperature == llama.temperature == 1
    assert turns.temperature == pytest.approx((0.1 * math.log(scale) + 1) ** -2)


@given(head_dims, bases, train_lengths, st.integers(1, 64), ends, st.sampled_from(["index", "unrounded"]))
def test_yarn_along_the_index_equals_the_definition(head_dim, base, train_length, scale, ends, ramp):
    slow, fast = ends
    low, high = (head_dim * math.log(train_length / (r * 2 * math.pi)) / (2 * math.log(base)) for r in (fast, slow))
    if ramp == "index":
        low, high = math.floor(low), math.ceil(high)
    low, high = (min(max(end, 0), head_dim - 1) for end in (low, high))
    expected = []
    for i, w in enumerate(ladder(head_dim, base)):
        slowed = min(max((i - low) / max(high - low, 0.001), 0), 1)
        expected.append(w * (1 - slowed) + w / scale * slowed)
    result = apply(yarn, head_dim, base, train_length, scale * train_length, ramp=ramp, beta_slow=slow, beta_fast=fast)
    same(result.frequencies, expected, rtol=1e-9)


def test_the_ramp_of_llama_2_runs_from_pair_20_to_46_and_that_of_base_1_is_a_step():
    gamma = kept_by_index(64, base=1e4, train_length=4096, beta_fast=32, beta_slow=1)
    assert (gamma == 1).nonzero().max() == 20
    assert (gamma == 0).nonzero().min() == 46
    assert gamma[33] == 0.5
    # Pairs of base 1 turn alike, so that the ramp is a step.
    assert pair_index(1, head_dim=8, base=1.0, train_length=64) == 7
    assert pair_index(32, head_dim=8, base=1.0, train_length=64) == 0


def test_turns_within_reach():
    assert within_reach(32, alpha=1, train_length=4096) == 32
    assert within_reach(32, alpha=1, train_length=64) == pytest.approx(5.0930, abs=5e-5)
    assert within_reach(4, alpha=1, train_length=64) == 4
    assert within_reach(32, alpha=1.5, train_length=4) == 3


def test_longrope_switches_at_the_token_after_the_training_length():
    factors = linear_factors(4, 2)
    short, long = (apply(longrope, 8, 1e4, 64, n, long_factors=factors) for n in (64, 65))
    assert torch.equal(short.frequencies, rotary.frequencies(8))
    same(long.frequencies, [w / (1 + i / 3) for i, w in enumerate(ladder(8, 1e4))])
    assert (short.temperature, long.temperature < 1) == (1, True)
    assert linear_factors(1, 8).tolist() == [1]  # a single pair is not slowed


def test_errors():
    def refused(rule, message, *, head_dim=8, **options):
        refuses(lambda: apply(rule, head_dim, 1e4, 64, 256, **options), message)

    refused(base_change, "new_base must be at least 1, got 0.5", new_base=0.5)
    for rule in (ntk, dynamic_ntk):
        refused(rule, "head_dim must be at least 4, for d / (d - 2) is the exponent, got 2", head_dim=2)
    refused(ntk, "variant must be one of aware, old, fixed, mixed, got new", variant="new")
    refused(dynamic_ntk, "factor must be at least 1, got 0.5", factor=0.5)
    refused(by_parts, "alpha must be below beta (32), got 32", alpha=32)
    refused(llama3, "low must be at most high (4), got 5", low=5)
    refused(yarn, "ramp must be one of index, unrounded, rotations, got step", ramp="step")
    refused(yarn, "beta_slow must be above 0 and at most beta_fast (32), got 0", beta_slow=0)
    refused(yarn, "beta_slow must be above 0 and at most beta_fast (0.5), got 1.0", beta_fast=0.5)
    refused(yarn, "alpha must be below beta (1), got 1.0", beta_fast=1, ramp="rotations")
    refused(yarn, "attention must be above 0 and finite, got -1", attention=-1)
    other = "must be above 0 where the other one is given, got"
    refused(yarn, f"mscale_all_dim {other} None", mscale=1)
    refused(yarn, f"mscale {other} 0", mscale=0, mscale_all_dim=1)
    refused(longrope, "long_factors must be one per pair (4), got 3", long_factors=torch.ones(3))
    for wrong in (0.0, math.inf):
        message = f"long_factors must be above 0 and finite, got {wrong}"
        refused(longrope, message, head_dim=4, long_factors=[1, wrong])
    lists = {"head_dim": 4, "long_factors": [1, 2]}
    refused(longrope, "short_factors must be one per pair (2), got 1", **lists, short_factors=[1])
    refused(longrope, "attention must be above 0 and finite, got 0", **lists, attention=0)
    refused(longrope, "scale must be at least 1 and finite, got 0.5", **lists, factor=0.5)
    rule = "train_length must be at least 2: the rule divides by its logarithm, got 1"
    refuses(lambda: apply(longrope, 4, 1e4, 1, 2, long_factors=[1, 2]), rule)
    for rule in (base_change, yarn):
        refuses(
            lambda rule=rule: rule(rotary.frequencies(8), base=0.5, train_length=64, scale=4.0),
            "base must be at least 1, got 0.5",
        )


@each("rule", [pi, ntk, by_parts, llama3, yarn])
@each("scale", [-1, 0, 0.5, math.nan, math.inf])
def test_a_scale_stretches_and_is_finite(rule, scale):
    message = f"scale must be at least 1 and finite, got {scale}"
    refuses(lambda: rule(rotary.frequencies(8), base=1e4, train_length=4, scale=scale), message)


@given(st.sampled_from([4, 16, 64]), st.integers(2, 9000), st.integers(1, 60_000))
def test_the_registry_moves_beta_within_reach(head_dim, train_length, target_length):
    """To the turns of a pair of half a radian per token, at least 2."""
    given = {"base": 1e4, "train_length": train_length}
    of_entry, of_rule = {"target_length": target_length}, {"scale": stretch(train_length, target_length)}
    beta = min(32, max(2, train_length / (4 * math.pi)))
    assert (beta == 32) == (train_length >= 403)
    for key, own in (("by_parts", partial(by_parts, beta=beta)), ("yarn", partial(yarn, beta_fast=beta))):
        frequencies = rotary.frequencies(head_dim)
        entry, result = SCALINGS[key](frequencies, **given, **of_entry), own(frequencies, **given, **of_rule)
        assert torch.equal(entry.frequencies, result.frequencies)
        assert entry.temperature == result.temperature


def test_where_low_is_high_llama3_is_a_step():
    frequencies = torch.tensor([1, 0.2, 2 * math.pi / 100, 0.05], dtype=F64)  # the third turns once in 100 tokens
    result = llama3(frequencies, base=1e4, train_length=100, scale=4, low=1, high=1)
    assert_close(result.frequencies, frequencies / torch.tensor([1, 1, 1, 4]), rtol=1e-15, atol=0)


SHORT_FACTORS, LONG_FACTORS = [0.9978, 1.0, 1.05], [0.9978, 2.0, 31.02]  # the first as in MiniCPM4
PHI = {"base": 1e4, "train_length": 4096, "long_factors": LONG_FACTORS, "short_factors": SHORT_FACTORS}


def test_without_a_factor_the_stretch_follows_the_text():
    frequencies = rotary.frequencies(6)
    short, long = (longrope(frequencies, scale=scale, **PHI).temperature for scale in (1, 2))
    assert (short, long) == (1, pytest.approx(1 / (1 + math.log(2) / math.log(4096)), rel=1e-15))
    given = longrope(frequencies, scale=1, attention=1.25, **PHI)
    assert given.attention_factor == pytest.approx(1.25, rel=1e-15)
