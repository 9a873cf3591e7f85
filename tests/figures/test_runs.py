"""Curves of runs: blocks, axes and guesses, and what the spec depends on."""

import re

from pe_core.figures import curves
from pe_core.figures.looks.palette import CATEGORICAL
from pe_core.figures.runs import (
    Named,
    Quantity,
    block_means,
    over_lengths,
    two_runs,
)
from tests.figures.layers import layers

FIRST = {"RoPE": [(1.0, 2.0), (8.0, 3.5)], "ALiBi": [(1.0, 2.1), (8.0, 2.2)]}
LOSS, FRACTION = Quantity("Loss"), Quantity("Right answers", ".1%", is_fraction=True)
SECOND = {"RoPE": [(1.0, 1.9), (2.0, 1.8)]}


def test_the_spec_depends_on_the_encodings_only():
    assert two_runs(FIRST, SECOND, LOSS).spec == two_runs(FIRST, {"ALiBi": [(1.0, 9.0)]}, LOSS).spec
    assert two_runs(FIRST, SECOND, LOSS).spec != two_runs(FIRST, {"T5": [(1.0, 9.0)]}, LOSS).spec


def test_encodings_of_one_colour_have_points_of_several_shapes():
    many = {str(number): [(1.0, 2.0)] for number in range(16)}
    looks = two_runs(many, many, LOSS).spec["layer"][1]["encoding"]
    colour = two_runs(many, many, LOSS).spec["layer"][0]["encoding"]["color"]["scale"]
    assert len(colour["domain"]) == len(colour["range"]) == 16
    assert len({*colour["range"]}) < len({*zip(colour["range"], looks["shape"]["scale"]["range"], strict=True)})
    assert "shape" not in two_runs(FIRST, SECOND, LOSS).spec["layer"][1]["encoding"]


NAMED = Named(("a", "b"), CATEGORICAL[:2])
CURVES = {"a": [[(16, 1.0), (32, 2.0)], [(16, 3.0), (32, 5.0), (64, 9.0)]], "b": [[(16, 4.0), (32, 1.0)]]}


def drawn(curves=CURVES, named=NAMED, shown=LOSS, **changed):
    return over_lengths(curves, named, "Length (tokens)", shown, **{"train_length": 16, "lengths": (16, 32), **changed})


def test_a_block_is_a_mean_at_its_last_place_and_what_fills_none_is_left():
    assert block_means([1.0, 3.0, 2.0, 6.0, 9.0], 2) == [(2, 2.0), (4, 4.0)]
    assert block_means([], 3) == []


def test_lines_of_other_names_and_colours_need_no_new_spec_of_altair(monkeypatch):
    dashed = Named(("a", "b"), CATEGORICAL[:2], dashes=((1, 0), (6, 3)))
    for named in (NAMED, dashed):
        drawn(named=named, banded=True)
    monkeypatch.setattr(curves, "alt", None)
    others = Named(("c",), CATEGORICAL[2:3]), Named(("d",), CATEGORICAL[3:4], dashes=((2, 2),))
    for named in (NAMED, *others):
        figure = drawn({}, named, banded=True)
        expected = {"domain": list(named.names), "range": list(named.colours)}
        area, line = (layers(figure, *one)[0]["encoding"] for one in (("bands", "area"), ("lines", "line")))
        assert area["color"]["scale"] == area["stroke"]["scale"] == line["color"]["scale"] == expected
        assert ("strokeDash" in line) == bool(named.dashes)
    assert line["strokeDash"]["scale"] == {"domain": ["d"], "range": [[2, 2]]}


def test_dashes_of_lines_and_of_guesses_do_not_mix():
    dashed = Named(("a", "b"), CATEGORICAL[:2], dashes=((1, 0), (6, 3)))
    svg = drawn(named=dashed, guesses={"even": 4.0}).svg()
    assert 'stroke-dasharray="6,3"' in svg
    assert svg.count('stroke-dasharray="2,3"') == 1


def test_two_guesses_have_dashes_of_their_own_beside_dashed_lines():
    dashed = Named(("a", "b"), CATEGORICAL[:2], dashes=((1, 0), (6, 3)))
    svg = drawn(named=dashed, guesses={"often": 3.0, "even": 4.0}).svg()
    lines = re.findall(r'class="mark-line[^>]*>(.*?)</g>', svg)
    assert [re.findall('stroke-dasharray="([^"]*)"', line) for line in lines] == [["1,0"], ["6,3"]]
