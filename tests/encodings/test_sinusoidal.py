"""Sinusoids of a position and of rows and columns, octaves (NeRF), drawn frequencies, and the time of diffusion."""

import math
from itertools import product

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, fourier, random_fourier, timestep
from pe_core.encodings.sincos_2d import detr_table, mae_table
from pe_core.encodings.sinusoidal import VARIANTS, Sinusoidal, frequencies, shift_matrix, table, wavelengths
from tests.cases import each, refuses
from tests.strategies import F64, bases, built, even_widths, initialised, normal, real_positions, seeds, widths

VARIANT = st.sampled_from(VARIANTS)


def test_rates_by_hand():
    assert_close(table(torch.tensor([1]), 4), torch.tensor([[0.8415, 0.5403, 0.0100, 0.99995]]), atol=5e-5, rtol=0)
    assert_close(frequencies(8), torch.tensor([1, 0.1, 0.01, 0.001], dtype=F64))
    assert_close(frequencies(8, variant="concatenated"), frequencies(8))
    expected = torch.tensor([1, 10 ** (-4 / 3), 10 ** (-8 / 3), 1e-4], dtype=F64)  # 1, .0464, .00215, .0001
    assert_close(frequencies(8, variant="tensor2tensor"), expected)
    assert_close(wavelengths(frequencies(4)), torch.tensor([2 * math.pi, 200 * math.pi], dtype=F64))  # full turns


def test_an_odd_width_ends_with_a_sine_or_a_zero():
    second = 10_000 ** (-2 / 3)
    paper, concatenated, padded = (table(torch.tensor([1]), 3, variant=v, dtype=F64)[0] for v in VARIANTS)
    assert_close(paper, torch.tensor([math.sin(1), math.cos(1), math.sin(second)], dtype=F64))
    assert_close(concatenated, torch.tensor([math.sin(1), math.sin(second), math.cos(1)], dtype=F64))
    assert_close(padded, torch.tensor([math.sin(1), math.cos(1), 0], dtype=F64))


def entry(position, channel, dim, base, variant):
    """One number of the table, from the definition."""
    if variant == "paper":
        wave = math.sin if channel % 2 == 0 else math.cos
        return wave(position * base ** (-2 * (channel // 2) / dim))
    n_sines = (dim + 1) // 2 if variant == "concatenated" else dim // 2
    wave, i = (math.sin, channel) if channel < n_sines else (math.cos, channel - n_sines)
    if variant == "concatenated":
        return wave(position * base ** (-2 * i / dim))
    if channel == 2 * n_sines:
        return 0.0
    return wave(position * base ** (-i / max(n_sines - 1, 1)))


@given(real_positions, widths, bases, VARIANT)
def test_table_equals_the_definition(positions, dim, base, variant):
    expected = [[entry(p, c, dim, base, variant) for c in range(dim)] for p in positions.tolist()]
    actual = table(positions, dim, base=base, variant=variant, dtype=F64)
    assert_close(actual, torch.tensor(expected, dtype=F64), atol=1e-10, rtol=0)


@given(real_positions, even_widths, bases, st.floats(-5000, 5000))
def test_the_shift_matrix_moves_every_position_by_its_offset(positions, dim, base, offset):
    moved = table(positions, dim, base=base, dtype=F64) @ shift_matrix(offset, dim, base=base).T
    assert_close(moved, table(positions + offset, dim, base=base, dtype=F64), atol=1e-10, rtol=0)


def test_embed_adds_the_table_to_the_root_of_the_width_times_the_embedding(x):
    positions = torch.tensor([4, 0, 100, 9, 2])
    moved = Sinusoidal(base=50.0, variant="concatenated").embed(x, positions)
    added = moved - math.sqrt(8) * x
    assert_close(added, table(positions, 8, base=50.0, variant="concatenated", dtype=F64).expand(2, 5, 8))


def test_errors():
    variants = "variant must be one of paper, concatenated, tensor2tensor, got bert"
    refuses(lambda: frequencies(0), "dim must be at least 1, got 0")
    refuses(lambda: frequencies(4, 0.5), "base must be at least 1, got 0.5")
    refuses(lambda: frequencies(4, math.nan), "base must be at least 1, got nan")
    refuses(lambda: frequencies(4, variant="bert"), variants)
    refuses(lambda: table(torch.arange(2), 0), "dim must be at least 1, got 0")
    refuses(lambda: shift_matrix(1, 5), "dim must be even, so that every sine has its cosine, got 5")
    refuses(lambda: shift_matrix(1, 4, base=0.0), "base must be at least 1, got 0.0")
    refuses(lambda: fourier.frequencies(-1), "n_octaves must be at least 0, got -1")
    refuses(lambda: random_fourier.draw(-1, 1.0, seeded()), "n_pairs must be at least 0, got -1")
    refuses(lambda: random_fourier.draw(1, 0.0, seeded()), "sigma must be above 0 and finite, got 0.0")
    refuses(lambda: timestep.frequencies(0), "dim must be at least 1, got 0")
    refuses(lambda: timestep.frequencies(8, 0.5), "base must be at least 1, got 0.5")
    refuses(lambda: timestep.frequencies(8, shift=1.5), "shift must be from 0 to 1, got 1.5")
    orders = "order must be one of sines first, cosines first, got flip"
    refuses(lambda: timestep.table(torch.arange(2), 8, order="flip"), orders)
    one, four = torch.tensor([0]), "be divisible by 4, sine and cosine of two coordinates, got"
    refuses(lambda: mae_table(one, one, 6), f"dim must {four} 6")
    refuses(lambda: detr_table(one, one, 10, height=1, width=1), f"dim must {four} 10")
    refuses(lambda: detr_table(one, one, 4, height=0, width=1), "height must be at least 1, got 0")
    refuses(lambda: detr_table(one, one, 4, height=1, width=-2), "width must be at least 1, got -2")
    refuses(lambda: mae_table(one, one, 4, base=0.5), "base must be at least 1, got 0.5")
    for key in KEYS:
        refuses(lambda key=key: ENCODINGS[key].build(Shape(6, 2, 4, 8)), f"d_model must {four} 6")


KEYS = ["sincos_2d_mae", "sincos_2d_detr"]
quarters = st.integers(1, 6).map(lambda n: 4 * n)
sides = st.integers(1, 6)


def raster(height, width):
    """Rows and columns of every place of a grid, row by row."""
    return torch.cartesian_prod(torch.arange(height), torch.arange(width)).unbind(-1)


def test_mae_at_width_8_has_sines_before_cosines():
    table = mae_table(torch.tensor([3]), torch.tensor([2]), 8, base=100.0, dtype=F64)
    column = [math.sin(2), math.sin(0.2), math.cos(2), math.cos(0.2)]
    row = [math.sin(3), math.sin(0.3), math.cos(3), math.cos(0.3)]
    assert_close(table, torch.tensor([[*column, *row]], dtype=F64))


def test_detr_puts_the_row_first_counts_from_1_and_divides_by_the_extent():
    table = detr_table(torch.tensor([0]), torch.tensor([2]), 4, height=4, width=4, dtype=F64)
    row, column = 2 * math.pi / 4.000001, 2 * math.pi * 3 / 4.000001
    expected = [math.sin(row), math.cos(row), math.sin(column), math.cos(column)]
    assert_close(table, torch.tensor([expected], dtype=F64), atol=1e-14, rtol=0)
    assert_close(table, torch.tensor([[1.0, 0, -1, 0]], dtype=F64), atol=1e-5, rtol=0)  # a quarter, three quarters


@given(sides, sides, quarters, bases)
def test_mae_equals_the_definition(height, width, dim, base):
    steps = [base ** (-4 * i / dim) for i in range(dim // 4)]
    expected = [
        [f(place * step) for place in (column, row) for f in (math.sin, math.cos) for step in steps]
        for row, column in product(range(height), range(width))
    ]
    table = mae_table(*raster(height, width), dim, base=base, dtype=F64)
    assert_close(table, torch.tensor(expected, dtype=F64), atol=1e-12, rtol=0)


@given(sides, sides, quarters, bases)
def test_detr_equals_the_definition(height, width, dim, base):
    def wave(count, extent, i):
        angle = 2 * math.pi * count / (extent + 1e-6) / base ** (2 * (i // 2) / (dim // 2))
        return math.cos(angle) if i % 2 else math.sin(angle)

    expected = [
        [wave(count, extent, i) for count, extent in ((row, height), (column, width)) for i in range(dim // 2)]
        for row, column in product(range(1, height + 1), range(1, width + 1))
    ]
    table = detr_table(*raster(height, width), dim, height=height, width=width, base=base, dtype=F64)
    assert_close(table, torch.tensor(expected, dtype=F64), atol=1e-12, rtol=0)


@each("positions", [torch.arange(5), torch.tensor([9, 0, 3, 3, 40])])
def test_the_modules_read_positions_row_by_row(x, positions):
    rows, columns, height = positions // 4, positions % 4, int(positions.max()) // 4 + 1
    mae, detr = (ENCODINGS[key].build(Shape(8, 2, 4, 8), {"grid_width": 4}) for key in KEYS)
    assert torch.equal(mae.embed(x, positions), x + mae_table(rows, columns, 8, dtype=F64))
    expected = detr_table(rows, columns, 8, height=height, width=4, dtype=F64)
    assert torch.equal(detr.embed(x, positions), x + expected)


@each("key", KEYS)
def test_no_tokens_are_ordinary(key):
    encoding = ENCODINGS[key].build(Shape(8, 2, 4, 8))
    assert encoding.embed(torch.zeros(1, 0, 8), torch.arange(0)).shape == (1, 0, 8)


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
