import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import Shape
from pe_core.encodings.rope_2d import axial_frequencies, mixed_frequencies, rotate, rotate_heads
from pe_core.encodings.rotary import LAYOUTS
from tests.cases import each, refuses
from tests.encodings.loops import turned
from tests.strategies import bases, built, normal, offsets, seeds

F64 = torch.float64
KEYS = ["rope_axial", "rope_mixed"]
SHAPE = Shape(d_model=16, n_heads=2, train_length=16, max_length=64)
quarters = st.integers(1, 6).map(lambda n: 4 * n)
directions = st.floats(0, 2 * math.pi)
LAYOUT = st.sampled_from(LAYOUTS)


def places(seed, n):
    """Coordinates of n random places, unsorted, shape (n, 2)."""
    return torch.randint(-50, 50, (n, 2), generator=torch.Generator().manual_seed(seed))


def test_a_quarter_turn_by_the_row_and_half_a_turn_by_the_column():
    x = torch.tensor([[1.0, 0, 1, 0]], dtype=F64)
    place = torch.tensor([[math.pi / 2, math.pi]], dtype=F64)
    assert_close(rotate(x, place, axial_frequencies(4)), torch.tensor([[0.0, 1, -1, 0]], dtype=F64))


def test_axial_frequencies_at_width_8_and_a_head_that_looks_along_the_diagonal():
    assert_close(axial_frequencies(8), torch.tensor([[1, 0.1, 0, 0], [0, 0, 1, 0.1]], dtype=F64))
    assert_close(axial_frequencies(8, 16.0), torch.tensor([[1, 0.25, 0, 0], [0, 0, 1, 0.25]], dtype=F64))
    half = math.sqrt(0.5)
    expected = [[[half, -half]], [[half, half]]]
    assert_close(mixed_frequencies(torch.tensor([math.pi / 4], dtype=F64), 4), torch.tensor(expected, dtype=F64))


@given(seeds, quarters, st.integers(1, 3), LAYOUT)
def test_rotate_equals_the_definition(seed, dim, n_axes, layout):
    x, coordinates, frequencies = normal(seed, 4, dim), 50 * normal(seed + 1, 4, n_axes), normal(seed, n_axes, dim // 2)
    expected = turned(x, lambda token, i: float(coordinates[token] @ frequencies[:, i]), layout)
    assert_close(rotate(x, coordinates, frequencies, layout=layout), expected, atol=1e-10, rtol=0)


@given(seeds, quarters, bases, directions, offsets, offsets)
def test_scores_depend_on_the_offset_in_rows_and_columns_only(seed, dim, base, direction, down, right):
    (q, k), here = normal(seed, 2, 4, dim), places(seed, 4)
    there = here + torch.tensor([down, right])
    mixed = mixed_frequencies(torch.tensor([direction], dtype=F64), dim, base)[:, 0]
    for frequencies in (axial_frequencies(dim, base), mixed):
        scores = [rotate(q, place, frequencies) @ rotate(k, place, frequencies).T for place in (here, there)]
        assert_close(*scores, atol=1e-9, rtol=0)


@given(quarters, bases, directions)
def test_a_direction_turns_both_halves_of_the_axial_frequencies(dim, base, direction):
    found = mixed_frequencies(torch.tensor([direction], dtype=F64), dim, base)[:, 0]
    cosine, sine = math.cos(direction), math.sin(direction)
    turn = torch.tensor([[cosine, -sine], [sine, cosine]], dtype=F64)  # perpendicular, as long as before
    assert_close(found, turn @ axial_frequencies(dim, base), atol=1e-14, rtol=1e-13)
    assert torch.equal(mixed_frequencies(torch.zeros(1), dim, base)[:, 0], axial_frequencies(dim, base))


@given(seeds, quarters, st.integers(1, 5))
def test_every_head_is_turned_by_its_own_frequencies(seed, dim, n_heads):
    x, frequencies, coordinates = normal(seed, 2, n_heads, 4, dim), normal(seed, 2, n_heads, dim // 2), places(seed, 4)
    expected = [rotate(x[:, head], coordinates, frequencies[:, head]) for head in range(n_heads)]
    assert_close(rotate_heads(x, coordinates, frequencies), torch.stack(expected, dim=1), atol=1e-13, rtol=0)


@each("positions", [torch.arange(6), torch.tensor([37, 0, 5, 5, 12, 3])])
@each("key", KEYS)
def test_the_modules_read_positions_row_by_row(key, positions):
    (q, k), encoding = normal(0, 2, 2, 2, 6, 8), built(key, SHAPE, {"grid_width": 4}).double()
    coordinates = torch.stack([positions // 4, positions % 4], dim=-1)
    for x, found in zip((q, k), encoding.rotate(q, k, positions), strict=True):
        if key == "rope_axial":
            assert torch.equal(found, rotate(x, coordinates, axial_frequencies(8)))
        else:
            assert torch.equal(found, rotate_heads(x, coordinates, encoding.frequencies))


def test_mixed_starts_as_axial_turned_by_a_direction_for_each_head():
    frequencies = built("rope_mixed", SHAPE, seed=3).double().frequencies
    drawn = 2 * math.pi * torch.rand(2, generator=torch.Generator().manual_seed(3))
    assert_close(frequencies, mixed_frequencies(drawn, 8).float().double())
    assert not torch.allclose(frequencies[:, 0], frequencies[:, 1])


def test_errors():
    four, two = "head_dim must be divisible by 4, pairs for two axes, got", "as frequencies (2), got"
    refuses(lambda: axial_frequencies(6), f"{four} 6")
    refuses(lambda: mixed_frequencies(torch.zeros(1), 0), f"{four} 0")
    refuses(lambda: axial_frequencies(8, 0.5), "base must be at least 1, got 0.5")
    frequencies = axial_frequencies(4)
    axes, channels = f"coordinates must have as many axes {two} 3", f"x must have twice as many channels {two} 8"
    refuses(lambda: rotate(torch.ones(1, 4), torch.zeros(1, 3), frequencies), axes)
    refuses(lambda: rotate(torch.ones(1, 8), torch.zeros(1, 2), frequencies), channels)
