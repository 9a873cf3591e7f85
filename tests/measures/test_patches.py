import cmath
import math

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


@given(grids, bases, directions)
def test_similarities_are_sums_over_the_axes_that_a_code_knows(patches, base, direction):
    """Rows and columns, the distance in the line, shares of the image (DETR), or two perpendicular directions."""
    axis, line = ([base ** (-step * i / DIM) for i in range(DIM // step)] for step in (4, 2))
    places = [complex(row, column) for row, column in patches.places.tolist()]
    down, across = (2 * math.pi / (side + 1e-6) for side in (patches.n_rows, patches.n_columns))
    shares = [complex(down * place.real, across * place.imag) for place in places]

    def of_axes(apart):
        return (kernel(apart.real, axis) + kernel(apart.imag, axis)) / 2

    formulas = {
        "mae": lambda m, n: of_axes(places[m] - places[n]),
        "axial": lambda m, n: of_axes(places[m] - places[n]),
        "flat": lambda m, n: kernel(m - n, line),
        "detr": lambda m, n: of_axes(shares[m] - shares[n]),
        "mixed": lambda m, n: of_axes((places[m] - places[n]) / cmath.exp(1j * direction)),
    }
    for key, value in formulas.items():
        codes = PATCH_CODES[key].codes(patches, base, direction)
        found = torch.stack([similarity(codes, patch) for patch in range(len(codes))])
        expected = [[value(m, n) for n in range(len(places))] for m in range(len(places))]
        assert_close(found, torch.tensor(expected, dtype=torch.float64), atol=1e-12, rtol=0)


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
