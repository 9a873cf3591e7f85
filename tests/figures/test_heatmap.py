"""Heatmaps: cells or one image, the ends of their colours, and the numbers in a file."""

import io
import math

import numpy as np
import pytest
import torch
from PIL import Image

from pe_core.encodings import alibi, sinusoidal
from pe_core.figures import heatmap, image
from pe_core.figures.looks.palette import DIVERGING
from tests.cases import each

AXES = {"rows": "Position", "columns": "Channel", "title": "Value"}
SCORES = {"rows": "Query", "columns": "Key", "title": "Score"}


def table(length, dim, base=10_000.0):
    return sinusoidal.table(torch.arange(length), dim, base=base, dtype=torch.float64)


@each(("rows", "columns", "image"), [(64, 64, False), (65, 2, True), (2, 65, True)])
def test_above_64_cells_a_side_a_heatmap_is_one_image(rows, columns, image):
    frame = heatmap.heatmap(table(rows, columns), **AXES).frames["table"]
    assert ("url" in frame) == image
    assert len(frame) == (1 if image else rows * columns)


def test_an_image_has_a_pixel_for_every_number_in_the_colour_of_its_value():
    values = torch.tensor([[-1.0, 0.0, 1.0], [0.5, 7.0, torch.nan]])
    picture = Image.open(io.BytesIO(image.png(values, 1.0)))
    assert picture.size == (3, 2)
    pixels = np.asarray(picture.convert("RGBA"))
    stops = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in DIVERGING]
    for place, stop in {(0, 0): 0, (0, 1): 4, (0, 2): 8, (1, 0): 6, (1, 1): 8}.items():
        assert np.abs(pixels[place][:3].astype(int) - stops[stop]).max() <= 4
    assert pixels[..., 3].tolist() == [[255, 255, 255], [255, 255, 0]]


@each(
    ("centre", "size", "length", "expected"),
    [(0, 16, 64, (0, 16)), (31.5, 16, 64, (24, 40)), (63, 16, 64, (48, 64)), (2, 16, 5, (0, 5)), (0, 16, 1, (0, 1))],
)
def test_a_part_lies_around_its_centre_and_inside(centre, size, length, expected):
    part = heatmap.part_around(centre, size, length)
    assert (part.start, part.stop) == expected


@each(("columns", "max_cells"), [(2, 64), (70, 64), (2, 0)])
def test_the_file_of_a_heatmap_has_a_line_for_each_row(columns, max_cells):
    figure = heatmap.heatmap(table(3, columns), **AXES, first_row=7, first_column=5, max_cells=max_cells)
    numbers = figure.tables()["table"]
    assert list(numbers) == ["Position", *(f"Channel {5 + column}" for column in range(columns))]
    assert numbers.Position.tolist() == [7, 8, 9]
    assert numbers.drop(columns="Position").to_numpy().tolist() == table(3, columns).tolist()
    unknown = heatmap.heatmap(torch.tensor([[0.5, torch.nan]]), **AXES)
    assert unknown.csv() == "Position,Channel 0,Channel 1\n0,0.5,\n"


LIMITS = {0: 1e-4, 1: 1, 1.01: 2, 2: 2, 4.9: 5, -7: 10, 0.03: 0.05, 1e300: 1e9}  # by the largest number


def test_the_end_of_the_scale_is_the_next_round_number():
    tables = {largest: torch.tensor([0.0, largest, -math.inf], dtype=torch.float64) for largest in LIMITS}
    found = {largest: heatmap.limit_of(table) for largest, table in tables.items()}
    assert found == pytest.approx(LIMITS, rel=1e-12)
    assert heatmap.limit_of(torch.tensor([math.inf, math.nan])) == heatmap.MIN_LIMIT


def test_hidden_cells_are_left_empty():
    scores = alibi.bias(torch.arange(5), 1)[0]
    table = heatmap.matrix(scores, **SCORES, among=scores).frames["table"]
    assert list(zip(table.row, table.column, strict=True)) == [(m, n) for m in range(5) for n in range(m + 1)]
    np.testing.assert_allclose(table.value, -(2.0**-8) * (table.row - table.column))


def test_the_numbers_of_a_large_matrix_are_behind_its_image():
    values = alibi.bias(torch.arange(66), 1)[0]
    figure = heatmap.matrix(values, **SCORES, among=values)
    assert list(figure.behind) == ["table"]
    assert len(figure.frames["table"]) == 1
    np.testing.assert_allclose(figure.tables()["table"].to_numpy()[:, 1:], values)


@each(
    ("among", "ends"),
    [
        ([-11.5, 0.0, -math.inf], [-15, 0]),
        ([11.5, 0.0], [0, 15]),
        ([-3.0, 11.5], [-15, 15]),
        ([-3.0], [-3, 0]),
        ([-3.1], [-4, 0]),
        ([0.0, math.nan], [-heatmap.MIN_LIMIT, heatmap.MIN_LIMIT]),
    ],
)
@each("length", [2, 65])
def test_a_matrix_takes_its_scale_from_all_numbers_that_it_stands_among(among, ends, length):
    values = torch.zeros(length, length)
    values[0, 1], values[1, 0] = -math.inf, among[0]
    figure = heatmap.matrix(values, **SCORES, among=torch.tensor(among))
    layers = figure.spec.get("layer", [figure.spec])
    [colour] = [one["encoding"]["color"] for one in layers if "color" in one.get("encoding", {})]
    assert colour["scale"]["domain"] == pytest.approx(ends)
    drawn = figure.frames["table"]
    if length == 2:
        assert drawn.value.to_list() == pytest.approx([0, among[0], 0])
    else:
        middle, limit = sum(ends) / 2, (ends[1] - ends[0]) / 2
        assert drawn.url[0] == image.data_uri(values - middle, limit)
