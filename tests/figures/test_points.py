"""Points of several kinds: each at its place in the look of its kind, and specs that stay."""

import math
import re

import pytest
import torch

from pe_core.encodings import sinusoidal
from pe_core.figures.curves import across, layered, levels, marks, upwards
from pe_core.figures.looks.growth import area
from pe_core.figures.points import COMPLETE, PARTIAL, Kind, points, rows_of, wavelengths
from tests.figures.layers import layers

AXES = across("Pair"), upwards("Size")
KINDS = (Kind("ring", "#111111", "diamond", 70, filled=False), Kind("dot", "#222222", size=20))
X, Y = torch.tensor([0.0, 1.0, 2.0]), torch.tensor([5.0, math.inf, 7.0])


ROWS = rows_of(X, Y, ["dot", "dot", "ring"])


def drawn(*parts, rows=ROWS, **changed):
    return layered(points(rows, KINDS, *AXES, kind="When", **changed), *parts)


def test_points_hold_the_numbers_and_their_kinds_and_what_is_not_finite_is_left_out():
    frame = drawn().frames["points"]
    assert frame.to_numpy().tolist() == [[0, 5, "dot"], [2, 7, "ring"]]


def test_each_kind_has_its_look_and_later_ones_lie_above():
    first, second = layers(drawn(), "points")
    assert "ring" in first["transform"][0]["filter"]
    assert (first["mark"]["filled"], first["mark"]["size"]) == (False, area(70))
    assert (second["mark"]["filled"], second["mark"]["size"]) == (True, area(20))
    for one in (first, second):
        assert one["encoding"]["color"]["scale"] == {"domain": ["ring", "dot"], "range": ["#111111", "#222222"]}
        assert one["encoding"]["shape"]["scale"] == {"domain": ["ring", "dot"], "range": ["diamond", "circle"]}
        assert (one["encoding"]["x"]["field"], one["encoding"]["y"]["field"]) == ("x", "y")
        told = [(tip["field"], tip["title"]) for tip in one["encoding"]["tooltip"]]
        assert told == [("x", "Pair"), ("y", "Size"), ("kind", "When")]


def test_marks_levels_and_the_line_below_are_there_only_where_given():
    under = ("the line", X, 2 * X)
    figure = drawn(marks([("here", 1)]), levels([("high", 6.0)]), under=under, legend="Title")
    assert figure.frames["marks"].to_dict("records") == [{"label": "here", "x": 1}]
    assert figure.frames["levels"].to_dict("records") == [{"label": "high", "y": 6.0}]
    assert figure.frames["under"].y.to_list() == [0, 2, 4]
    svg = figure.svg()
    assert all(f">{word}</text>" in svg for word in ("here", "high", "the line", "Title", "ring", "dot"))
    assert set(drawn().frames) == {"points"}


def test_a_line_without_a_name_is_not_in_the_legend():
    (line,) = layers(drawn(under=("", X, X)), "under")
    assert "color" not in line["encoding"]
    assert layers(drawn(under=("", X, X)), "points")[0]["encoding"]["color"]["scale"]["domain"] == ["ring", "dot"]


def test_a_file_has_the_words_of_the_axes():
    assert drawn().csv().startswith("Pair,Size,When\n0.0,5.0,dot\n")


def test_the_spec_stays_while_numbers_change():
    other = drawn(levels([("deep", 1)]), rows=rows_of(2 * X, X + 1, ["ring"] * 3))
    assert drawn(levels([("high", 6.0)])).spec == other.spec
    assert drawn().spec != other.spec


def test_wavelengths_are_marked_by_the_length():
    figure = wavelengths(sinusoidal.frequencies(8), 64)
    frame = figure.frames["points"]
    assert frame.kind.tolist() == [COMPLETE] * 2 + [PARTIAL] * 2  # 6.3, 63, 628 and 6,283
    assert frame.x.to_list() == [0, 1, 2, 3]
    assert frame.y.to_list() == pytest.approx([2 * math.pi * 10**pair for pair in range(4)])
    assert figure.frames["levels"].to_dict("records") == [{"label": "length 64", "y": 64}]
    assert re.search(r">length 64</text>", figure.svg())
    assert figure.spec == wavelengths(sinusoidal.frequencies(16, 10.0), 9).spec


def test_a_pair_whose_wavelength_is_the_length_completes_a_turn():
    frequency = torch.tensor([2 * math.pi / 64], dtype=torch.float64)
    assert wavelengths(frequency, 64).frames["points"].kind.to_list() == [COMPLETE]


@pytest.mark.parametrize("under", [None, ("", X, X), ("name", X, X)])
def test_points_are_drawn_without_a_warning(under, capfd):
    import vl_convert

    spec = drawn(marks([("here", 1)]), levels([("high", 6.0)]), under=under).standalone()
    assert vl_convert.vegalite_to_png(spec, show_warnings=True).startswith(b"\x89PNG\r\n\x1a\n")
    assert capfd.readouterr().err == ""
