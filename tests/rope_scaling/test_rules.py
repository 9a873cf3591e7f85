"""What every rule of the registry promises, and how rules compose."""

from itertools import combinations, product

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, rotary
from pe_core.rope_scaling import SCALINGS
from tests.cases import each, refuses
from tests.strategies import extremes, normal

F64 = torch.float64
every_rule = each("key", SCALINGS)
head_dims = st.integers(2, 64).map(lambda pairs: 2 * pairs)
old_bases = st.floats(1, 500_000)  # not above the new base of `base_change`
train_lengths = st.integers(2, 8192)
scales = st.floats(1, 64)


def scaled(key, head_dim=64, base=10_000.0, train_length=4096, target_length=16_384, params=None):
    spec, frequencies = SCALINGS[key], rotary.frequencies(head_dim, base)
    return spec(frequencies, base=base, train_length=train_length, target_length=target_length, params=params)


@every_rule
@given(head_dims, st.floats(1, 1e9), train_lengths, st.floats(0, 1))
def test_a_text_no_longer_than_those_of_training_has_plain_rope(key, head_dim, base, train_length, part):
    result = scaled(key, head_dim, base, train_length, max(1, round(part * train_length)))
    assert_close(result.frequencies, rotary.frequencies(head_dim, base), rtol=1e-15, atol=0)
    assert result.temperature == 1


@every_rule
@given(head_dims, old_bases, train_lengths, scales)
def test_no_pair_gets_faster_and_their_order_stays(key, head_dim, base, train_length, scale):
    before = rotary.frequencies(head_dim, base)
    result = scaled(key, head_dim, base, train_length, round(scale * train_length))
    assert (result.frequencies.shape, result.frequencies.dtype) == (before.shape, F64)
    assert (result.frequencies > 0).all()
    assert (result.frequencies <= before * (1 + 1e-15)).all()
    assert (result.frequencies.diff() <= 1e-15).all()
    assert 0 < result.temperature <= 1


@every_rule
@given(st.integers(2, 2048), st.floats(1.1, 64), st.floats(1.1, 4))
def test_a_longer_text_slows_no_pair_less(key, train_length, scale, more):
    longer, shorter = (scaled(key, 32, 1e4, train_length, 1 + round(s * train_length)) for s in (scale * more, scale))
    assert (longer.frequencies <= shorter.frequencies * (1 + 1e-14)).all()
    assert longer.temperature <= shorter.temperature


@every_rule
def test_the_given_frequencies_are_left_alone(key):
    frequencies = rotary.frequencies(16)
    SCALINGS[key](frequencies, base=1e4, train_length=64, target_length=256)
    assert torch.equal(frequencies, rotary.frequencies(16))


def test_no_two_rules_give_the_same_at_the_lengths_of_the_app():
    for one, other in combinations(SCALINGS, 2):
        left, right = (scaled(key, 16, train_length=64, target_length=256) for key in (one, other))
        assert not torch.allclose(left.frequencies, right.frequencies, rtol=1e-3, atol=0), (one, other)


@every_rule
def test_every_parameter_changes_the_frequencies(key):
    default = scaled(key).frequencies
    for parameter in SCALINGS[key].parameters:
        for value in extremes(parameter):
            changed = scaled(key, params={parameter.name: value}).frequencies
            assert changed.isfinite().all()
            assert torch.allclose(changed, default, rtol=1e-6, atol=0) == (value == parameter.default)


@every_rule
@each("train_length", [1, 2, 4, 12, 64, 201, 8192])
def test_the_ends_of_all_ranges_go_together(key, train_length):
    parameters = SCALINGS[key].parameters
    target = 1 if train_length == 1 else 3 * train_length  # one token has no logarithm to divide by
    for values in product(*map(extremes, parameters)):
        params = {parameter.name: value for parameter, value in zip(parameters, values, strict=True)}
        result = scaled(key, 16, train_length=train_length, target_length=target, params=params)
        assert result.frequencies.isfinite().all()


@every_rule
@each(("name", "lengths"), [("train_length", (0, 4)), ("target_length", (4, 0))])
def test_lengths_below_1_are_rejected(key, name, lengths):
    refuses(lambda: scaled(key, 16, 1e4, *lengths), f"{name} must be at least 1, got 0")


SHAPE = Shape(d_model=16, n_heads=2, train_length=8, max_length=64)


@every_rule
@each(("made_for", "length", "target"), [("this text", 24, 24), ("longest text", 24, 64), ("this text", 8, 8)])
def test_rope_scaled_turns_by_the_frequencies_and_divides_by_the_temperature(key, made_for, length, target):
    """For a text as long as those of training it is plain RoPE."""
    (q, k), positions = normal(0, 2, 1, 2, length, 8), torch.arange(length)
    expected = scaled(key, 8, train_length=8, target_length=target)
    turned_q, turned_k = (rotary.rotate(x, positions, expected.frequencies, layout="half") for x in (q, k))
    encoding = ENCODINGS["rope_scaled"].build(SHAPE, {"scaling": key, "made_for": made_for, "layout": "half"})
    own_q, own_k = encoding.rotate(q, k, positions)
    assert_close(own_q @ own_k.mT, turned_q @ turned_k.mT / expected.temperature, rtol=1e-12, atol=1e-12)


@each(
    ("shape", "scaling", "message"),
    [
        (Shape(6, 2, 8, 64), "yarn", "head_dim must be even and at least 2, got 3"),
        (Shape(4, 2, 8, 64), "ntk", "head_dim must be at least 4, for d / (d - 2) is the exponent, got 2"),
        (Shape(8, 2, 1, 64), "longrope", "train_length must be at least 2: the rule divides by its logarithm, got 1"),
    ],
)
def test_rope_scaled_refuses_a_shape_when_it_is_built(shape, scaling, message):
    refuses(lambda: ENCODINGS["rope_scaled"].build(shape, {"scaling": scaling}), message)
