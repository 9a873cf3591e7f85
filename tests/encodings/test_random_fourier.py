import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.random_fourier import draw, features
from tests.cases import each, refuses
from tests.strategies import normal, seeds

F64 = torch.float64
places = st.lists(st.floats(-20, 20), min_size=1, max_size=8).map(lambda values: torch.tensor(values, dtype=F64))
pair_counts = st.integers(0, 8)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def built(shape, params=None, seed=0):
    encoding = ENCODINGS["random_fourier"].build(shape, params)
    encoding.reset_parameters(seeded(seed))
    return encoding


def test_an_eighth_of_a_unit_by_hand():
    """B = 1, 2 and x = 1/8: an eighth of a turn and a quarter of one."""
    root = math.sqrt(0.5)
    found = features(torch.tensor([0.125]), torch.tensor([1.0, 2.0], dtype=F64), dtype=F64)
    assert_close(found, torch.tensor([[root, 0, root, 1]], dtype=F64), atol=1e-14, rtol=0)


@given(places, pair_counts, seeds)
def test_features_equal_the_definition(x, n_pairs, seed):
    turns = 10 * normal(seed, n_pairs)
    expected = [
        [f(2 * math.pi * turn * place) for f in (math.cos, math.sin) for turn in turns.tolist()] for place in x.tolist()
    ]
    found = features(x, turns, dtype=F64)
    assert found.shape == (len(x), 2 * n_pairs)
    assert_close(found, torch.tensor(expected, dtype=F64).view(found.shape), atol=1e-10, rtol=0)
    assert_close(features(x, turns), found.float(), atol=1e-7, rtol=0)  # angles are not rounded before the sine


@given(places, pair_counts, seeds, st.floats(-5, 5))
def test_products_follow_the_distance_alone(x, n_pairs, seed, shift):
    turns = normal(seed, n_pairs)
    codes, moved = features(x, turns, dtype=F64), features(x + shift, turns, dtype=F64)
    expected = sum(((x[:, None] - x) * 2 * math.pi * turn).cos() for turn in turns) + torch.zeros(len(x), len(x))
    assert_close(codes @ codes.T, expected.double(), atol=1e-9, rtol=0)
    assert_close(moved @ moved.T, codes @ codes.T, atol=1e-9, rtol=0)


def test_the_mean_product_is_a_bump_of_gauss():
    sigma, apart = 3.0, torch.linspace(0, 0.2, 9, dtype=F64)
    codes = features(apart, draw(100_000, sigma, seeded()), dtype=F64)
    expected = (-2 * (math.pi * sigma * apart) ** 2).exp()
    assert_close(codes @ codes[0] / 100_000, expected, atol=0.01, rtol=0)


def test_b_is_drawn_from_the_generator_and_not_learned():
    shape = Shape(9, 3, 4, 8)
    one, same, other = built(shape, seed=1), built(shape, seed=1), built(shape, seed=2)
    assert torch.equal(one.turns, same.turns)
    assert not torch.isclose(one.turns, other.turns).any()
    assert list(one.parameters()) == []
    assert_close(one.turns, 10 * torch.randn(4, generator=seeded(1), dtype=F64))
    added = one.embed(torch.zeros(1, 4, 9, dtype=F64), torch.arange(4))[0]
    assert_close(added[:, :8], features(torch.arange(4) / 4, one.turns, dtype=F64))
    assert (added[:, 8] == 0).all()


@each("dtype", [torch.bfloat16, torch.float64])
def test_a_cast_of_the_model_does_not_round_b(dtype):
    encoding, loaded = built(Shape(8, 2, 4, 8)), ENCODINGS["random_fourier"].build(Shape(8, 2, 4, 8))
    before = encoding.turns.clone()
    loaded.load_state_dict(encoding.to(dtype).state_dict())
    assert torch.equal(loaded.turns, before)


def test_errors():
    refuses(lambda: draw(-1, 1.0, seeded()), "n_pairs must be at least 0, got -1")
    refuses(lambda: draw(1, 0.0, seeded()), "sigma must be above 0 and finite, got 0.0")
