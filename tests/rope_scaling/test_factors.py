"""What an engineer hands over: the factor of a configuration, attention factors, and lists of factors."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.rope_scaling import SCALINGS
from pe_core.rope_scaling.by_parts import by_parts
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
def test_the_registry_moves_beta_within_reach(head_dim, train_length, target_length):
    """To the turns of a pair of half a radian per token, at least 2."""
    given = {"base": 1e4, "train_length": train_length, "target_length": target_length}
    beta = min(32, max(2, train_length / (4 * math.pi)))
    assert (beta == 32) == (train_length >= 403)
    for key, own in (("by_parts", partial(by_parts, beta=beta)), ("yarn", partial(yarn, beta_fast=beta))):
        entry, result = (rule(rotary.frequencies(head_dim), **given) for rule in (SCALINGS[key], own))
        assert torch.equal(entry.frequencies, result.frequencies)
        assert entry.temperature == result.temperature


def test_where_low_is_high_llama3_is_a_step():
    frequencies = torch.tensor([1, 0.2, 2 * math.pi / 100, 0.05], dtype=F64)  # the third turns once in 100 tokens
    result = llama3(frequencies, base=1e4, train_length=100, factor=4, low=1, high=1)
    assert_close(result.frequencies, frequencies / torch.tensor([1, 1, 1, 4]), rtol=1e-15, atol=0)


def test_a_text_as_long_as_those_of_training_has_no_temperature():
    assert (growth(1), softmax_scale(1, 0.707)) == (1, 1)


SHORT, LONG = [0.9978, 1.0, 1.05], [0.9978, 2.0, 31.02]  # the first as in MiniCPM4
PHI = {"base": 1e4, "train_length": 4096, "long_factors": LONG, "short_factors": SHORT}


def test_without_a_factor_the_stretch_follows_the_text():
    frequencies = rotary.frequencies(6)
    short, long = (longrope(frequencies, target_length=n, **PHI).temperature for n in (4096, 8192))
    assert (short, long) == (1, pytest.approx(1 / (1 + math.log(2) / math.log(4096)), rel=1e-15))
    given = longrope(frequencies, target_length=4096, attention=1.25, **PHI)
    assert given.attention_factor == pytest.approx(1.25, rel=1e-15)
