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

IN_FLOAT32 = 4e-6  # theirs: near the slow end of a ramp little is left of a difference; in float64 it is 1e-15
ORIGINAL = "original_max_position_embeddings"
MODELS = [(10_000.0, 4096), (500_000.0, 8192), (10_000.0, 64)]  # base and training length
NAMES = ("head_dim", "scale", "base", "length")
everywhere = each(
    "model",
    [dict(zip(NAMES, (dim, scale, *of), strict=True)) for dim in (8, 80, 128) for scale in (1, 2, 32) for of in MODELS],
)


def compare(rule, own, kind, named, *, head_dim, base, length, scale, maximum=None, text=None, rtol=1e-6):
    """Compare frequencies and the factor on cosines and sines with what transformers computes.

    `own` are the options of our rule, `named` those of theirs, `maximum` the claimed length, `text` that of the text.
    """
    config = oracle("transformers").LlamaConfig(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        head_dim=head_dim,
        max_position_embeddings=maximum or scale * length,
        rope_parameters={"rope_type": kind, "rope_theta": base, "factor": float(scale), **named},
    )
    rules = oracle("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS
    frequencies, factor = rules[kind](config, torch.device("cpu"), seq_len=text)
    result = rule(rotary.frequencies(head_dim, base), base=base, train_length=length, **own)
    assert_close(frequencies.double(), result.frequencies, rtol=rtol, atol=0)
    assert result.attention_factor == pytest.approx(factor, rel=1e-12)


def ends(low, high):
    return {"low_freq_factor": low, "high_freq_factor": high}


def target(model):
    return {"scale": model["scale"]}


@everywhere
def test_linear_is_position_interpolation(model):
    compare(pi, target(model), "linear", {}, **model)


@everywhere
@each("ramp", ["index", "unrounded"])
@each(("beta_fast", "beta_slow"), [(32.0, 1.0), (5.0, 2.0)])
def test_yarn(model, ramp, beta_fast, beta_slow):
    betas = {"beta_fast": beta_fast, "beta_slow": beta_slow}
    named = {ORIGINAL: model["length"], "truncate": ramp == "index", **betas}
    compare(yarn, {**target(model), "ramp": ramp, **betas}, "yarn", named, **model, rtol=IN_FLOAT32)


@everywhere
@each(("low", "high"), [(1.0, 4.0), (0.5, 16.0)])
def test_llama3(model, low, high):
    named = {ORIGINAL: model["length"], **ends(low, high)}
    compare(llama3, {**target(model), "low": low, "high": high}, "llama3", named, **model, rtol=IN_FLOAT32)


@everywhere
@each("longer", [0.5, 1, 1.5, 8])
def test_dynamic(model, longer):
    text = int(longer * model["length"])
    own = {"scale": max(1.0, longer), "factor": float(model["scale"])}
    compare(dynamic_ntk, own, "dynamic", {}, **model, maximum=model["length"], text=text)


@everywhere
def test_longrope(model):
    factors = linear_factors(model["head_dim"] // 2, 1.5 * model["scale"])
    named = {"long_factor": factors.tolist(), "short_factor": [1.0] * len(factors), ORIGINAL: model["length"]}
    own = {**target(model), "long_factors": factors}
    compare(longrope, own, "longrope", named, **model, text=model["scale"] * model["length"])


@each("target", [64, 65])
@each("explicit", [None, 1.25])
def test_longrope_with_both_lists(target, explicit):
    short, long = [0.9978, *[1.05] * 7], [0.9978, *[1.5 * i for i in range(1, 8)]]
    named = {"long_factor": long, "short_factor": short, ORIGINAL: 64}
    named |= {"attention_factor": explicit} if explicit else {}
    own = {"scale": target / 64, "factor": 4, "long_factors": long, "short_factors": short, "attention": explicit}
    compare(longrope, own, "longrope", named, head_dim=16, base=1e4, length=64, scale=4, text=target)


LLAMA = {"head_dim": 128, "base": 5e5, "length": 8192}


@each("explicit", [None, 1.25])
@each(("mscale", "mscale_all_dim"), [(None, None), (1.0, 0.5), (0.707, 0.707)])
def test_yarn_with_attention_factors(explicit, mscale, mscale_all_dim):
    mscales = {} if mscale is None else {"mscale": mscale, "mscale_all_dim": mscale_all_dim}
    named = {ORIGINAL: 4096, **mscales, **({"attention_factor": explicit} if explicit else {})}
    own = {"scale": 40, **mscales, "attention": explicit}
    compare(yarn, own, "yarn", named, head_dim=64, base=1e4, length=4096, scale=40, rtol=IN_FLOAT32)


def test_the_factor_and_not_the_claimed_length_of_llama_3_1():
    named = {ORIGINAL: 8192, **ends(1.0, 4.0)}
    compare(llama3, {"scale": 8}, "llama3", named, **LLAMA, scale=8, maximum=131_072, rtol=IN_FLOAT32)


def test_llama3_without_a_blend():
    own, named = {"scale": 16, "low": 1, "high": 1}, {ORIGINAL: 8192, **ends(1.0, 1.0)}
    compare(llama3, own, "llama3", named, **LLAMA, scale=16, maximum=262_144)
