"""Bars, bands, tables of cells and points: numbers in their order, and what is left out or marked."""

import math

import pytest
import torch

from pe_core.figures import bands
from pe_core.figures.bands import BOTTOM, END, TOP, TRAINED, Band
from pe_core.figures.bars import MAX_NUMBERED, bars, changes
from pe_core.figures.curves import across, layered, upwards
from pe_core.figures.points import COMPLETE, Kind, points, rows_of, wavelengths
from tests.cases import each
from tests.figures.layers import layers

AXES = "Place", upwards("Value")
KINDS = (Kind("ring", "#111111", "diamond", 70, filled=False), Kind("dot", "#222222", size=20))
X, Y = torch.tensor([0.0, 1.0, 2.0]), torch.tensor([5.0, math.inf, 7.0])


def test_a_group_of_bars_has_one_for_each_name():
    figure = bars(["x", "y"], {"b": torch.tensor([1.0, 2.0]), "a": torch.tensor([-3.0, 4.0])}, *AXES)
    frame = figure.frames["bars"]
    assert frame.place.to_list() == ["x", "y", "x", "y"]
    assert frame.value.to_list() == [1, 2, -3, 4]
    assert frame.order.to_list() == [0, 0, 1, 1]
    assert frame.number.all()


@each(("more", "numbered"), [(0, True), (1, False)])
def test_bars_that_are_too_many_have_no_numbers_on_them(more, numbered):
    places = [str(place) for place in range(MAX_NUMBERED + more)]
    assert set(bars(places, {"a": torch.zeros(len(places))}, *AXES).frames["bars"].number) == {numbered}


def band(values, trained=(0.0,), name="one"):
    where, trained_where = torch.arange(len(values)), torch.arange(len(trained))
    doubles = torch.tensor(values, dtype=torch.float64), torch.tensor(trained, dtype=torch.float64)
    return Band(name, "a note", "#000000", where, doubles[0], trained_where, doubles[1], doubles[0] - 1, doubles[0] + 1)


def test_each_band_runs_from_its_highest_to_its_lowest_number():
    frames = bands.shapes([band([0.0, -4.0, -8.0]), band([1.0, 3.0], (-1.0,), "two")], 2).frames
    one, two = (frames["curves"][frames["curves"].system == name] for name in ("one", "two"))
    assert one.height.to_list() == pytest.approx([TOP, (TOP + BOTTOM) / 2, BOTTOM, TOP])
    assert two.height.to_list() == pytest.approx([1 + (TOP + BOTTOM) / 2, 1 + TOP, 1 + BOTTOM])
    assert one["query"].to_list() == [END, END, END, TRAINED]
    assert frames["zeros"].zero.to_list() == pytest.approx([TOP, 1 + TOP + (BOTTOM - TOP) * 3 / 4])


def test_a_band_of_zeros_is_drawn_and_equal_neighbours_make_steps():
    assert bands.shapes([band([0.0, 0.0])], 1).frames["curves"].height.to_list() == [TOP] * 3
    for values, steps in (([0.0, -1.0, -1.0], True), ([0.0, -1.0, -2.0], False)):
        assert set(bands.shapes([band(values)], 1).frames["curves"].steps) == {steps}


def test_bars_of_a_row_start_at_zero_and_end_at_their_number():
    frames = bands.bars({"a": torch.tensor([0.25, 1.0]), "b": torch.tensor([-3.0, 1.0])}).frames
    height = (frames["bars"].zero - frames["bars"].end).to_list()
    assert height[0] / height[1] == pytest.approx(0.25)
    assert height[2] / height[3] == pytest.approx(-3)
    assert frames["bands"].note.to_list() == ["sum 1.25", "sum −2"]


def test_each_word_stands_once_above_its_column_also_where_words_are_equal():
    frames = changes(["x", "y", "x"], (2, 0, 1), {"b": torch.zeros(3), "a": torch.ones(3)}).frames
    cells, above = frames["changes"], frames["words"]
    words, ways = above[:3], above[3:]
    assert words.word.to_list() == ["x", "y", "x"]
    assert ways.word.to_list() == ["1 → 2", "2 → 3", "3 → 1"]  # the other order begins with the third word
    assert ways.column.to_list() == words.column.to_list()
    assert words.column.is_unique
    assert cells[cells.row == 1].column.to_list() == words.column.to_list()
    assert words.row.max() < ways.row.min()
    assert ways.row.max() < cells.row.min()


def drawn(**changed):
    """Points of two kinds, one of them at no finite place."""
    rows = rows_of(X, Y, ["dot", "dot", "ring"])
    return layered(points(rows, KINDS, across("Pair"), upwards("Size"), kind="When", **changed))


def test_points_hold_the_numbers_and_their_kinds_and_what_is_not_finite_is_left_out():
    assert drawn().frames["points"].to_numpy().tolist() == [[0, 5, "dot"], [2, 7, "ring"]]


def test_a_line_without_a_name_below_the_points_is_not_in_the_legend():
    figure = drawn(under=("", X, X))
    (line,) = layers(figure, "under")
    assert "color" not in line["encoding"]
    assert layers(figure, "points")[0]["encoding"]["color"]["scale"]["domain"] == ["ring", "dot"]


def test_a_pair_whose_wavelength_is_the_length_completes_a_turn():
    frequency = torch.tensor([2 * math.pi / 64], dtype=torch.float64)
    assert wavelengths(frequency, 64).frames["points"].kind.to_list() == [COMPLETE]
