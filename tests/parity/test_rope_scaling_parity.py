import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.rope_scaling.dynamic_ntk import dynamic_ntk
from pe_core.rope_scaling.llama3 import llama3
from pe_core.rope_scaling.longrope import linear_factors, longrope
from pe_core.rope_scaling.pi import pi
from pe_core.rope_scaling.yarn import yarn
from tests.cases import each
from tests.parity import oracle

HEAD_DIMS = [8, 80, 128]
SCALES = [1, 2, 32]
IN_FLOAT32 = 4e-6  # theirs: near the slow end of a ramp little is left of a difference; in float64 it is 1e-15
MODELS = [(10_000.0, 4096), (500_000.0, 8192), (10_000.0, 64)]  # base and training length


def everywhere(test):
    """Run a test for all heads, factors and models."""
    return each("head_dim", HEAD_DIMS)(each("scale", SCALES)(each(("base", "length"), MODELS)(test)))


def theirs(kind, head_dim, base, length, scale, *, seq_len=None, maximum=None, **rope):
    """Frequencies and the factor on cosines and sines, as transformers computes them."""
    config = oracle("transformers").LlamaConfig(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        head_dim=head_dim,
        max_position_embeddings=maximum or scale * length,
        rope_parameters={"rope_type": kind, "rope_theta": base, "factor": float(scale), **rope},
    )
    rules = oracle("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS
    return rules[kind](config, torch.device("cpu"), seq_len=seq_len)


def compare(rule, head_dim, base, length, target, expected, *, rtol=1e-6, **options):
    result = rule(rotary.frequencies(head_dim, base), base=base, train_length=length, target_length=target, **options)
    frequencies, factor = expected
    assert_close(frequencies.double(), result.frequencies, rtol=rtol, atol=0)
    assert result.temperature**-0.5 == pytest.approx(factor, rel=1e-6)


@everywhere
def test_linear_is_position_interpolation(head_dim, base, length, scale):
    compare(pi, head_dim, base, length, scale * length, theirs("linear", head_dim, base, length, scale))


@everywhere
@each("longer", [0.5, 1, 1.5, 8])
def test_dynamic(head_dim, base, length, scale, longer):
    target = int(longer * length)
    expected = theirs("dynamic", head_dim, base, length, scale, seq_len=target, maximum=length)
    compare(dynamic_ntk, head_dim, base, length, target, expected, factor=float(scale))


@everywhere
@each(("ramp", "truncate"), [("index", True), ("unrounded", False)])
@each(("beta_fast", "beta_slow"), [(32.0, 1.0), (5.0, 2.0)])
def test_yarn(head_dim, base, length, scale, ramp, truncate, beta_fast, beta_slow):
    betas = {"beta_fast": beta_fast, "beta_slow": beta_slow}
    original = {"original_max_position_embeddings": length, "truncate": truncate}
    expected = theirs("yarn", head_dim, base, length, scale, **original, **betas)
    compare(yarn, head_dim, base, length, scale * length, expected, rtol=IN_FLOAT32, ramp=ramp, **betas)


@everywhere
@each(("low", "high"), [(1.0, 4.0), (0.5, 16.0)])
def test_llama3(head_dim, base, length, scale, low, high):
    ends = {"low_freq_factor": low, "high_freq_factor": high, "original_max_position_embeddings": length}
    expected = theirs("llama3", head_dim, base, length, scale, **ends)
    compare(llama3, head_dim, base, length, scale * length, expected, rtol=IN_FLOAT32, low=low, high=high)


@everywhere
def test_longrope(head_dim, base, length, scale):
    factors = linear_factors(head_dim // 2, 1.5 * scale)
    rope = {
        "long_factor": factors.tolist(),
        "short_factor": [1.0] * len(factors),
        "original_max_position_embeddings": length,
    }
    target = scale * length
    long = theirs("longrope", head_dim, base, length, scale, seq_len=target, **rope)
    compare(longrope, head_dim, base, length, target, long, long_factors=factors)


YARN = {"original_max_position_embeddings": 4096}


@each(
    ("theirs_named", "own"),
    [
        ({"attention_factor": 1.25}, {"attention": 1.25}),
        ({"mscale": 1.0, "mscale_all_dim": 0.5}, {"mscale": 1.0, "mscale_all_dim": 0.5}),
        ({"mscale": 0.707, "mscale_all_dim": 0.707}, {"mscale": 0.707, "mscale_all_dim": 0.707}),
    ],
)
def test_yarn_with_attention_factors(theirs_named, own):
    frequencies, factor = theirs("yarn", 64, 1e4, 4096, 40, maximum=163_840, **YARN, **theirs_named)
    result = yarn(rotary.frequencies(64), base=1e4, train_length=4096, factor=40, **own)
    assert_close(frequencies.double(), result.frequencies, rtol=IN_FLOAT32, atol=0)
    assert result.attention_factor == pytest.approx(factor, rel=1e-12)


def test_the_factor_and_not_the_claimed_length_of_llama_3_1():
    ends = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
    frequencies, _ = theirs("llama3", 128, 5e5, 8192, 8, maximum=131_072, **ends)
    result = llama3(rotary.frequencies(128, 5e5), base=5e5, train_length=8192, factor=8)
    assert_close(frequencies.double(), result.frequencies, rtol=IN_FLOAT32, atol=0)


def test_llama3_without_a_blend():
    ends = {"low_freq_factor": 1.0, "high_freq_factor": 1.0, "original_max_position_embeddings": 8192}
    frequencies, _ = theirs("llama3", 128, 5e5, 8192, 16, maximum=262_144, **ends)
    result = llama3(rotary.frequencies(128, 5e5), base=5e5, train_length=8192, factor=16, low=1, high=1)
    assert_close(frequencies.double(), result.frequencies, rtol=1e-6, atol=0)


@each("target", [64, 65])
@each("explicit", [None, 1.25])
def test_longrope_with_both_lists(target, explicit):
    short, long = [0.9978, *[1.05] * 7], [0.9978, *[1.5 * i for i in range(1, 8)]]
    rope = {"long_factor": long, "short_factor": short, "original_max_position_embeddings": 64}
    rope |= {"attention_factor": explicit} if explicit else {}
    frequencies, factor = theirs("longrope", 16, 1e4, 64, 4, seq_len=target, **rope)
    lists = {"long_factors": long, "short_factors": short, "attention": explicit}
    own = longrope(rotary.frequencies(16), base=1e4, train_length=64, target_length=target, factor=4, **lists)
    assert_close(frequencies.double(), own.frequencies, rtol=1e-6, atol=0)
    assert own.attention_factor == pytest.approx(factor, rel=1e-12)
