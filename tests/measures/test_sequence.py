"""Scores along several axes: sequences of text, images and video, and patches of one image."""

import cmath
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import mrope
from pe_core.encodings.mrope import PROPORTIONS, Image, Text, Video
from pe_core.measures.patches import DIM, PATCH_CODES, Patches, depends_on, nearer_than, similarity
from pe_core.measures.sequence import MAX_PARTS, falls, next_id, parse, parts, plain_scores, scores, size
from tests.cases import each, refuses
from tests.strategies import bases

sides = st.integers(1, 5)
pieces = st.builds(Text, st.integers(1, 40)) | st.builds(Image, sides, sides) | st.builds(Video, sides, sides, sides)
sequences = st.lists(pieces, min_size=1, max_size=3).filter(lambda found: 2 <= sum(map(size, found)) <= 60)
allocations = st.sampled_from(list(PROPORTIONS))
SHORT = [Text(2), Image(2, 3), Text(1), Video(5, 2, 2)]


def words(piece):
    sides = (piece.n,) if isinstance(piece, Text) else (piece.height, piece.width)
    sides = (piece.frames, *sides) if isinstance(piece, Video) else sides
    return f"{type(piece).__name__} {'x'.join(map(str, sides))}"


def test_a_sequence_in_words_of_which_spaces_case_and_the_sign_of_times_do_not_matter():
    assert parse("text 4, image 3x4, text 2, video 2x3x4") == [Text(4), Image(3, 4), Text(2), Video(2, 3, 4)]
    assert parse("  TEXT   4 ,Image 3 × 4,, video 2X3x 4 ,") == [Text(4), Image(3, 4), Video(2, 3, 4)]


@given(sequences)
def test_what_is_written_is_read(found):
    assert parse(", ".join(map(words, found))) == found


RULE = "each part must be text n, image rows x columns, or video frames x rows x columns, got "


@each(
    ("text", "problem"),
    [
        ("", "sequence must have 1 to 8 parts, got 0"),
        (", ".join(["text 1"] * 9), "sequence must have 1 to 8 parts, got 9"),
        ("image 3", RULE + "image 3"),
        ("text -4", RULE + "text -4"),
        ("text 4 image 3x4", RULE + "text 4 image 3x4"),
        ("text ٤", RULE + "text ٤"),
        ("text 1234567", RULE + "text 1234567"),
        ("<script>" * 9, RULE + ("<script>" * 9)[:40] + " and more"),
        ("text 401", "a text must have 1 to 400 tokens, got text 401"),
        ("image 0x4", "each side of an image or a video must be from 1 to 24, got image 0x4"),
        ("video 2x25x4", "each side of an image or a video must be from 1 to 24, got video 2x25x4"),
        ("text 1", "sequence must have 2 to 400 tokens, got 1"),
        ("video 24x24x24", "sequence must have 2 to 400 tokens, got 13,824"),
    ],
)
def test_what_cannot_be_read_is_quoted(text, problem):
    refuses(lambda: parse(text), problem)


def test_the_largest_sequences_are_read():
    assert len(parse(", ".join(["image 5x10"] * MAX_PARTS))) == MAX_PARTS
    assert parse("text 400") == [Text(400)]


def test_parts_by_hand():
    found = [(part.kind, part.first, part.last, part.first_ids, part.last_ids) for part in parts(SHORT)]
    assert found == [
        ("text", 0, 1, (0, 0, 0), (1, 1, 1)),
        ("image", 2, 7, (2, 2, 2), (2, 3, 4)),
        ("text", 8, 8, (5, 5, 5), (5, 5, 5)),
        ("video", 9, 28, (6, 6, 6), (10, 7, 7)),
    ]


@each(("n_pieces", "following"), [(0, 0), (1, 2), (2, 5), (3, 6), (4, 11)])
def test_the_next_text_goes_on_after_the_largest_id(n_pieces, following):
    assert next_id(SHORT[:n_pieces]) == following


@given(sequences, bases, allocations, st.sampled_from([16, 32, 128]), st.integers(0, 59))
def test_scores_as_loops_over_the_formula(sequence, base, allocation, head_dim, token):
    ids = mrope.position_ids(sequence)
    token = min(token, len(ids) - 1)
    axes = mrope.sections(head_dim // 2, allocation).tolist()
    expected = []
    for other in ids.tolist():
        distances = [int(ids[token, axis]) - other[axis] for axis in axes]
        turns = [distance * base ** (-2 * pair / head_dim) for pair, distance in enumerate(distances)]
        expected.append(2 / head_dim * sum(map(math.cos, turns)))
    found = scores(ids, token, head_dim, base, allocation)
    assert_close(found, torch.tensor(expected, dtype=torch.float64), atol=1e-12, rtol=0)
    text = scores(mrope.position_ids([Text(len(ids))]), token, head_dim, base, allocation)  # alone it is plain RoPE
    assert_close(text, plain_scores(len(ids), token, head_dim, base), atol=1e-12, rtol=0)


@each("allocation", PROPORTIONS)
def test_falls_are_the_ones_next_to_a_token_in_a_video(allocation):
    ids = mrope.position_ids([Video(2, 2, 2)])  # the first token, and its neighbours at 4, 2 and 1
    found = 1 - scores(ids, 0, 128, 10_000.0, allocation)
    assert falls(128, 10_000.0, allocation) == pytest.approx([float(found[place]) for place in (4, 2, 1)], abs=1e-15)


directions = st.floats(0, math.pi / 2)
grids = st.builds(Patches, st.integers(2, 6), st.integers(2, 6))


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
