"""Sines and cosines of real places: octaves (NeRF), frequencies that are drawn, and the time of diffusion models."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, fourier, random_fourier, timestep
from tests.cases import each, refuses
from tests.strategies import bases, built, initialised, normal, real_positions, seeds, widths

F64 = torch.float64
places = st.lists(st.floats(-20, 20), min_size=1, max_size=8).map(lambda values: torch.tensor(values, dtype=F64))
octaves = st.integers(0, 10)
pair_counts = st.integers(0, 8)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_four_octaves_of_three_tenths():
    expected = [0.809017, 0.587785, 0.951057, -0.309017, -0.587785, -0.809017, 0.951057, 0.309017]
    found = fourier.features(torch.tensor([0.3]), 4, dtype=F64)[0]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


def test_half_a_turn_in_the_training_length():
    """Width 5, L = 4: x is 0, 1/4, 1/2, and of the three octaves two fit; the fifth channel gets nothing."""
    added, root = fourier.table(torch.arange(3), 5, n_octaves=3, span=4.0, dtype=F64), math.sqrt(0.5)
    expected = [[0, 1, 0, 1, 0], [root, root, 1, 0, 0], [1, 0, 0, -1, 0]]
    assert_close(added, torch.tensor(expected, dtype=F64), atol=1e-14, rtol=0)


def test_an_eighth_of_a_unit_by_hand():
    """B = 1, 2 and x = 1/8: an eighth of a turn and a quarter of one."""
    root = math.sqrt(0.5)
    found = random_fourier.features(torch.tensor([0.125]), torch.tensor([1.0, 2.0], dtype=F64), dtype=F64)
    assert_close(found, torch.tensor([[root, 0, root, 1]], dtype=F64), atol=1e-14, rtol=0)


@each(
    ("setting", "expected"),
    [
        ({}, [-0.544021, 0.447671, 0.021543, 0.001, -0.839072, 0.894198, 0.999768, 1]),
        (
            {"shift": 0.0, "order": "cosines first"},
            [-0.839072, 0.540302, 0.995004, 0.99995, -0.544021, 0.841471, 0.099833, 0.01],
        ),
    ],
)
def test_the_two_settings_in_use_at_time_10_and_width_8(setting, expected):
    found = timestep.table(torch.tensor([10]), 8, **setting, dtype=F64)[0]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


@given(places, octaves, pair_counts, seeds)
def test_features_equal_the_definition(x, n_octaves, n_pairs, seed):
    turns = 10 * normal(seed, n_pairs)
    in_octaves = [
        [f(2**k * math.pi * place) for k in range(n_octaves) for f in (math.sin, math.cos)] for place in x.tolist()
    ]
    drawn = [
        [f(2 * math.pi * turn * place) for f in (math.cos, math.sin) for turn in turns.tolist()] for place in x.tolist()
    ]
    for features, rates, expected in (
        (fourier.features, n_octaves, in_octaves),
        (random_fourier.features, turns, drawn),
    ):
        found = features(x, rates, dtype=F64)
        assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-10, rtol=0)
        assert_close(features(x, rates), found.float(), atol=1e-7, rtol=0)  # angles are not rounded before the sine


@given(real_positions, widths, bases, st.floats(0.01, 100), st.floats(0, 1), st.sampled_from(timestep.ORDERS))
def test_the_table_of_times_equals_the_definition(times, dim, base, scale, shift, order):
    h = dim // 2
    first, second = (math.sin, math.cos) if order == "sines first" else (math.cos, math.sin)
    expected = []
    for t in times.tolist():
        angle = [scale * t * base ** -(i / (h - shift) if i else 0) for i in range(h)]
        expected.append([*map(first, angle), *map(second, angle), *[0.0] * (dim % 2)])
    found = timestep.table(times, dim, base=base, scale=scale, shift=shift, order=order, dtype=F64)
    # An angle of 500,000 radians is known to some 1e-10.
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-8, rtol=0)


def test_the_mean_product_is_a_bump_of_gauss():
    sigma, apart = 3.0, torch.linspace(0, 0.2, 9, dtype=F64)
    codes = random_fourier.features(apart, random_fourier.draw(100_000, sigma, seeded()), dtype=F64)
    expected = (-2 * (math.pi * sigma * apart) ** 2).exp()
    assert_close(codes @ codes[0] / 100_000, expected, atol=0.01, rtol=0)


def test_b_is_drawn_from_the_generator_and_not_learned():
    encoding = built("random_fourier", Shape(9, 3, 4, 8), seed=1)
    assert list(encoding.parameters()) == []
    assert_close(encoding.turns, 10 * torch.randn(4, generator=seeded(1), dtype=F64))
    added = encoding.embed(torch.zeros(1, 4, 9, dtype=F64), torch.arange(4))[0]
    assert_close(added[:, :8], random_fourier.features(torch.arange(4) / 4, encoding.turns, dtype=F64))
    assert (added[:, 8] == 0).all()


@each("dtype", [torch.bfloat16, torch.float64])
def test_a_cast_of_the_model_does_not_round_b(dtype):
    spec, shape = ENCODINGS["random_fourier"], Shape(8, 2, 4, 8)
    encoding, loaded = initialised(spec.build(shape)), spec.build(shape)
    before = encoding.turns.clone()
    loaded.load_state_dict(encoding.to(dtype).state_dict())
    assert torch.equal(loaded.turns, before)


def test_errors():
    refuses(lambda: fourier.frequencies(-1), "n_octaves must be at least 0, got -1")
    refuses(lambda: random_fourier.draw(-1, 1.0, seeded()), "n_pairs must be at least 0, got -1")
    refuses(lambda: random_fourier.draw(1, 0.0, seeded()), "sigma must be above 0 and finite, got 0.0")
    refuses(lambda: timestep.frequencies(0), "dim must be at least 1, got 0")
    refuses(lambda: timestep.frequencies(8, 0.5), "base must be at least 1, got 0.5")
    refuses(lambda: timestep.frequencies(8, shift=1.5), "shift must be from 0 to 1, got 1.5")
    orders = "order must be one of sines first, cosines first, got flip"
    refuses(lambda: timestep.table(torch.arange(2), 8, order="flip"), orders)
