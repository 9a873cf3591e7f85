"""Heatmaps: they carry the numbers of pe_core, their specs stay, and Vega can draw them."""

import io
import math

import numpy as np
import pytest
import torch
import vl_convert
from PIL import Image

from pe_core.encodings import alibi, sinusoidal
from pe_core.figures import heatmap, image
from pe_core.figures.looks.palette import DIVERGING, lookup_table
from pe_core.parameters import Parameter
from tests.cases import each

AXES = {"rows": "Position", "columns": "Channel", "title": "Value"}


def table(length, dim, base=10_000.0):
    return sinusoidal.table(torch.arange(length), dim, base=base, dtype=torch.float64)


def figures(base, length):
    return {
        "cells": heatmap.heatmap(table(length, 16, base), **AXES),
        "picture": heatmap.picture(table(length, 16, base), **AXES, selection="part"),
    }


@pytest.mark.parametrize("name", figures(10.0, 9))
def test_a_slider_changes_the_frames_and_never_the_spec(name):
    one, other = figures(10.0, 9)[name], figures(1_000.0, 12)[name]
    assert one.spec == other.spec
    assert any(not one.frames[key].equals(other.frames[key]) for key in one.frames)


@pytest.mark.parametrize("name", figures(10.0, 9))
def test_vega_draws_it(name):
    png = vl_convert.vegalite_to_png({**figures(10.0, 9)[name].standalone(), "width": 300, "height": 200})
    colours = Image.open(io.BytesIO(png)).convert("RGB").getcolors(maxcolors=100_000)
    assert len(colours) > 10


def test_cells_hold_the_table():
    frame = heatmap.heatmap(table(5, 3), **AXES, first_row=10, first_column=2).frames["table"]
    assert frame.pivot(index="row", columns="column", values="value").to_numpy() == pytest.approx(table(5, 3).numpy())
    assert (frame.row.min(), frame.column.min(), frame.top.min(), frame.right.max()) == (10, 2, 9.5, 4.5)


@pytest.mark.parametrize(("rows", "columns", "image"), [(64, 64, False), (65, 2, True), (2, 65, True)])
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


def test_the_limit_sets_the_ends_of_the_colours():
    assert image.png(torch.tensor([[2.0]]), 2.0) == image.png(torch.tensor([[9.0]]), 2.0)
    assert image.png(torch.tensor([[2.0]]), 2.0) != image.png(torch.tensor([[2.0]]), 4.0)


def test_the_colours_run_from_end_to_end():
    colours = lookup_table()
    assert colours.shape == (256, 3)
    assert ["#" + bytes(colours[i]).hex().upper() for i in (0, 255)] == [DIVERGING[0], DIVERGING[-1]]


@pytest.mark.parametrize(
    ("centre", "size", "length", "expected"),
    [(0, 16, 64, (0, 16)), (31.5, 16, 64, (24, 40)), (63, 16, 64, (48, 64)), (2, 16, 5, (0, 5)), (0, 16, 1, (0, 1))],
)
def test_a_part_lies_around_its_centre_and_inside(centre, size, length, expected):
    part = heatmap.part_around(centre, size, length)
    assert (part.start, part.stop) == expected


def test_only_a_named_selection_can_be_dragged():
    for draw in (heatmap.heatmap, heatmap.picture):
        assert "part" in [parameter["name"] for parameter in draw(table(3, 3), **AXES, selection="part").spec["params"]]
        assert "params" not in draw(table(3, 3), **AXES).spec


def test_a_part_keeps_its_indices_as_cells_and_as_a_picture():
    for rows in (16, 100):
        frame = heatmap.heatmap(table(rows, 3), **AXES, first_row=7, first_column=5).frames["table"]
        assert (frame.top.min(), frame.bottom.max()) == (6.5, 6.5 + rows)
        assert (frame.left.min(), frame.right.max()) == (4.5, 7.5)


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (3, 70)])
@pytest.mark.parametrize("draw", [heatmap.heatmap, heatmap.picture])
def test_the_file_of_a_heatmap_has_a_line_for_each_row(draw, rows, columns):
    figure = draw(table(rows, columns), **AXES, first_row=7, first_column=5)
    numbers = figure.tables()["table"]
    assert list(numbers) == ["Position", *(f"Channel {5 + column}" for column in range(columns))]
    assert numbers.Position.tolist() == [7, 8, 9]
    assert numbers.drop(columns="Position").to_numpy().tolist() == table(rows, columns).tolist()
    assert figure.csv().startswith("Position,Channel 5,Channel 6")


def test_the_heads_of_a_file_are_the_words_of_the_axes():
    numbers = heatmap.number_frame(torch.eye(2), rows="Channel of PE(p + k)", columns="Channel of PE(p)")
    assert list(numbers) == ["Channel of PE(p + k)", "Channel of PE(p) 0", "Channel of PE(p) 1"]


def test_a_number_that_is_none_is_an_empty_cell_in_the_file():
    values = torch.tensor([[0.5, torch.nan]])
    assert heatmap.heatmap(values, rows="Query", columns="Key", title="Score").csv() == "Query,Key 0,Key 1\n0,0.5,\n"


@each(("largest", "limit"), [(0, 1e-4), (1, 1), (1.01, 2), (2, 2), (4.9, 5), (-7, 10), (0.03, 0.05), (1e300, 1e9)])
def test_the_end_of_the_scale_is_the_next_round_number(largest, limit):
    values = torch.tensor([0.0, largest, -math.inf], dtype=torch.float64)
    assert heatmap.limit_of(values) == pytest.approx(limit, rel=1e-12)


def test_a_table_without_a_finite_number_has_a_scale():
    assert heatmap.limit_of(torch.tensor([math.inf, math.nan])) == heatmap.MIN_LIMIT


def test_hidden_cells_are_left_empty():
    scores = alibi.bias(torch.arange(5), 1)[0]
    table = heatmap.matrix(scores, rows="Query", columns="Key", title="Score").frames["table"]
    assert list(zip(table.row, table.column, strict=True)) == [(m, n) for m in range(5) for n in range(m + 1)]
    np.testing.assert_allclose(table.value, -(2.0**-8) * (table.row - table.column))


@pytest.mark.parametrize("length", [64, 65])
def test_above_64_cells_a_matrix_is_one_image(length):
    figure = heatmap.matrix(alibi.bias(torch.arange(length), 1)[0], rows="Query", columns="Key", title="Score")
    assert len(figure.frames["table"]) == (1 if length > 64 else 64 * 65 // 2)
    assert ("<image" in figure.svg()) == (length > 64)


def test_small_changes_keep_the_spec_of_a_matrix():
    values = torch.arange(12.0).view(3, 4) / 11
    first, second = (heatmap.matrix(values * top, rows="r", columns="c", title="t") for top in (0.9, 0.8))
    assert first.spec == second.spec


def test_the_numbers_of_a_large_matrix_are_behind_its_image():
    values = alibi.bias(torch.arange(66), 1)[0]
    figure = heatmap.matrix(values, rows="Query", columns="Key", title="Score")
    assert list(figure.behind) == ["table"]
    assert len(figure.frames["table"]) == 1
    np.testing.assert_allclose(figure.tables()["table"].to_numpy()[:, 1:], values)


def test_a_matrix_takes_its_scale_from_the_largest_number_it_is_to_show():
    figure = heatmap.matrix(
        torch.tensor([[0.0, -math.inf], [-3.0, 0.0]]), rows="Query", columns="Key", title="Bias", largest=11.5
    )
    assert figure.frames["table"].value.to_list() == [0, -3, 0]
    assert figure.spec["encoding"]["color"]["scale"]["domain"] == [-20, 20]


TABLE = torch.tensor([[0.1, -0.2], [0.3, 0.0], [0.0, 0.5]])


ONCE = Parameter("step", "Step", 7, "", choices=(7,))


def split(values, first, limit=1.0):
    names = {"rows": "Row", "columns": "Channel", "title": "Value", "limit": limit}
    looks = image.frame_of_looks([values], limit)
    return heatmap.split(values, first, "never trained", looks, **names, played=ONCE, now=7)


def test_an_image_holds_a_pixel_per_number_and_gives_the_numbers_behind_it():
    figure = split(TABLE, 2, 0.5)
    (row,) = figure.frames["table"].to_dict(orient="records")
    assert (row["left"], row["right"], row["top"], row["bottom"]) == (-0.5, 1.5, -0.5, 2.5)
    assert row["url"] == image.data_uri(TABLE, 0.5)
    assert figure.frames["mark"].place.to_list() == [1.5]
    behind = figure.tables()["table"]
    assert behind.Value.to_list() == pytest.approx([0.1, -0.2, 0.3, 0, 0, 0.5])
    assert behind.Row.to_list() == [0, 0, 1, 1, 2, 2]


def test_a_square_table_has_its_end_marked_on_both_sides():
    def rules(figure):
        return [layer for layer in figure.spec["layer"] if layer.get("mark", {}).get("type") == "rule"]

    assert len(rules(split(TABLE, 2))) == 1
    assert len(rules(split(TABLE @ TABLE.T, 2))) == 2


def test_the_spec_of_a_split_table_stays_and_its_line_is_named():
    assert split(TABLE, 2).spec is split(2 * TABLE, 1).spec
    assert ">never trained</text>" in split(TABLE, 2).svg()
