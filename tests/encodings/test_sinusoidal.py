import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.sinusoidal import VARIANTS, Sinusoidal, frequencies, shift_matrix, table, wavelengths
from tests.cases import refuses
from tests.strategies import bases, even_widths, offsets, real_positions, widths

F64 = torch.float64
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


@given(even_widths, bases, VARIANT, offsets, offsets)
def test_dot_products_depend_on_the_distance_only(dim, base, variant, start, distance):
    positions = torch.tensor([0, distance, start, start + distance, start - distance])
    zero, far, here, ahead, behind = table(positions, dim, base=base, variant=variant, dtype=F64)
    assert_close(here @ ahead, zero @ far, atol=1e-9, rtol=0)
    assert_close(here @ behind, zero @ far, atol=1e-9, rtol=0)  # no direction


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
