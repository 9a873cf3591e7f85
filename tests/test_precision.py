"""Every encoding in float32, in which models compute, against itself in float64, in which it is held against loops."""

import copy

import pytest
import torch

from pe_core.encodings import ENCODINGS, Shape
from tests.strategies import normal

SHAPE = Shape(d_model=32, n_heads=4, train_length=16, max_length=5024)
N_LAYERS = 4  # of the patterns that differ by layer
TEXTS = (torch.arange(64), torch.arange(40).flip(0), 5000 + torch.arange(24))  # far out an angle needs float64


def results(encoding, dtype):
    """What every hook of every layer gives for texts of normal numbers, a tensor after the other."""
    found = []
    for place, positions in enumerate(TEXTS):
        x = normal(place, 2, len(positions), SHAPE.d_model).float().to(dtype)  # the same numbers for both types
        q, k = normal(place + 9, 2, 2, SHAPE.n_heads, len(positions), SHAPE.head_dim).float().to(dtype)
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
    single = ENCODINGS[key].build(SHAPE)
    single.reset_parameters(torch.Generator().manual_seed(0))
    double = copy.deepcopy(single).double()
    for one, other in zip(results(single, torch.float32), results(double, torch.float64), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5, check_dtype=False)
