import math
import re

import pytest
import torch

from pe_core.figures.extension import Axes, curves
from pe_core.figures.palette import CATEGORICAL

PLAIN, LOG = Axes("x", "y"), Axes("x", "y", log_y=True)


def test_lines_keep_their_order_and_values():
    lines = curves(torch.arange(2), {"b": torch.tensor([1.0, 2.0]), "a": torch.tensor([-1.0, 0.0])}, PLAIN).frames[
        "lines"
    ]
    assert lines.name.to_list() == ["b", "b", "a", "a"]
    assert lines.y.to_list() == [1, 2, -1, 0]


def test_what_a_logarithm_cannot_show_is_left_out():
    values = torch.tensor([0.0, math.inf, 3.0])
    assert curves(torch.arange(3), {"a": values}, LOG).frames["lines"].y.to_list() == [3]


def test_what_is_not_finite_is_left_out_of_every_axis():
    values = torch.tensor([math.inf, -math.inf, math.nan, -3.0])
    assert curves(torch.arange(4), {"a": values}, PLAIN).frames["lines"].y.to_list() == [-3]


@pytest.mark.parametrize("axes", [PLAIN, LOG, Axes("x", "y", log_x=True, dots=True)])
@pytest.mark.parametrize("marks", [(), [("a level", 2.0)]])
def test_every_kind_is_drawn(axes, marks):
    svg = curves(torch.arange(1, 4), {"one": torch.tensor([1.0, 2.0, 3.0])}, axes, marks).svg()
    assert ">one</text>" in svg
    assert (">a level</text>" in svg) == bool(marks)
    assert "NaN" not in svg


def test_levels_are_named():
    levels = curves(torch.arange(1), {"a": torch.ones(1)}, LOG, [("L", 64.0)]).frames["levels"]
    assert levels.to_dict("records") == [{"label": "L", "level": 64.0}]


def test_the_spec_stays_the_same_while_values_change():
    one, other = (curves(torch.arange(n), {"a": torch.ones(n)}, LOG, [("L", n)]).spec for n in (2, 3))
    assert one is other


def test_the_frame_goes_at_least_so_far():
    def ticks(values):
        figure = curves(torch.arange(2), {"a": torch.tensor(values)}, Axes("x", "y", log_y=True, at_least=(1, 10)))
        return {label for label in ("0.1", "1", "10", "100") if f">{label}</text>" in figure.svg()}

    assert ticks([1.0, 1.0]) == ticks([2.0, 3.0]) == {"1", "10"}
    assert ticks([0.5, 1.0]) == {"0.1", "1", "10"}
    assert ticks([2.0, 40.0]) == {"1", "10", "100"}


def test_the_reference_is_grey_and_dashed_and_the_others_keep_their_colours():
    lines = {"reference": torch.ones(2), "a": torch.zeros(2), "b": torch.arange(2)}
    svg = curves(torch.arange(2), lines, Axes("x", "y", reference=True)).svg()
    drawn = re.findall(r'stroke="(#\w+)" stroke-width="2" stroke-dasharray="([^"]*)"', svg)
    assert drawn == [(CATEGORICAL[7], "6,3"), (CATEGORICAL[0], "1,0"), (CATEGORICAL[1], "1,0")]


def test_a_logarithmic_x_axis_has_powers_of_ten_only():
    svg = curves(torch.tensor([100, 20_000]), {"a": torch.tensor([1.0, 2.0])}, Axes("x", "y", log_x=True)).svg()
    assert all(f">{label}</text>" in svg for label in ("100", "1k", "10k"))
    assert ">20k</text>" not in svg
