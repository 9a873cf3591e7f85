import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.sinusoidal import VARIANTS, Sinusoidal, angles, frequencies, shift_matrix, table, wavelengths
from tests.cases import each
from tests.strategies import bases, even_widths, offsets, real_positions, widths

F64 = torch.float64
VARIANT = st.sampled_from(VARIANTS)


def test_position_1_at_width_4():
    assert_close(table(torch.tensor([1]), 4), torch.tensor([[0.8415, 0.5403, 0.0100, 0.99995]]), atol=5e-5, rtol=0)


def test_position_0_is_all_zeros_and_ones():
    zero = torch.tensor([0])
    assert table(zero, 4).tolist() == [[0, 1, 0, 1]]
    assert table(zero, 4, variant="concatenated").tolist() == [[0, 0, 1, 1]]
    assert table(zero, 4, variant="tensor2tensor").tolist() == [[0, 0, 1, 1]]


def test_frequencies_at_width_8():
    assert_close(frequencies(8), torch.tensor([1, 0.1, 0.01, 0.001], dtype=F64))
    assert_close(frequencies(8, variant="concatenated"), frequencies(8))
    expected = torch.tensor([1, 10 ** (-4 / 3), 10 ** (-8 / 3), 1e-4], dtype=F64)  # 1, .0464, .00215, .0001
    assert_close(frequencies(8, variant="tensor2tensor"), expected)


def test_wavelengths_are_full_turns_in_positions():
    assert_close(wavelengths(frequencies(4)), torch.tensor([2 * math.pi, 200 * math.pi], dtype=F64))


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


@given(real_positions, even_widths, bases, VARIANT)
def test_squared_norm_is_half_the_width(positions, dim, base, variant):
    squares = table(positions, dim, base=base, variant=variant, dtype=F64).square().sum(-1)
    assert_close(squares, torch.full_like(squares, dim / 2), atol=1e-12, rtol=1e-12)


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


@given(even_widths, bases, offsets, offsets)
def test_shift_matrices_compose_and_are_orthogonal(dim, base, a, b):
    one, other, both = (shift_matrix(k, dim, base=base) for k in (a, b, a + b))
    assert_close(one @ other, both, atol=1e-10, rtol=0)
    assert_close(one @ one.T, torch.eye(dim, dtype=F64), atol=1e-12, rtol=0)
    assert_close(shift_matrix(-a, dim, base=base), one.T, atol=1e-12, rtol=0)


@given(widths, bases, st.integers(1, 20), st.integers(0, 20))
def test_a_longer_table_starts_with_the_shorter_one(dim, base, length, more):
    longer = table(torch.arange(length + more), dim, base=base, dtype=F64)
    assert_close(longer[:length], table(torch.arange(length), dim, base=base, dtype=F64), atol=1e-14, rtol=0)


@given(widths, bases, VARIANT)
def test_frequencies_fall_from_1(dim, base, variant):
    ladder = frequencies(dim, base, variant=variant)
    assert len(ladder) == (dim // 2 if variant == "tensor2tensor" else (dim + 1) // 2)
    assert (ladder[:1] == 1).all()
    assert (ladder.diff() <= 0).all()
    if variant == "tensor2tensor" and dim >= 4:
        assert_close(ladder[-1].item(), 1 / base)


@given(even_widths, real_positions)
def test_paper_and_concatenated_differ_by_the_order_of_channels_only(dim, positions):
    paper = table(positions, dim)
    assert torch.equal(table(positions, dim, variant="concatenated"), torch.cat([paper[:, 0::2], paper[:, 1::2]], 1))


@pytest.mark.parametrize("variant", VARIANTS)
def test_angles_are_exact_at_position_16383_in_float32(variant):
    numbers = table(torch.arange(16_384), 6, variant=variant)
    assert numbers.shape == (16_384, 6)
    expected = [entry(16_383, channel, 6, 10_000.0, variant) for channel in range(6)]
    assert_close(numbers[-1], torch.tensor(expected), atol=1e-7, rtol=0)


@each("variant", VARIANTS)
@each("dim", [1, 3, 7])
@each("base", [1.0, 1e9])
def test_odd_widths_and_extreme_bases_stay_within_1(variant, dim, base):
    numbers = table(torch.tensor([0, 1, 8191, 16_383]), dim, base=base, variant=variant)
    assert numbers.shape == (4, dim)
    assert (numbers.abs() <= 1).all()


def test_base_1_turns_all_pairs_alike():
    assert table(torch.tensor([2]), 6, base=1.0).unique().numel() == 2  # one sine, one cosine


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_inputs_at_position_8191(dtype):
    positions = torch.arange(8100, 8192)
    moved = Sinusoidal(base=10_000.0, variant="paper").embed(torch.zeros(1, 92, 6, dtype=dtype), positions)
    assert moved.dtype == dtype
    assert torch.equal(moved[0], table(positions, 6, dtype=F64).to(dtype))


def test_a_row_depends_on_its_position_and_not_on_its_place():
    positions = torch.tensor([7, 0, 7, 3])
    assert_close(table(positions, 8), table(torch.arange(8), 8)[positions])


def test_angles_are_position_times_frequency():
    product = angles(torch.tensor([2, 0.5]), torch.tensor([1.0, 0.25]))
    assert product.dtype == F64
    assert product.tolist() == [[2, 0.5], [0.5, 0.125]]


def test_embed_adds_the_table_to_the_root_of_the_width_times_the_embedding(x):
    positions = torch.tensor([4, 0, 100, 9, 2])
    moved = Sinusoidal(base=50.0, variant="concatenated").embed(x, positions)
    added = moved - math.sqrt(8) * x
    assert_close(added, table(positions, 8, base=50.0, variant="concatenated", dtype=F64).expand(2, 5, 8))


def test_base_and_variant_change_the_embedding(x):
    def moved(base, variant):
        return Sinusoidal(base=base, variant=variant).embed(x, torch.arange(5))

    results = [moved(10_000.0, "paper"), moved(100.0, "paper")]
    results += [moved(10_000.0, "concatenated"), moved(10_000.0, "tensor2tensor")]
    for i, one in enumerate(results):
        assert all(not torch.allclose(one, other) for other in results[:i])


def test_dtype_is_the_type_of_the_table():
    assert table(torch.arange(2), 4).dtype == torch.float32
    assert table(torch.arange(2), 4, dtype=torch.float16).dtype == torch.float16


@each(
    ("call", "message"),
    [
        (lambda: frequencies(0), "dim must be at least 1, got 0"),
        (lambda: frequencies(4, 0.5), "base must be at least 1, got 0.5"),
        (lambda: frequencies(4, math.nan), "base must be at least 1, got nan"),
        (lambda: frequencies(4, variant="bert"), "variant must be one of paper, concatenated, tensor2tensor, got bert"),
        (lambda: table(torch.arange(2), 0), "dim must be at least 1, got 0"),
        (lambda: shift_matrix(1, 5), "dim must be even, so that every sine has its cosine, got 5"),
        (lambda: shift_matrix(1, 4, base=0.0), "base must be at least 1, got 0.0"),
        (
            lambda: ENCODINGS["sinusoidal"].build(Shape(8, 2, 4, 8), {"variant": "bert"}),
            "variant must be one of paper, concatenated, tensor2tensor, got bert",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
