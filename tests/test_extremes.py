"""Every encoding at the ends of what can be asked, and in the types of models against itself in float64."""

import copy
import re
from dataclasses import replace

import pytest
import torch

from pe_core.encodings import ENCODINGS, Shape, rotary
from pe_core.rope_scaling import SCALINGS
from tests.cases import each
from tests.strategies import built, normal
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


def check(key, shape, positions, dtype=torch.float32, params=None):
    """Run every hook of both layers and see that nothing but -inf in a bias is not finite, and that shapes are kept."""
    encoding, length = built(key, shape, params).to(dtype), len(positions)
    x = normal(0, 1, length, shape.d_model).to(dtype)
    q, k = normal(1, 2, 1, shape.n_heads, length, shape.head_dim).to(dtype)
    embedded = encoding.embed(x, positions)
    assert (embedded.shape, embedded.dtype) == (x.shape, dtype)
    assert embedded.isfinite().all()
    width = WIDENS.get(key, (1,))[0] * shape.head_dim
    for layer in range(2):
        plain = encoding.at_layer(layer)
        assert all(turned.shape[-1] == width for turned in plain.rotate(q, k, positions))
        own = plain.reading(x)
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
@each("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@each(
    ("shape", "positions"),
    [
        (Shape(d_model=8, n_heads=2, train_length=64, max_length=64), torch.tensor([0])),
        (Shape(d_model=8, n_heads=2, train_length=64, max_length=64), torch.tensor([63])),
        (Shape(d_model=8, n_heads=2, train_length=1, max_length=8), torch.arange(1)),
        (Shape(d_model=12, n_heads=3, train_length=4, max_length=16), torch.arange(4)),  # no power of two
        (Shape(d_model=28, n_heads=7, train_length=4, max_length=16), torch.arange(4)),
        (LONG, torch.arange(127, FAR, 128)),
    ],
)
def test_shapes_and_positions(key, dtype, shape, positions):
    check(key, shape, positions, dtype)


@each(("key", "d_model"), [(key, width) for key, width in WIDTHS if width % DIVISOR[key] == 0])
def test_one_head_of_any_width_that_fits(key, d_model):
    shape = Shape(d_model=d_model, n_heads=1, train_length=4, max_length=16)
    check(key, shape, torch.arange(4))


@each(("key", "d_model"), [(key, width) for key, width in WIDTHS if width % DIVISOR[key]])
def test_a_width_that_does_not_fit_is_refused_with_a_sentence(key, d_model):
    name, _ = DIVIDES.get(key, ("head_dim", 2))
    with pytest.raises(ValueError, match=rf"^{name} must .+, got {d_model}$"):
        built(key, Shape(d_model=d_model, n_heads=1, train_length=4, max_length=16))


@each("key", WITH_BASE)
@each("base", [1.0, 1e9])
@each("dtype", [torch.float32, torch.bfloat16])
def test_the_smallest_and_the_largest_base(key, base, dtype):
    check(key, LONG, torch.arange(127, FAR, 128), dtype, {"base": base})


BASES = [1.0, 10_000.0, 1e9]
LENGTHS = [(1, 1), (1, FAR), (64, 1), (64, FAR), (FAR, FAR), (FAR, 2**20)]
CASES = [(key, head_dim, *lengths) for key in SCALINGS for head_dim in (2, 4, 6, 256) for lengths in LENGTHS]


def impossible(key, head_dim, train, target):
    """Whether a rule divides by something that is zero here, and so must refuse."""
    if key == "longrope":
        return train == 1 and target > train
    return key in {"ntk", "dynamic_ntk"} and head_dim == 2


@each("base", BASES)
@each(("key", "head_dim", "train", "target"), [case for case in CASES if not impossible(*case)])
def test_every_rule_gives_finite_frequencies(key, base, head_dim, train, target):
    frequencies = rotary.frequencies(head_dim, base)
    scaled = SCALINGS[key](frequencies, base=base, train_length=train, target_length=target)
    assert scaled.frequencies.shape == frequencies.shape
    assert scaled.frequencies.dtype == torch.float64
    assert scaled.frequencies.isfinite().all()
    assert (scaled.frequencies > 0).all()
    assert 0 < scaled.temperature <= 1


@each("base", BASES)
@each(("key", "head_dim", "train", "target"), [case for case in CASES if impossible(*case)])
def test_a_rule_that_would_divide_by_zero_says_what_must_be(key, base, head_dim, train, target):
    with pytest.raises(ValueError, match=RULE):
        SCALINGS[key](rotary.frequencies(head_dim, base), base=base, train_length=train, target_length=target)


F64 = torch.float64
SHAPE = Shape(d_model=32, n_heads=4, train_length=16, max_length=5024)
N_LAYERS = 4  # of the patterns that differ by layer
TEXTS = (torch.arange(64), torch.arange(40).flip(0), 5000 + torch.arange(24))  # far out an angle needs float64
FAR_OUT = torch.tensor([8100, 8130, 8150, *range(8184, 8192)])  # of the last ones half precision makes one number


def results(encoding, kind, dtype, texts):
    """What every hook of every layer gives for texts of normal numbers, a tensor after the other.

    The numbers are those that a tensor of the type `kind` can have, and are given as tensors of the type `dtype`.
    """
    found = []
    for place, positions in enumerate(texts):
        x = normal(place, 2, len(positions), SHAPE.d_model).to(kind).to(dtype)
        q, k = normal(place + 9, 2, 2, SHAPE.n_heads, len(positions), SHAPE.head_dim).to(kind).to(dtype)
        seen = torch.ones(len(positions), len(positions), dtype=torch.bool).tril()
        found.append(encoding.embed(x, positions))
        for layer in range(N_LAYERS):
            own = encoding.at_layer(layer).reading(x).seeing(seen)
            turned = own.rotate(q, k, positions)
            added = own.bias(*turned, positions)
            found += [*turned, torch.zeros(1, dtype=dtype) if added is None else added]
    return found


@torch.no_grad()
@pytest.mark.parametrize("key", ENCODINGS)
def test_float32_agrees_with_float64(key):
    single = built(key, SHAPE)
    double = copy.deepcopy(single).double()
    found, exact = (results(single, torch.float32, torch.float32, TEXTS), results(double, torch.float32, F64, TEXTS))
    for one, other in zip(found, exact, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5, check_dtype=False)


@torch.no_grad()
@each("key", ENCODINGS)
@each(("kind", "tolerance"), [(torch.bfloat16, 2.0**-4), (torch.float16, 2.0**-7)])
def test_half_precision_at_position_8191_agrees_with_float64_of_the_same_numbers(key, kind, tolerance):
    shape = replace(SHAPE, max_length=8192)
    half, double = built(key, shape).to(kind), built(key, shape).double()
    for exact, rounded in zip(double.parameters(), half.parameters(), strict=True):
        exact.copy_(rounded)  # what is learned alone: frequencies are not to be rounded
    for one, other in zip(results(half, kind, kind, [FAR_OUT]), results(double, kind, F64, [FAR_OUT]), strict=True):
        assert one.dtype == kind
        torch.testing.assert_close(one.double(), other, rtol=tolerance, atol=tolerance)
