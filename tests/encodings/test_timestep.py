import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, sinusoidal
from pe_core.encodings.timestep import ORDERS, frequencies, table
from tests.cases import each, refuses
from tests.strategies import bases, real_positions, widths

F64 = torch.float64
shifts, scales = st.floats(0, 1), st.floats(0.01, 100)


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
    found = table(torch.tensor([10]), 8, **setting, dtype=F64)[0]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


@given(real_positions, widths, bases, scales, shifts, st.sampled_from(ORDERS))
def test_the_table_equals_the_definition(times, dim, base, scale, shift, order):
    h = dim // 2
    first, second = (math.sin, math.cos) if order == "sines first" else (math.cos, math.sin)
    expected = []
    for t in times.tolist():
        angle = [scale * t * base ** -(i / (h - shift) if i else 0) for i in range(h)]
        expected.append([*map(first, angle), *map(second, angle), *[0.0] * (dim % 2)])
    found = table(times, dim, base=base, scale=scale, shift=shift, order=order, dtype=F64)
    # An angle of 500,000 radians is known to some 1e-10.
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-8, rtol=0)


@given(real_positions, st.integers(1, 12), bases)
def test_both_settings_are_layouts_of_the_sinusoidal_encoding(times, pairs, base):
    dim = 2 * pairs
    of_variant = {
        variant: sinusoidal.table(times, dim, base=base, variant=variant, dtype=F64)
        for variant in ("tensor2tensor", "concatenated")
    }
    flipped = table(times, dim, base=base, shift=0.0, order="cosines first", dtype=F64)
    assert_close(table(times, dim, base=base, dtype=F64), of_variant["tensor2tensor"], atol=1e-9, rtol=0)
    assert_close(flipped.roll(pairs, -1), of_variant["concatenated"], atol=1e-9, rtol=0)


def test_registry_parameters_reach_the_table():
    shape, times = Shape(8, 2, 16, 64), torch.tensor([0.0, 2.5, 40.0])
    for params in ({}, {"base": 50.0, "scale": 2.0, "shift": 0.5, "order": "cosines first"}):
        added = ENCODINGS["timestep"].build(shape, params).embed(torch.ones(1, 3, 8, dtype=F64), times)[0] - 1
        assert_close(added, table(times, 8, **params, dtype=F64), atol=1e-15, rtol=0)


def test_errors():
    refuses(lambda: frequencies(0), "dim must be at least 1, got 0")
    refuses(lambda: frequencies(8, 0.5), "base must be at least 1, got 0.5")
    refuses(lambda: frequencies(8, shift=1.5), "shift must be from 0 to 1, got 1.5")
    refuses(
        lambda: table(torch.arange(2), 8, order="flip"), "order must be one of sines first, cosines first, got flip"
    )
