"""Named series over x, of runs too: rows are the numbers given, and what axes, marks and layers do with them."""

import copy
import json
import math
import re
from itertools import pairwise

import altair as alt
import numpy as np
import pandas as pd
import pytest
import torch
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from pe_core.figures import curves as parts
from pe_core.figures.curves import across, decades, layered, lines, upwards
from pe_core.figures.looks.in_order import MAX_UNSEEN, edges, told, without_straight
from pe_core.figures.looks.palette import CATEGORICAL, GREY
from pe_core.figures.runs import block_means, over_lengths, two_runs
from tests.cases import each
from tests.figures.layers import layers

X, Y = across("x"), upwards("y")
PLAIN, LOG = (X, Y), (X, upwards("y", log=True))
ENDS = across("x", ends=(4.0, 64.0), log=True, ticks=(4, 16, 64)), upwards("y", ends=(1.0, 64.0), log=True)
NUMBERS = torch.tensor([1.0, 2.0, 3.0])
WHERE = torch.arange(3)


def labels(figure):
    return re.findall(r">([^<>]+)</text>", figure.svg())


def test_lines_hold_the_numbers_in_the_order_given():
    frame = lines(NUMBERS, {"b": NUMBERS, "a": -NUMBERS, "rule": 2 * NUMBERS}, *PLAIN, rules=["rule"]).frames["lines"]
    assert list(frame) == ["x", "y", "name", "told"]
    assert frame.name.to_list() == ["b"] * 3 + ["a"] * 3 + ["rule"] * 3
    assert frame.x.to_list() == [1, 2, 3] * 3
    assert frame.y.to_list() == [1, 2, 3, -1, -2, -3, 2, 4, 6]


def test_what_is_not_finite_is_left_out_and_what_a_logarithm_cannot_show():
    values = torch.tensor([math.inf, -math.inf, math.nan, -3.0, 0.0, 3.0])
    for axes, shown in ((PLAIN, [-3, 0, 3]), (LOG, [3])):
        assert lines(torch.arange(6), {"a": values}, *axes).frames["lines"].y.to_list() == shown


def test_the_ticks_of_a_logarithmic_axis_with_ends_are_whole_powers_of_ten():
    assert decades(1e-3, 2) == [1e-3, 1e-2, 1e-1, 1]
    assert decades(1, 1) == [1]
    assert decades(1e-16, 100) == [10.0**power for power in range(-16, 3, 4)]
    [line] = layers(lines(WHERE, {"a": NUMBERS}, X, upwards("y", ends=(1e-3, 2), log=True)), "lines", "line")
    assert line["encoding"]["y"]["axis"]["values"] == [1e-3, 1e-2, 1e-1, 1]


MARKED = [("a mark", 2.0)]
DOTTED = {"dots": True, "wide_first": True}


@each(
    ("axes", "looks", "marks"),
    [(PLAIN, {}, ()), (LOG, DOTTED, MARKED), (ENDS, {}, MARKED), ((across("x", log=True), Y), DOTTED, ())],
)
def test_every_kind_is_drawn_without_a_warning_and_its_spec_stays(axes, looks, marks, capfd):
    looks = {**looks, "rules": ["two"]}
    there, elsewhere = ([parts.marks(one)] if one else [] for one in (marks, [("b", 9)] * len(marks)))
    figure = lines(NUMBERS, {"one": NUMBERS, "two": NUMBERS}, *axes, *there, **looks)
    other = lines(9 * NUMBERS, {"one": NUMBERS - 7, "two": NUMBERS}, *axes, *elsewhere, **looks)
    assert figure.spec == other.spec
    assert "datasets" not in json.dumps(figure.spec)
    assert ("a mark" in labels(figure)) == bool(marks)
    assert "NaN" not in figure.svg()
    assert vl_convert.vegalite_to_png(figure.standalone(), show_warnings=True).startswith(b"\x89PNG\r\n\x1a\n")
    assert capfd.readouterr().err == ""


@each("at", [3, 7])
def test_a_line_that_is_dragged_tells_the_value_of_each_series_there(at):
    where = torch.arange(9)
    named = {"square": where.double() ** 2 + 0.25, "root": where.double().sqrt()}
    figure = lines(where, named, *PLAIN, parts.values_read("x", at, 8))
    here, elsewhere = ({f"{x**2 + 0.25:.4g}", f"{x**0.5:.4g}"} for x in (at, 10 - at))
    assert here <= {*labels(figure)}
    assert not elsewhere & {*labels(figure)}


@each(("place", "seen"), [(-1, "0"), (2, "1")])
def test_a_line_stands_where_a_picture_beside_it_is_pointed_at(place, seen):
    spec = copy.deepcopy(lines(WHERE, {"a": NUMBERS}, *PLAIN, parts.together()).standalone())
    [signal] = spec["config"]["signals"]
    signal["value"] = place
    svg = vl_convert.vegalite_to_svg({**spec, "width": 400, "height": 100})
    [(left, right, opacity)] = re.findall(rf'd="M([-\d.]+),0h([\d.]+)v100\S+" fill="{GREY}" opacity="(.)"', svg)
    assert (float(left) + float(right) / 2, opacity) == (200 * place, seen)
    assert "signals" not in lines(WHERE, {"a": NUMBERS}, *PLAIN).spec["config"]


@each(("x", "left"), [(0, False), (2, False), (3, True), (4, True)])
def test_the_words_of_an_answer_stand_on_the_side_where_there_is_room(x, left):
    curve = torch.tensor([1.0, 10.0, 100.0, 1_000.0, 10_000.0], dtype=torch.float64)
    rows = parts.series(torch.arange(5), {"one": curve})
    found = layered(parts.curves(rows, *PLAIN), parts.answer(rows, x, float(curve[x]), "here")).frames["answer"]
    assert found.left.to_list() == [left]
    assert found.high.to_list() == [x == 4]


def test_the_layers_of_parts_stand_below_among_and_above_the_lines_in_any_order():
    rows = pd.DataFrame({"x": [1], "label": ["a"]})
    under, line, over, words = (
        alt.Chart(alt.NamedData("rows")).mark_point().properties(name=name)
        for name in ("under", "line", "over", "words")
    )
    one = parts.Part(parts.Layers([under], [line], [over]), {"one": rows}, {"x": "Place"})
    signals = [{"name": "s", "value": 0}]
    other = parts.Part(parts.Layers(above=[words], signals=signals), {"other": rows[:0]}, whole={"other": rows})
    for both, order in (
        ((one, other), ["under", "line", "over", "words"]),
        ((other, one), ["under", "line", "words", "over"]),
    ):
        spec = layered(*both).spec
        assert [layer["name"] for layer in spec["layer"]] == order
        assert spec["config"]["signals"] == signals
    tables = layered(one, other).tables()
    assert {name: table.to_dict("list") for name, table in tables.items()} == {
        name: {"Place": [1], "Label": ["a"]} for name in ("one", "other")
    }


@each(
    ("n", "places"),
    [(1, [0]), (MAX_UNSEEN, range(MAX_UNSEEN)), (MAX_UNSEEN + 1, range(0, MAX_UNSEEN + 1, 2)), (256, range(0, 256, 4))],
)
def test_a_pointer_finds_all_rows_of_a_short_line_and_evenly_spread_ones_of_a_long_one(n, places):
    found = told(pd.Series(["short"] * 3 + ["long"] * n))
    assert found[:3].all()
    assert np.flatnonzero(found[3:]).tolist() == list(places)


def test_no_rows_have_no_dots():
    assert told(pd.Series([], dtype=object)).tolist() == []


def test_corners_ends_and_rows_with_a_dot_stay_of_a_line():
    frame = parts.series(
        torch.arange(5), {"bent": torch.tensor([0.0, 1, 2, 1, 0]), "straight": torch.tensor([4.0, 5, 6, 7, 8])}
    )
    kept = without_straight(frame.assign(told=[False] * 7 + [True] + [False] * 2))
    assert [(name, rows.x.to_list()) for name, rows in kept.groupby("name")] == [
        ("bent", [0, 2, 4]),
        ("straight", [0, 2, 4]),
    ]


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=40), st.lists(st.integers(1, 3), min_size=39, max_size=39))
def test_the_line_through_the_rows_that_stay_is_the_same(slopes, across):
    x = np.concatenate([[0], np.cumsum(across[: len(slopes)])])
    y = np.concatenate([[0], np.cumsum(np.array(slopes) * across[: len(slopes)])]).astype(float)
    frame = pd.DataFrame({"x": x, "y": y, "name": "line", "told": False})
    kept = without_straight(frame)
    assert np.interp(x, kept.x, kept.y) == pytest.approx(y, abs=1e-9)
    assert len(kept) == 2 + sum(one != other for one, other in pairwise(slopes))


def bands(**spread):
    """Three lines' rows, each with a band of this height above and below."""
    rows = [(x, 2.0 * x, 2 * x - more, 2 * x + more, name) for name, more in spread.items() for x in range(3)]
    return pd.DataFrame(rows, columns=["x", "y", "min", "max", "name"])


def test_only_bands_that_are_wider_than_a_line_are_drawn():
    found = edges(bands(none=0.0, rounding=1e-12, wide=0.5))
    assert found.to_dict("list") == {
        "name": ["wide"] * 3,
        "left": [0, 1, 2],
        "bottom": [-0.5, 1.5, 3.5],
        "top": [0.5, 2.5, 4.5],
    }
    assert len(edges(bands(none=0.0))) == 1


def test_a_file_has_all_values_and_no_table_of_the_bands():
    x = torch.arange(300)
    y = 2.0 * x
    named = {"straight": (x, y, y, y), "wide": (x, y, y - 1, torch.full_like(y, 700))}
    figure = layered(parts.curves(parts.ranges(named), across("Offset"), upwards("Score"), band=True))
    assert len(figure.frames["lines"]) < 200
    assert list(figure.tables()) == ["lines"]
    assert len(figure.tables()["lines"]) == 600
    assert set(figure.frames["bands"].name) == {"wide"}


FIRST = {"RoPE": [(1.0, 2.0), (8.0, 3.5)], "ALiBi": [(1.0, 2.1), (8.0, 2.2)]}
LOSS = upwards("Loss", zero=False), ".3f"
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


NAMED = {"names": ("a", "b"), "colours": CATEGORICAL[:2]}
CURVES = {"a": [[(16, 1.0), (32, 2.0)], [(16, 3.0), (32, 5.0), (64, 9.0)]], "b": [[(16, 4.0), (32, 1.0)]]}


def drawn(curves=CURVES, named=NAMED, shown=LOSS, **changed):
    return over_lengths(curves, named, "Length (tokens)", shown, **{"train_length": 16, "lengths": (16, 32), **changed})


def test_a_block_is_a_mean_at_its_last_place_and_what_fills_none_is_left():
    assert block_means([1.0, 3.0, 2.0, 6.0, 9.0], 2) == [(2, 2.0), (4, 4.0)]
    assert block_means([], 3) == []


def test_lines_of_other_names_and_colours_need_no_new_spec_of_altair(monkeypatch):
    dashed = {"names": ("a", "b"), "colours": CATEGORICAL[:2], "dashes": ((1, 0), (6, 3))}
    for named in (NAMED, dashed):
        drawn(named=named, banded=True)
    monkeypatch.setattr(parts, "alt", None)
    third = {"names": ("c",), "colours": CATEGORICAL[2:3]}
    others = third, {"names": ("d",), "colours": CATEGORICAL[3:4], "dashes": ((2, 2),)}
    for named in (NAMED, *others):
        figure = drawn({}, named, banded=True)
        expected = {"domain": list(named["names"]), "range": list(named["colours"])}
        area, line = (layers(figure, *one)[0]["encoding"] for one in (("bands", "area"), ("lines", "line")))
        assert area["color"]["scale"] == area["stroke"]["scale"] == line["color"]["scale"] == expected
        assert ("strokeDash" in line) == ("dashes" in named)
    assert line["strokeDash"]["scale"] == {"domain": ["d"], "range": [[2, 2]]}


def test_dashes_of_lines_and_of_guesses_do_not_mix():
    dashed = {"names": ("a", "b"), "colours": CATEGORICAL[:2], "dashes": ((1, 0), (6, 3))}
    svg = drawn(named=dashed, guesses={"even": 4.0}).svg()
    assert 'stroke-dasharray="6,3"' in svg
    assert svg.count('stroke-dasharray="2,3"') == 1


def test_two_guesses_have_dashes_of_their_own_beside_dashed_lines():
    dashed = {"names": ("a", "b"), "colours": CATEGORICAL[:2], "dashes": ((1, 0), (6, 3))}
    svg = drawn(named=dashed, guesses={"often": 3.0, "even": 4.0}).svg()
    lines = re.findall(r'class="mark-line[^>]*>(.*?)</g>', svg)
    assert [re.findall('stroke-dasharray="([^"]*)"', line) for line in lines] == [["1,0"], ["6,3"]]
