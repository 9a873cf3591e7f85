"""Two sentences on a number line and curves over the position: frames, constant specs, drawn files."""

import pytest
import torch

from pe_core.figures.index_lines import FOLLOWED, KNOWN, NEW, Axes, curves, decades, number_line

LOG = Axes("Position", "Share", (1e-3, 1), y_format="~%", log_y=True)


def test_every_word_has_a_mark_coloured_by_whether_its_number_is_known():
    values = {"a": torch.tensor([0.0, 1.0, 2.0]), "b": torch.tensor([0.0, 0.5, 1.0, 3.0])}
    figure = number_line(values, 1, "Index")
    frame = figure.frames["words"]
    assert frame.value.to_list() == [0, 1, 2, 0, 0.5, 1, 3]
    assert frame.word.to_list() == [0, 1, 2, 0, 1, 2, 3]
    assert frame.sentence.to_list() == ["a"] * 3 + ["b"] * 4
    assert frame.kind.to_list() == [KNOWN, FOLLOWED, KNOWN, KNOWN, FOLLOWED, KNOWN, NEW]
    assert figure.frames["followed"].value.to_list() == [1, 0.5]


def test_a_curve_has_a_point_for_every_number_but_those_a_logarithm_lacks():
    where, lines = torch.arange(3), {"first": torch.tensor([1.0, 0.0, -1.0]), "second": torch.tensor([1, 2, 3])}
    plain = curves(where, lines, Axes("x", "y")).frames["lines"]
    assert plain.y.to_list() == [1, 0, -1, 1, 2, 3]
    assert plain.x.to_list() == [0, 1, 2, 0, 1, 2]
    assert plain.order.to_list() == [0, 0, 0, 1, 1, 1]
    assert curves(where, lines, LOG).frames["lines"].y.to_list() == [1, 1, 2, 3]


def test_the_ticks_of_a_logarithmic_axis_are_whole_powers_of_ten():
    assert decades(1e-3, 2) == [1e-3, 1e-2, 1e-1, 1]
    assert decades(1, 1) == [1]
    assert decades(1e-16, 100) == [10.0**power for power in range(-16, 3, 4)]


def test_specs_stay_the_same_while_numbers_change():
    short, long = torch.arange(2.0), torch.arange(9.0)
    assert number_line({"a": short}, 0, "m").spec == number_line({"a": long, "b": short}, 1, "m").spec
    assert curves(short, {"a": short}, LOG).spec == curves(long, {"b": long, "c": long}, LOG).spec


@pytest.mark.parametrize("axes", [LOG, Axes("x", "y"), Axes("x", "y", (0, 5), log_x=True)])
def test_curves_are_drawn(axes):
    drawn = curves(torch.tensor([1, 2, 4]), {"the line": torch.tensor([0.1, 0.2, 0.9])}, axes).svg()
    assert "the line" in drawn


def test_number_lines_are_drawn():
    drawn = number_line({"First": torch.arange(3.0), "Second": torch.arange(5.0)}, 1, "The index").svg()
    assert all(word in drawn for word in ("The index", "Second", NEW))
