import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.fourier import Fourier, features, frequencies
from tests.cases import each, refuses

F64 = torch.float64
places = st.lists(st.floats(-20, 20), min_size=1, max_size=8).map(lambda values: torch.tensor(values, dtype=F64))
octaves = st.integers(0, 10)


def test_four_octaves_of_three_tenths():
    expected = [0.809017, 0.587785, 0.951057, -0.309017, -0.587785, -0.809017, 0.951057, 0.309017]
    assert_close(features(torch.tensor([0.3]), 4, dtype=F64)[0], torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


def test_half_a_turn_in_the_training_length():
    """Width 5, L = 4: x is 0, 1/4, 1/2, and of the three octaves two fit; the fifth channel stays as it is."""
    encoding, root = Fourier(n_octaves=3, span=4.0), math.sqrt(0.5)
    added = encoding.embed(torch.full((1, 3, 5), 10.0, dtype=F64), torch.arange(3))[0] - 10
    expected = [[0, 1, 0, 1, 0], [root, root, 1, 0, 0], [1, 0, 0, -1, 0]]
    assert_close(added, torch.tensor(expected, dtype=F64), atol=1e-14, rtol=0)


@given(places, octaves)
def test_features_equal_the_definition(x, n_octaves):
    expected = [
        [f(2**k * math.pi * place) for k in range(n_octaves) for f in (math.sin, math.cos)] for place in x.tolist()
    ]
    found = features(x, n_octaves, dtype=F64)
    assert found.shape == (len(x), 2 * n_octaves)
    assert_close(found, torch.tensor(expected, dtype=F64).view(found.shape), atol=1e-12, rtol=0)
    assert_close(features(x, n_octaves), found.float(), atol=1e-7, rtol=0)  # angles are not rounded before the sine


@given(places, octaves)
def test_every_code_has_the_same_norm_and_products_follow_the_distance(x, n_octaves):
    found = features(x, n_octaves, dtype=F64)
    apart = x[:, None] - x
    expected = sum((2**k * math.pi * apart).cos() for k in range(n_octaves))
    assert_close(found @ found.T, expected + torch.zeros_like(apart), atol=1e-9, rtol=0)


@each(("params", "n_octaves", "unit"), [({}, 6, 32), ({"octaves": 9, "span": 2.0}, 9, 64)])
def test_registry_parameters_reach_the_features(params, n_octaves, unit):
    encoding = ENCODINGS["fourier"].build(Shape(20, 2, 32, 64), params)
    added = encoding.embed(torch.zeros(1, 5, 20, dtype=F64), torch.arange(5))[0]
    assert torch.equal(added[:, : 2 * n_octaves], features(torch.arange(5).double() / unit, n_octaves, dtype=F64))
    assert (added[:, 2 * n_octaves :] == 0).all()


def test_errors():
    refuses(lambda: frequencies(-1), "n_octaves must be at least 0, got -1")
