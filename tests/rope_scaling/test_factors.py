"""What an engineer hands over: the factor of a configuration, attention factors, and lists of factors."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.rope_scaling import SCALINGS
from pe_core.rope_scaling.by_parts import by_parts
from pe_core.rope_scaling.dynamic_ntk import dynamic_ntk
from pe_core.rope_scaling.llama3 import llama3
from pe_core.rope_scaling.longrope import longrope
from pe_core.rope_scaling.ntk import ntk
from pe_core.rope_scaling.pi import pi
from pe_core.rope_scaling.yarn import growth, softmax_scale, yarn
from tests.cases import each, refuses

F64 = torch.float64
with_a_factor = each("rule", [pi, ntk, by_parts, llama3, yarn])


@with_a_factor
@each("factor", [1, 4, 8.0])
def test_a_factor_is_the_length_that_many_times_as_long(rule, factor):
    given_one = {"base": 5e5, "train_length": 8192}
    by_factor = rule(rotary.frequencies(128, 5e5), **given_one, factor=factor)
    by_length = rule(rotary.frequencies(128, 5e5), **given_one, target_length=int(8192 * factor))
    assert torch.equal(by_factor.frequencies, by_length.frequencies)
    assert by_factor.temperature == by_length.temperature


def test_the_claimed_length_of_llama_3_1_is_not_its_factor():
    before = rotary.frequencies(128, 5e5)
    right = llama3(before, base=5e5, train_length=8192, factor=8).frequencies
    claimed = llama3(before, base=5e5, train_length=8192, target_length=131_072).frequencies
    assert_close(right[-1], before[-1] / 8, rtol=1e-15, atol=0)
    assert_close(claimed[-1], before[-1] / 16, rtol=1e-15, atol=0)
    assert int((right != claimed).sum()) == 35


@with_a_factor
@each(
    ("lengths", "message"),
    [
        ({}, "target_length must be given, or a factor instead, got None"),
        ({"target_length": 8, "factor": 2}, "factor must be left out where target_length is given, got 2"),
        ({"factor": 0.5}, "factor must be at least 1 and finite, got 0.5"),
        ({"factor": math.nan}, "factor must be at least 1 and finite, got nan"),
        ({"factor": math.inf}, "factor must be at least 1 and finite, got inf"),
    ],
)
def test_a_rule_is_given_a_length_or_a_factor(rule, lengths, message):
    refuses(lambda: rule(rotary.frequencies(8), base=1e4, train_length=4, **lengths), message)


@given(st.sampled_from([4, 16, 64]), st.integers(2, 9000), st.integers(1, 60_000))
def test_the_registry_and_the_rule_agree_where_its_beta_is_within_reach(head_dim, train_length, target_length):
    before, lengths = rotary.frequencies(head_dim), {"train_length": train_length, "target_length": target_length}
    rules = (pi, ntk, dynamic_ntk, by_parts, llama3, yarn)
    for key, rule in zip(("pi", "ntk", "dynamic_ntk", "by_parts", "llama3", "yarn"), rules, strict=True):
        options = {"factor": 2.0} if key == "dynamic_ntk" else {}
        if key in {"by_parts", "yarn"}:  # turns of a pair of half a radian per token, at least 2
            name = "beta" if key == "by_parts" else "beta_fast"
            options = {name: min(32, max(2, train_length / (4 * math.pi)))}
            assert (options[name] == 32) == (train_length >= 403)
        entry = SCALINGS[key](before, base=1e4, **lengths)
        own = rule(before, base=1e4, **lengths, **options)
        assert torch.equal(entry.frequencies, own.frequencies)
        assert entry.temperature == own.temperature


def test_where_low_is_high_llama3_is_a_step():
    frequencies = torch.tensor([1, 0.2, 2 * math.pi / 100, 0.05], dtype=F64)  # the third turns once in 100 tokens
    result = llama3(frequencies, base=1e4, train_length=100, factor=4, low=1, high=1)
    assert_close(result.frequencies, frequencies / torch.tensor([1, 1, 1, 4]), rtol=1e-15, atol=0)


@each(
    ("options", "expected"),
    [
        ({}, growth(40)),
        ({"mscale": 0.707, "mscale_all_dim": 0.707}, 1),
        ({"mscale": 1.0, "mscale_all_dim": 0.707}, growth(40, 1) / growth(40, 0.707)),
        ({"attention": 1.25}, 1.25),
        ({"attention": 1.25, "mscale": 1.0, "mscale_all_dim": 0.707}, 1.25),
    ],
)
def test_yarn_has_the_attention_factor_that_it_is_given(options, expected):
    before = rotary.frequencies(64)
    result = yarn(before, base=1e4, train_length=4096, factor=40, **options)
    assert result.attention_factor == pytest.approx(expected, rel=1e-14)
    assert result.temperature == pytest.approx(expected**-2, rel=1e-14)
    assert torch.equal(result.frequencies, yarn(before, base=1e4, train_length=4096, factor=40).frequencies)


def test_a_text_as_long_as_those_of_training_has_no_temperature():
    assert (growth(1), softmax_scale(1, 0.707)) == (1, 1)


SHORT, LONG = [0.9978, 1.0, 1.05], [0.9978, 2.0, 31.02]  # the first as in MiniCPM4
PHI = {"base": 1e4, "train_length": 4096, "long_factors": LONG, "short_factors": SHORT}


@each(("length", "factors"), [(1, SHORT), (4096, SHORT), (4097, LONG), (131_072, LONG)])
def test_lists_of_factors_switch_by_the_length_of_the_text(length, factors):
    frequencies = torch.tensor([1, 0.1, 0.01], dtype=F64)
    result = longrope(frequencies, target_length=length, factor=32, **PHI)
    assert result.frequencies.tolist() == pytest.approx([w / f for w, f in zip([1, 0.1, 0.01], factors, strict=True)])
    assert result.attention_factor == pytest.approx(math.sqrt(1 + math.log(32) / math.log(4096)), rel=1e-15)


def test_without_a_factor_the_stretch_follows_the_text():
    frequencies = rotary.frequencies(6)
    short, long = (longrope(frequencies, target_length=n, **PHI).temperature for n in (4096, 8192))
    assert (short, long) == (1, pytest.approx(1 / (1 + math.log(2) / math.log(4096)), rel=1e-15))
    given = longrope(frequencies, target_length=4096, attention=1.25, **PHI)
    assert given.attention_factor == pytest.approx(1.25, rel=1e-15)


def test_a_list_and_a_tensor_of_factors_are_alike():
    frequencies = rotary.frequencies(6)
    lists = longrope(frequencies, target_length=5000, **PHI)
    tensors = {name: torch.tensor(PHI[name], dtype=F64) for name in ("long_factors", "short_factors")}
    assert torch.equal(lists.frequencies, longrope(frequencies, target_length=5000, **{**PHI, **tensors}).frequencies)
