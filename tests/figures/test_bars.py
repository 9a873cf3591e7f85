"""Bars in groups: rows are the numbers that were given, and the spec stays while they change."""

import torch

from pe_core.figures.bars import MAX_NUMBERED, bars
from pe_core.figures.curves import upwards

AXES = "Place", upwards("Value")


def test_a_group_of_bars_has_one_for_each_name():
    figure = bars(["x", "y"], {"b": torch.tensor([1.0, 2.0]), "a": torch.tensor([-3.0, 4.0])}, *AXES)
    frame = figure.frames["bars"]
    assert frame.place.to_list() == ["x", "y", "x", "y"]
    assert frame.value.to_list() == [1, 2, -3, 4]
    assert frame.order.to_list() == [0, 0, 1, 1]
    assert frame.number.all()


def test_bars_that_are_too_many_have_no_numbers_on_them():
    places = [str(place) for place in range(MAX_NUMBERED + 1)]
    assert not bars(places, {"a": torch.zeros(len(places))}, *AXES).frames["bars"].number.any()
    assert bars(places[:-1], {"a": torch.zeros(len(places) - 1)}, *AXES).frames["bars"].number.all()


def test_the_spec_of_bars_stays_and_the_figure_can_be_drawn():
    one, other = (bars(["x"], {"a": torch.tensor([value])}, *AXES) for value in (1.0, -2e-5))
    assert one.spec == other.spec
    assert one.svg().startswith("<svg")
    assert other.svg().startswith("<svg")


def test_numbers_can_be_left_out():
    assert not bars(["x"], {"a": torch.ones(1)}, *AXES, numbered=False).frames["bars"].number.any()


def test_a_file_has_the_words_of_the_axes():
    figure = bars(["x", "y"], {"a": torch.tensor([1.0, 2.0])}, *AXES)
    assert figure.csv() == "Place,Bar,Value\nx,a,1.0\ny,a,2.0\n"


def test_ends_hold_the_axis():
    figure = bars(["x"], {"a": torch.ones(1)}, "Key", upwards("Attention", ends=(0, 1)))
    assert figure.spec["layer"][0]["encoding"]["y"]["scale"] == {"domain": [0, 1], "nice": False}
