"""Every encoding in the types that models compute in, against itself in float64, in which it is held against loops."""

import copy
from dataclasses import replace

import pytest
import torch

from pe_core.encodings import ENCODINGS, Shape
from tests.cases import each
from tests.strategies import built, normal

F64 = torch.float64
SHAPE = Shape(d_model=32, n_heads=4, train_length=16, max_length=5024)
N_LAYERS = 4  # of the patterns that differ by layer
TEXTS = (torch.arange(64), torch.arange(40).flip(0), 5000 + torch.arange(24))  # far out an angle needs float64
FAR = torch.tensor([8100, 8130, 8150, *range(8184, 8192)])  # of the last ones half precision makes one number


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
    for one, other in zip(results(half, kind, kind, [FAR]), results(double, kind, F64, [FAR]), strict=True):
        assert one.dtype == kind
        torch.testing.assert_close(one.double(), other, rtol=tolerance, atol=tolerance)
