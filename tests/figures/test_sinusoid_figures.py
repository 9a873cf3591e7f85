"""Figures of the sinusoid: they carry the numbers of pe_core, their specs stay, and Vega can draw them."""

import io

import numpy as np
import pytest
import torch
import vl_convert
from PIL import Image

from pe_core.encodings import sinusoidal
from pe_core.figures import clock, first_positions, heatmap, raster, similarity, waves
from pe_core.figures.palette import DIVERGING, lookup_table
from pe_core.measures.channels import channel

AXES = {"rows": "Position", "columns": "Channel", "title": "Value"}


def table(length, dim, base=10_000.0):
    return sinusoidal.table(torch.arange(length), dim, base=base, dtype=torch.float64)


def figures(base, length):
    omega = sinusoidal.frequencies(16, base)
    return {
        "cells": heatmap.heatmap(table(length, 16, base), **AXES),
        "picture": heatmap.picture(table(length, 16, base), **AXES, selection="part"),
        "clocks": clock.clocks(omega, [0, 3, 7]),
        "waves": waves.waves([channel(0, 16, base), channel(5, 16, base)], length),
        "wavelengths": waves.wavelengths(omega, length),
        "similarity": similarity.similarity(omega, length),
        "first positions": first_positions.first_positions([table(5, 4, base)] * 2, ["a", "b"], ["first", "second"]),
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
    image = Image.open(io.BytesIO(raster.png(values, 1.0)))
    assert image.size == (3, 2)
    pixels = np.asarray(image.convert("RGBA"))
    stops = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in DIVERGING]
    for place, stop in {(0, 0): 0, (0, 1): 4, (0, 2): 8, (1, 0): 6, (1, 1): 8}.items():
        assert np.abs(pixels[place][:3].astype(int) - stops[stop]).max() <= 4
    assert pixels[..., 3].tolist() == [[255, 255, 255], [255, 255, 0]]


def test_the_limit_sets_the_ends_of_the_colours():
    assert raster.png(torch.tensor([[2.0]]), 2.0) == raster.png(torch.tensor([[9.0]]), 2.0)
    assert raster.png(torch.tensor([[2.0]]), 2.0) != raster.png(torch.tensor([[2.0]]), 4.0)


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


def test_clocks_turn_by_the_frequencies_of_pe_core():
    omega = sinusoidal.frequencies(64)
    frame = clock.clocks(omega, [0, 5, 31]).frames["hands"]
    assert frame.frequency.tolist() == omega[[0, 5, 31]].tolist()
    assert frame.wavelength.tolist() == pytest.approx((2 * torch.pi / omega[[0, 5, 31]]).tolist())


def test_wavelengths_are_marked_by_the_length():
    frame = waves.wavelengths(sinusoidal.frequencies(8), 64).frames["pairs"]
    assert frame.turn.tolist() == ["a full turn"] * 2 + ["never a full turn"] * 2  # 6.3, 63, 628 and 6,283


def test_the_curve_of_similarity_is_even_and_1_at_0():
    frame = similarity.similarity(sinusoidal.frequencies(64), 32).frames["curve"]
    values = dict(zip(frame.distance, frame.similarity, strict=True))
    assert values[0] == 1
    assert all(values[k] == values[-k] for k in range(32))


def test_waves_run_through_their_dots():
    one = channel(5, 16, 10_000.0)
    frames = waves.waves([one, channel(2, 16, 10_000.0)], 20).frames
    dots = frames["dots"][frames["dots"].channel == "5"]
    assert dots.position.tolist() == list(range(20))
    assert dots.value.tolist() == pytest.approx(table(20, 16)[:, 5].tolist())
    curve = frames["curves"][frames["curves"].channel == "5"]
    assert curve.value.tolist() == pytest.approx(np.cos(curve.position * one.frequency).tolist())


def test_long_waves_are_marked_at_their_ends_and_sampled_finely_enough():
    frames = waves.waves([channel(0, 16, 10_000.0)], 512).frames
    assert frames["dots"].position.tolist() == [0, 511]
    assert frames["curves"].position.diff().max() < 2 * np.pi / 10


@pytest.mark.parametrize("length", [2, 6, 7, 64])
def test_the_steps_on_which_the_similarity_rises_are_marked_on_both_sides(length):
    frames = similarity.similarity(sinusoidal.frequencies(64), length).frames
    values = dict(zip(frames["curve"].distance, frames["curve"].similarity, strict=True))
    expected = {k for k in range(1, length) if values[k] > values[k - 1]}
    assert {abs(k) for k in frames["rising"].distance} - {0} == expected
    assert set(frames["first"].distance) == ({-6, 6} if length > 6 else {0})
    assert not any(frame.empty for frame in frames.values())


def test_first_positions_stand_at_sine_and_cosine():
    tables = [table(5, 4, 1.0), table(5, 4, 100.0)]
    points = first_positions.first_positions(tables, ["a", "b"], ["1", "2"]).frames["points"]
    last = points[(points.column == 1) & (points.row == 1) & (points.position == 4)].iloc[0]
    assert (last.sine, last.cosine) == pytest.approx((np.sin(0.4), np.cos(0.4)))
    assert len(points) == 2 * 2 * 5


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
    assert list(numbers) == ["position", *(f"channel_{5 + column}" for column in range(columns))]
    assert numbers.position.tolist() == [7, 8, 9]
    assert numbers.drop(columns="position").to_numpy().tolist() == table(rows, columns).tolist()
    assert figure.csv().startswith("position,channel_5,channel_6")


def test_the_headers_of_a_file_are_plain_words():
    numbers = heatmap.number_frame(torch.eye(2), rows="Channel of PE(p + k)", columns="Channel of PE(p)")
    assert list(numbers) == ["channel_of_pe_p_k", "channel_of_pe_p_0", "channel_of_pe_p_1"]


def test_a_number_that_is_none_is_an_empty_cell_in_the_file():
    values = torch.tensor([[0.5, torch.nan]])
    assert heatmap.heatmap(values, rows="Query", columns="Key", title="Score").csv() == "query,key_0,key_1\n0,0.5,\n"
