"""Named series over x: rows are the numbers that were given, and what axes, marks and layers do with them."""

import copy
import json
import math
import re

import altair as alt
import pandas as pd
import pytest
import torch
import vl_convert

from pe_core.figures import curves as parts
from pe_core.figures.curves import NARROW, across, decades, layered, lines, upwards
from pe_core.figures.looks.palette import CATEGORICAL, GREY
from tests.cases import each
from tests.figures.layers import layers

X, Y = across("x"), upwards("y")
PLAIN, LOG = (X, Y), (X, upwards("y", log=True))
ENDS = across("x", ends=(4.0, 64.0), log=True, ticks=(4, 16, 64)), upwards("y", ends=(1.0, 64.0), log=True)
NUMBERS = torch.tensor([1.0, 2.0, 3.0])
WHERE = torch.arange(3)


def layer(figure, data, mark):
    found = layers(figure, data, mark)
    assert len(found) == 1
    return found[0]


def encoding(figure, channel, mark="line"):
    return layer(figure, "lines", mark)["encoding"][channel]


def strokes(figure):
    """Colour, width and dash of the lines that are drawn, in their order."""
    look = r'stroke="(#\w+)"(?: stroke-linejoin="round")? stroke-width="([\d.]+)"(?: stroke-linejoin="round")?'
    return re.findall(look + r'(?: stroke-dasharray="([^"]*)")?', figure.svg())


def growth(figure):
    """How large type is in a file, as a fraction of 12 pixels: marks have to grow as it does."""
    [size] = set(re.findall(r'font-size="([\d.]+)px"', figure.svg()))
    return float(size) / 12


def labels(figure):
    return re.findall(r">([^<>]+)</text>", figure.svg())


def test_lines_hold_the_numbers_in_the_order_given():
    frame = lines(NUMBERS, {"b": NUMBERS, "a": -NUMBERS, "rule": 2 * NUMBERS}, *PLAIN, rules=["rule"]).frames["lines"]
    assert list(frame) == ["x", "y", "name", "told"]
    assert frame.name.to_list() == ["b"] * 3 + ["a"] * 3 + ["rule"] * 3
    assert frame.x.to_list() == [1, 2, 3] * 3
    assert frame.y.to_list() == [1, 2, 3, -1, -2, -3, 2, 4, 6]


def test_x_runs_to_the_right_and_y_upwards():
    figure = lines(WHERE, {"a": NUMBERS}, X, upwards("y", ends=(1.0, 3.0)))
    assert (encoding(figure, "x")["field"], encoding(figure, "y")["field"]) == ("x", "y")
    [line] = re.findall(r'd="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)L([\d.]+),([\d.]+)"', figure.svg(height=400))
    left, bottom, middle, half, right, top = map(float, line)
    assert (left, middle, top, half) == (0, right / 2, 0, bottom / 2)
    assert min(right, bottom) > 200


def test_what_is_not_finite_is_left_out_and_what_a_logarithm_cannot_show():
    values = torch.tensor([math.inf, -math.inf, math.nan, -3.0, 0.0, 3.0])
    for axes, shown in ((PLAIN, [-3, 0, 3]), (LOG, [3])):
        assert lines(torch.arange(6), {"a": values}, *axes).frames["lines"].y.to_list() == shown


def test_a_line_is_cut_where_it_leaves_the_axis():
    figure = lines(NUMBERS, {"a": torch.tensor([0.0, 2.0, 400.0])}, X, upwards("y", ends=(0.0, 4.0)))
    assert figure.frames["lines"].y.to_list() == [0, 2, 400]
    assert layer(figure, "lines", "line")["mark"]["clip"] is True
    assert layer(figure, "lines", "circle")["mark"]["clip"] is True
    assert layer(lines(NUMBERS, {"a": NUMBERS}, *PLAIN), "lines", "line")["mark"]["clip"] is False


def test_an_axis_holds_0_unless_it_need_not():
    for zero in (True, False):
        figure = lines(WHERE, {"a": torch.tensor([7.0, 8.0, 9.0])}, X, upwards("y", zero=zero))
        assert ("0.0" in labels(figure) or "0" in labels(figure)[4:]) == zero
        assert encoding(figure, "y")["scale"] == {"zero": zero}


def test_the_frame_reaches_at_least_so_far():
    def ticks(values):
        figure = lines(torch.arange(2), {"a": torch.tensor(values)}, *LOG, parts.reach(1, 10))
        return {"0.1", "1", "10", "100"} & set(labels(figure)[2:])

    assert ticks([1.0, 1.0]) == ticks([2.0, 3.0]) == {"1", "10"}
    assert ticks([0.5, 1.0]) == {"0.1", "1", "10"}
    assert ticks([2.0, 40.0]) == {"1", "10", "100"}


def test_no_tick_between_two_whole_numbers():
    figure = lines(torch.arange(2), {"a": torch.tensor([5.0, 7.0])}, *PLAIN)
    below = re.findall(
        r'text-anchor="(?:start|middle|end)"[^>]*translate\(-?[\d.]+,[23]\d\)[^>]*>([^<]+)<', figure.svg()
    )
    assert below == ["0", "1"]


def test_thousands_have_commas_and_large_powers_are_short():
    assert "4,000" in labels(lines(torch.tensor([0, 4_000]), {"a": NUMBERS[:2]}, *PLAIN))
    assert {"10k", "100"} <= set(labels(lines(torch.arange(2), {"a": torch.tensor([100.0, 10_000.0])}, *LOG)))


def test_a_logarithmic_x_axis_has_powers_of_ten_only():
    figure = lines(torch.tensor([100, 20_000]), {"a": NUMBERS[:2]}, across("x", log=True), Y)
    assert {"100", "1k", "10k"} <= set(labels(figure))
    assert "20k" not in labels(figure)


def test_ticks_and_formats_can_be_given():
    axes = X, upwards("y", ticks=(1, 3), form="datum.value + ' m'")
    assert {"1 m", "3 m"} <= set(labels(lines(WHERE, {"a": NUMBERS}, *axes)))
    assert "2 m" not in labels(lines(WHERE, {"a": NUMBERS}, *axes))
    assert "50%" in labels(lines(WHERE, {"a": NUMBERS}, X, upwards("y", ticks=(0.5,), form="~%")))
    assert encoding(lines(NUMBERS, {"a": NUMBERS}, *ENDS), "x")["axis"]["values"] == [4, 16, 64]


def test_the_ticks_of_a_logarithmic_axis_with_ends_are_whole_powers_of_ten():
    assert decades(1e-3, 2) == [1e-3, 1e-2, 1e-1, 1]
    assert decades(1, 1) == [1]
    assert decades(1e-16, 100) == [10.0**power for power in range(-16, 3, 4)]
    figure = lines(WHERE, {"a": NUMBERS}, X, upwards("y", ends=(1e-3, 2), log=True))
    assert encoding(figure, "y")["axis"]["values"] == [1e-3, 1e-2, 1e-1, 1]


def test_a_rule_is_grey_and_dashed_and_the_others_keep_their_colours():
    named = {"rule": torch.ones(2), "a": torch.zeros(2), "b": torch.arange(2)}
    figure = lines(torch.arange(2), named, *PLAIN, rules=["rule"])
    drawn = strokes(figure)[-6:]
    looks = [(GREY, "6,4"), (CATEGORICAL[0], ""), (CATEGORICAL[1], "")]
    assert [one[::2] for one in drawn] == 2 * looks  # the lines, then their keys in the legend
    assert [float(one[1]) / growth(figure) for one in drawn] == pytest.approx([2, 2, 2, 2.5, 2.5, 2.5])


def test_every_point_has_a_dot_that_tells_its_numbers_seen_or_not():
    for dots in (False, True):
        figure = lines(WHERE, {"a": NUMBERS}, across("Place"), upwards("Size"), dots=dots, line="Rule")
        circle = layer(figure, "lines", "circle")
        assert circle["mark"]["opacity"] == int(dots)
        told = [(one["field"], one["title"]) for one in circle["encoding"]["tooltip"]]
        assert told == [("name", "Rule"), ("x", "Place"), ("y", "Size")]
        dot = f"M{3 * growth(figure):.3f},0A"  # what is not seen is left out of a file
        assert figure.svg().count(dot) == 3 * dots


def test_long_names_stand_one_below_the_other_in_a_narrow_picture():
    long = "a" * (parts.LONG + 1)
    columns = encoding(lines(WHERE, {long: NUMBERS}, *PLAIN), "color")["legend"]["columns"]
    assert columns == {"expr": f"width < {NARROW} ? 1 : 2"}
    assert encoding(lines(WHERE, {long[1:]: NUMBERS}, *PLAIN, columns=4), "color")["legend"]["columns"] == 4


MARKED = [("a mark", 2.0)]
DOTTED = {"dots": True, "wide_first": True}


@each(
    ("axes", "looks", "marks"),
    [(PLAIN, {}, ()), (LOG, DOTTED, MARKED), (ENDS, {}, MARKED), ((across("x", log=True), Y), DOTTED, ())],
)
def test_every_kind_is_drawn_without_a_warning_and_its_spec_stays(axes, looks, marks, capfd):
    import vl_convert

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
    written = set(re.findall(r">([^<>]+)</text>", figure.svg()))
    assert {f"{at**2 + 0.25:.4g}", f"{at**0.5:.4g}"} <= written
    assert not {f"{(10 - at) ** 2 + 0.25:.4g}", f"{(10 - at) ** 0.5:.4g}"} & written


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
