"""At the ends of what can be asked: a result of the right shape without NaN, or a sentence that names the value."""

import re

import pytest
import torch

from pe_core.encodings import ENCODINGS, Shape
from tests.cases import each
from tests.strategies import normal
from tests.test_contract import DIVIDES, WIDENS

RULE = re.compile(r"^[a-z_]+ must .+, got .+$")
FAR = 16_384
LONG = Shape(d_model=8, n_heads=2, train_length=64, max_length=FAR)

# What must divide the width of the one head: 2 where pairs of channels are turned.
DIVISOR = {key: 2 if spec.family == "rotary" else 1 for key, spec in ENCODINGS.items()}
DIVISOR |= dict.fromkeys(WIDENS, 1)  # a channel has its partner in what is added
DIVISOR |= {key: divisor for key, (_, divisor) in DIVIDES.items()}
WIDTHS = [(key, d_model) for key in ENCODINGS for d_model in (1, 2, 3, 4, 5, 8, 9, 15)]
WITH_BASE = [key for key, spec in ENCODINGS.items() if any(parameter.name == "base" for parameter in spec.parameters)]

every_encoding = each("key", ENCODINGS)


def built(key, shape, params=None):
    encoding = ENCODINGS[key].build(shape, params)
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    return encoding


def check(encoding, shape, positions, dtype=torch.float32):
    """Run every hook of both layers and see that nothing but -inf in a bias is not finite, and that shapes are kept."""
    length = len(positions)
    x = normal(0, 1, length, shape.d_model).to(dtype)
    q, k = normal(1, 2, 1, shape.n_heads, length, shape.head_dim).to(dtype)
    embedded = encoding.embed(x, positions)
    assert (embedded.shape, embedded.dtype) == (x.shape, dtype)
    assert embedded.isfinite().all()
    for layer in range(2):
        own = encoding.at_layer(layer)
        for turned in own.rotate(q, k, positions):
            assert (turned.shape[:-1], turned.dtype) == (q.shape[:-1], dtype)
            assert turned.isfinite().all()
        bias = own.bias(*own.rotate(q, k, positions), positions)
        if bias is not None:
            whole = bias.expand(1, shape.n_heads, length, length)
            assert whole.dtype == dtype
            assert not whole.isnan().any()
            assert (whole < torch.inf).all()
            assert whole.diagonal(dim1=-2, dim2=-1).isfinite().all()  # a query sees itself


@every_encoding
@each("dtype", [torch.float32, torch.bfloat16])
@each("position", [0, 63])
def test_one_position(key, dtype, position):
    shape = Shape(d_model=8, n_heads=2, train_length=64, max_length=64)
    check(built(key, shape).to(dtype), shape, torch.tensor([position]), dtype)


@each(("key", "d_model"), [(key, width) for key, width in WIDTHS if width % DIVISOR[key] == 0])
def test_one_head_of_any_width_that_fits(key, d_model):
    shape = Shape(d_model=d_model, n_heads=1, train_length=4, max_length=16)
    check(built(key, shape), shape, torch.arange(4))


@each(("key", "d_model"), [(key, width) for key, width in WIDTHS if width % DIVISOR[key]])
def test_a_width_that_does_not_fit_is_refused_with_a_sentence(key, d_model):
    with pytest.raises(ValueError, match=RULE) as refused:
        built(key, Shape(d_model=d_model, n_heads=1, train_length=4, max_length=16))
    assert str(refused.value).endswith(f", got {d_model}")


@every_encoding
@each("heads", [3, 5, 7])
def test_heads_that_are_no_power_of_two(key, heads):
    shape = Shape(d_model=4 * heads, n_heads=heads, train_length=4, max_length=16)
    check(built(key, shape), shape, torch.arange(4))


@every_encoding
@each("dtype", [torch.float32, torch.bfloat16])
def test_position_16_383(key, dtype):
    check(built(key, LONG).to(dtype), LONG, torch.arange(127, FAR, 128), dtype)


@every_encoding
def test_16_384_positions(key):
    encoding, positions = built(key, LONG), torch.arange(FAR)
    assert encoding.embed(torch.zeros(1, FAR, 8), positions).isfinite().all()
    q = normal(0, 1, 2, FAR, 4).float()
    assert all(turned.isfinite().all() for turned in encoding.rotate(q, q, positions))


@each("key", WITH_BASE)
@each("base", [1.0, 1e9])
@each("dtype", [torch.float32, torch.bfloat16])
def test_the_smallest_and_the_largest_base(key, base, dtype):
    check(built(key, LONG, {"base": base}).to(dtype), LONG, torch.arange(127, FAR, 128), dtype)


@every_encoding
def test_training_lengths_of_one_token(key):
    shape = Shape(d_model=8, n_heads=2, train_length=1, max_length=8)
    check(built(key, shape), shape, torch.arange(1))
