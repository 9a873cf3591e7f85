"""Pictures of claims: rows are the numbers that were given, and the spec stays while they change."""

import pytest
import torch

from pe_core.figures.claims import MOST_NUMBERED, bars, lines
from pe_core.figures.extension import Axes

AXES = Axes("Place", "Value")


def test_a_line_has_a_point_for_each_number_and_lines_keep_their_order():
    where = torch.tensor([1.0, 2.0, 4.0])
    figure = lines(where, {"b": torch.tensor([0.0, 1.0, 2.0]), "a": torch.tensor([5.0, 4.0, 3.0])}, AXES)
    frame = figure.frames["lines"]
    assert frame.x.to_list() == [1, 2, 4] * 2
    assert frame.y.to_list() == [0, 1, 2, 5, 4, 3]
    assert frame.name.to_list() == ["b"] * 3 + ["a"] * 3
    assert frame.order.to_list() == [0] * 3 + [1] * 3


def test_a_line_that_is_level_but_for_rounding_is_level():
    figure = lines(torch.arange(2), {"a": torch.tensor([2.0, 2 - 4e-16], dtype=torch.float64)}, AXES)
    assert figure.frames["lines"].y.to_list() == [2, 2]


def test_a_group_of_bars_has_one_for_each_name():
    figure = bars(["x", "y"], {"b": torch.tensor([1.0, 2.0]), "a": torch.tensor([-3.0, 4.0])}, AXES)
    frame = figure.frames["bars"]
    assert frame.place.to_list() == ["x", "y", "x", "y"]
    assert frame.value.to_list() == [1, 2, -3, 4]
    assert frame.order.to_list() == [0, 0, 1, 1]
    assert frame.number.all()


def test_bars_that_are_too_many_have_no_numbers_on_them():
    places = [str(place) for place in range(MOST_NUMBERED + 1)]
    assert not bars(places, {"a": torch.zeros(len(places))}, AXES).frames["bars"].number.any()
    assert bars(places[:-1], {"a": torch.zeros(len(places) - 1)}, AXES).frames["bars"].number.all()


@pytest.mark.parametrize("axes", [AXES, Axes("Place", "Value", dots=True), Axes("Place", "Value", log_x=True)])
def test_the_spec_of_lines_stays_and_the_figure_can_be_drawn(axes):
    one = lines(torch.tensor([1.0, 2.0]), {"a": torch.tensor([0.0, 1.0])}, axes)
    other = lines(torch.tensor([1.0, 9.0, 20.0]), {"b": torch.zeros(3), "c": torch.ones(3)}, axes)
    assert one.spec == other.spec
    assert one.svg().startswith("<svg")


def test_the_spec_of_bars_stays_and_the_figure_can_be_drawn():
    one, other = (bars(["x"], {"a": torch.tensor([value])}, AXES) for value in (1.0, -2e-5))
    assert one.spec == other.spec
    assert one.svg().startswith("<svg")
    assert other.svg().startswith("<svg")


def test_no_tick_between_two_whole_numbers():
    svg = lines(torch.arange(2), {"a": torch.tensor([5.0, 7.0])}, AXES).svg()
    assert svg.count(">0</text>") == 1
    assert svg.count(">1</text>") == 1
