"""Small maps side by side: frames equal the numbers, and squares of a sequence do not meet."""

import re
from itertools import pairwise

import pytest
import torch
import vl_convert

from pe_core.encodings.mrope import Image, Text, Video
from pe_core.figures.grids import MAX_COLUMNS, MIN_GAP, Colours, grids, laid_out
from pe_core.measures.sequence import parse, size
from tests.cases import each

COLOURS = Colours("Value", (-1.0, 1.0), (-1.0, 0.0, 1.0))
PLACES = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]])
SEQUENCES = [
    "text 4, image 3x4, text 2, video 2x3x4, text 3",
    "text 29, image 1x1, image 24x15",
    "video 16x1x24, text 9",
    ", ".join(["image 5x10"] * 8),
]


def values(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def two_maps():
    first, second = values(0, 0.1, 0.2, 0.3, 0.4, 0.5), values(1, 2, 3, 4, 5, 6)
    return grids({"a": first, "b": second}, PLACES, colours=COLOURS, notes=["x", "y"], marked=4)


def test_every_number_is_a_square_at_its_place_and_the_marked_one_is_framed_in_every_map():
    frames = two_maps().frames
    cells = frames["cells"]
    assert cells.name.to_list() == ["a"] * 6 + ["b"] * 6
    assert cells["map"].to_list() == [0] * 6 + [1] * 6
    assert cells[["row", "column"]].to_numpy().tolist() == PLACES.tolist() * 2
    assert cells.value.to_list() == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 1, 2, 3, 4, 5, 6]
    assert (frames["words"][["n_maps", "n_rows", "n_columns"]] == [2, 3, 2]).all(axis=None)
    assert frames["marked"][["map", "row", "column"]].to_numpy().tolist() == [[0, 2, 0], [1, 2, 0]]


def drawn_height(figure, width):
    svg = vl_convert.vegalite_to_svg({**figure.standalone(), "width": width})
    return float(re.search(r'height="([0-9.]+)"', svg)[1])


@each(
    ("n_maps", "width", "more"),  # of height, on 40 more pixels of width
    [(4, 800, 10), (5, 800, 8), (4, 140, 40), (4, 300, 0), (1, 800, 0)],
)
def test_the_height_follows_the_width_up_to_a_limit(n_maps, width, more):
    maps = {str(number): values(0, 1, 2, 3, 4, 5) for number in range(n_maps)}
    figure = grids(maps, PLACES, colours=COLOURS, notes=[""] * n_maps, across=(5, 2))
    grown = drawn_height(figure, width + 40) - drawn_height(figure, width)
    assert grown == pytest.approx(more, abs=1)  # of whole pixels


@each("words", SEQUENCES)
def test_squares_of_a_sequence_do_not_meet(words):
    places, names = laid_out(parse(words))
    assert len(places) == sum(map(size, parse(words)))
    assert len({tuple(place) for place in places.tolist()}) == len(places)
    assert int(places.min()) >= 0
    assert int(places[:, 1].max()) < MAX_COLUMNS
    starts = sorted((row, column) for _, row, column in names)
    for (row, column), (next_row, next_column) in pairwise(starts):
        assert next_row > row + 1 or next_column > column + MIN_GAP
    above = {(row - 1, column) for _, row, column in names}  # where the names are written
    assert not above & {tuple(place) for place in places.tolist()}


def test_a_sequence_laid_out_by_hand():
    places, names = laid_out([Text(3), Image(2, 2), Video(2, 1, 2)])
    text, image = [[1, 0], [1, 1], [1, 2]], [[1, 4], [1, 5], [2, 4], [2, 5]]
    assert places.tolist() == text + image + [[1, 8], [1, 9], [1, 12], [1, 13]]
    assert [(name, column) for name, _, column in names] == [("text", 0), ("image", 4), ("frame 1", 8), ("frame 2", 12)]


def test_a_new_line_begins_where_there_is_no_room_and_below_the_tallest_part_before():
    places, _ = laid_out([Image(2, 20), Image(1, 12)])
    assert places[40:].tolist() == [[4, column] for column in range(12)]
    places, _ = laid_out([Image(5, 10), Text(3), Image(1, 20)])
    assert places[53].tolist() == [7, 0]
