import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.measures.patches import DIM, PATCH_CODES, Patches, depends_on, nearer_than, similarity
from tests.cases import each
from tests.strategies import bases

sides = st.integers(2, 6)
directions = st.floats(0, math.pi / 2)
grids = st.builds(Patches, sides, sides)


def kernel(distance, frequencies):
    return sum(math.cos(distance * frequency) for frequency in frequencies) / len(frequencies)


def two_axes(patches, base):
    """Similarity of every two patches under the 2-D sinusoid, as loops over the formula, shape (T, T)."""
    ladder = [base ** (-4 * j / DIM) for j in range(DIM // 4)]
    places = [(row, column) for row in range(patches.n_rows) for column in range(patches.n_columns)]
    rows = [[(kernel(a - c, ladder) + kernel(b - d, ladder)) / 2 for c, d in places] for a, b in places]
    return torch.tensor(rows, dtype=torch.float64)


def table(key, patches, base, direction=0.3):
    codes = PATCH_CODES[key].codes(patches, base, direction)
    return torch.stack([similarity(codes, patch) for patch in range(len(codes))])


@given(grids, bases)
def test_sinusoid_and_axial_rope_are_the_same_sum_over_two_axes(patches, base):
    expected = two_axes(patches, base)
    assert_close(table("mae", patches, base), expected, atol=1e-12, rtol=0)
    assert_close(table("axial", patches, base), expected, atol=1e-12, rtol=0)


@given(grids, bases)
def test_the_plain_index_knows_the_distance_in_the_line_only(patches, base):
    found = table("flat", patches, base)
    ladder = [base ** (-2 * i / DIM) for i in range(DIM // 2)]
    for m in range(len(found)):
        for n in range(len(found)):
            assert found[m, n].item() == pytest.approx(kernel(m - n, ladder), abs=1e-12)


@given(grids, bases)
def test_detr_counts_in_shares_of_the_image(patches, base):
    found = table("detr", patches, base)
    ladder = [base ** (-4 * j / DIM) for j in range(DIM // 4)]
    down, across = (2 * math.pi / (side + 1e-6) for side in (patches.n_rows, patches.n_columns))
    for n, (row, column) in enumerate(patches.places.tolist()):
        expected = (kernel(down * row, ladder) + kernel(across * column, ladder)) / 2
        assert found[0, n].item() == pytest.approx(expected, abs=1e-12)


@given(grids, bases, directions)
def test_a_head_of_mixed_rope_looks_along_two_perpendicular_directions(patches, base, direction):
    found = table("mixed", patches, base, direction)
    ladder = [base ** (-4 * j / DIM) for j in range(DIM // 4)]
    cosine, sine = math.cos(direction), math.sin(direction)
    for n, (row, column) in enumerate(patches.places.tolist()):
        along, across = row * cosine + column * sine, column * cosine - row * sine
        assert found[0, n].item() == pytest.approx((kernel(along, ladder) + kernel(across, ladder)) / 2, abs=1e-12)


def test_places_are_read_row_by_row():
    patches = Patches(2, 3)
    assert patches.places.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert patches.index(1, 2) == 5


def test_similarity_by_hand():
    codes = torch.tensor([[2.0, 0.0], [1.0, 1.0], [-2.0, 5.0]])
    assert similarity(codes, 0).tolist() == [1.0, 0.5, -1.0]
    assert similarity(codes, 1).tolist() == [1.0, 1.0, 1.5]


def test_rivals_are_more_alike_than_the_other_by_more_than_rounding():
    assert nearer_than(torch.tensor([1.0, 0.5, 0.7, 0.5 + 1e-12, 0.2]).double(), 0, 1) == 1
    assert nearer_than(torch.tensor([1.0, 0.5, 0.7]), 0, 2) == 0
    assert nearer_than(torch.tensor([1.0, 0.5, 0.7, 0.9]), 0, 1) == 2


@each(
    ("values", "axis"),
    [([1, 1, 1, 2, 2, 2], "row"), ([1, 2, 3, 1, 2, 3], "column"), ([1, 2, 3, 4, 5, 6], "both"), ([7] * 6, "neither")],
)
def test_which_coordinate_decides(values, axis):
    assert depends_on(torch.tensor(values).double(), Patches(2, 3)) == axis
