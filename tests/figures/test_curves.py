"""Named series over x: rows are the numbers that were given, what axes do with them, and specs that stay."""

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
from pe_core.figures.curves import NARROW, across, curves, decades, layered, lines, ranges, upwards
from pe_core.figures.figure import Figure
from pe_core.figures.looks.in_order import MAX_UNSEEN
from pe_core.figures.looks.palette import CATEGORICAL, GREY
from pe_core.figures.looks.paper import UNSEEN
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


@pytest.mark.parametrize(
    ("n", "dots"), [(3, 3), (MAX_UNSEEN, MAX_UNSEEN), (MAX_UNSEEN + 1, MAX_UNSEEN // 2 + 1), (512, 64)]
)
def test_a_pointer_finds_every_point_of_a_short_line_and_some_of_a_long_one(n, dots):
    values = torch.arange(n).double()
    figure = lines(torch.arange(n), {"a": values, "b": -values}, *PLAIN)
    seen = [{**one, "name": "seen"} if one.get("name") == UNSEEN else one for one in figure.spec["layer"]]
    svg = Figure({**figure.spec, "layer": seen}, figure.frames).svg()
    assert svg.count('opacity="0"') == 2 * dots


def test_what_is_not_finite_is_left_out_of_every_axis():
    values = torch.tensor([math.inf, -math.inf, math.nan, -3.0])
    assert lines(torch.arange(4), {"a": values}, *PLAIN).frames["lines"].y.to_list() == [-3]


def test_what_a_logarithm_cannot_show_is_left_out():
    values = torch.tensor([0.0, math.inf, -0.5, 3.0])
    assert lines(torch.arange(4), {"a": values}, *LOG).frames["lines"].y.to_list() == [3]


def test_a_line_is_cut_where_it_leaves_the_axis():
    figure = lines(NUMBERS, {"a": torch.tensor([0.0, 2.0, 400.0])}, X, upwards("y", ends=(0.0, 4.0)))
    assert figure.frames["lines"].y.to_list() == [0, 2, 400]
    assert layer(figure, "lines", "line")["mark"]["clip"] is True
    assert layer(figure, "lines", "circle")["mark"]["clip"] is True
    assert layer(lines(NUMBERS, {"a": NUMBERS}, *PLAIN), "lines", "line")["mark"]["clip"] is False


@pytest.mark.parametrize(("zero", "expected"), [(True, "0.0"), (False, "")])
def test_an_axis_holds_0_unless_it_need_not(zero, expected):
    figure = lines(WHERE, {"a": torch.tensor([7.0, 8.0, 9.0])}, X, upwards("y", zero=zero))
    assert ("0.0" in labels(figure) or "0" in labels(figure)[4:]) == bool(expected)
    assert encoding(figure, "y")["scale"] == {"zero": zero}


def test_the_frame_reaches_at_least_so_far():
    def ticks(values):
        figure = lines(torch.arange(2), {"a": torch.tensor(values)}, *LOG, parts.reach(1, 10))
        return {"0.1", "1", "10", "100"} & set(labels(figure)[2:])

    assert ticks([1.0, 1.0]) == ticks([2.0, 3.0]) == {"1", "10"}
    assert ticks([0.5, 1.0]) == {"0.1", "1", "10"}
    assert ticks([2.0, 40.0]) == {"1", "10", "100"}


def test_a_reach_has_two_ends():
    sequence = next(
        one["data"]["sequence"]
        for one in lines(WHERE, {"a": NUMBERS}, *PLAIN, parts.reach(-0.3, 1.0)).spec["layer"]
        if "sequence" in one.get("data", {})
    )
    places = [sequence["start"] + n * sequence["step"] for n in range(9)]
    assert [place for place in places if place < sequence["stop"]] == pytest.approx([-0.3, 1.0])


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


def test_a_dashed_line_shows_its_dashes_in_the_legend_between_its_dots_and_among_levels():
    named = {"rule": torch.ones(2), "a": torch.zeros(2)}
    level = parts.levels([("level", 0.5)], parts.DOTTED)
    svg = lines(torch.arange(2), named, *PLAIN, level, rules=["rule"], dots=True).svg(width=300)
    keys = [float(end) for end in re.findall(r'd="M-[\d.]+,0L([\d.]+),0"', svg)]
    assert [2 * end for end in keys] == pytest.approx([24, 24])  # two dashes of 6 pixels with gaps of 4, and more
    seen = re.findall(r'fill="(#\w+)" stroke-width="2" opacity="(\d)"', svg.split("mark-symbol")[1])
    assert seen == [(GREY, "0"), (GREY, "0"), (CATEGORICAL[0], "1"), (CATEGORICAL[0], "1")]
    assert 'stroke-dasharray="1.5,3"' in svg


def test_lines_take_their_colours_and_dashes_in_order():
    looks = {"colours": ("#111111", "#222222"), "dashes": ((), (7, 5))}
    figure = lines(torch.arange(2), {"b": torch.ones(2), "a": torch.zeros(2), "c": torch.arange(2)}, *PLAIN, **looks)
    colour, dash = encoding(figure, "color")["scale"], encoding(figure, "strokeDash")["scale"]
    assert colour == {"domain": ["b", "a", "c"], "range": ["#111111", "#222222", "#111111"]}
    assert dash == {"domain": ["b", "a", "c"], "range": [[], [7, 5], []]}
    assert encoding(figure, "color")["legend"] == encoding(figure, "strokeDash")["legend"]


def test_the_first_line_can_lie_wide_below_the_others():
    named = {"under": torch.ones(2), "over": torch.ones(2)}
    for wide_first, expected in ((True, [5, 2, 4, 4]), (False, [2, 2, 4, 4])):
        figure = lines(torch.arange(2), named, *PLAIN, wide_first=wide_first)
        drawn = strokes(figure)[-4:]
        assert [float(one[1]) / growth(figure) for one in drawn] == pytest.approx(expected)


def test_every_point_has_a_dot_that_tells_its_numbers_seen_or_not():
    for dots in (False, True):
        figure = lines(WHERE, {"a": NUMBERS}, across("Place"), upwards("Size"), dots=dots, line="Rule")
        circle = layer(figure, "lines", "circle")
        assert circle["mark"]["opacity"] == int(dots)
        told = [(one["field"], one["title"]) for one in circle["encoding"]["tooltip"]]
        assert told == [("name", "Rule"), ("x", "Place"), ("y", "Size")]
        dot = f"M{3 * growth(figure):.3f},0A"  # what is not seen is left out of a file
        assert figure.svg().count(dot) == 3 * dots


def test_a_line_of_steps_jumps():
    stepped = lines(WHERE, {"a": NUMBERS}, *PLAIN, step=True)
    assert layer(stepped, "lines", "line")["mark"]["interpolate"] == "step"
    assert layer(lines(WHERE, {"a": NUMBERS}, *PLAIN), "lines", "line")["mark"]["interpolate"] == "linear"


def test_long_names_stand_one_below_the_other_in_a_narrow_picture():
    long = "a" * (parts.LONG + 1)
    columns = encoding(lines(WHERE, {long: NUMBERS}, *PLAIN), "color")["legend"]["columns"]
    assert columns == {"expr": f"width < {NARROW} ? 1 : 2"}
    assert encoding(lines(WHERE, {long[1:]: NUMBERS}, *PLAIN, columns=4), "color")["legend"]["columns"] == 4


def test_marks_and_levels_are_named_and_stand_across_their_axis():
    across_both = parts.marks([("here", 1.5)]), parts.levels([("high", 2.5)])
    figure = lines(NUMBERS, {"a": NUMBERS}, *PLAIN, *across_both)
    assert figure.frames["marks"].to_dict("records") == [{"label": "here", "x": 1.5}]
    assert figure.frames["levels"].to_dict("records") == [{"label": "high", "y": 2.5}]
    assert set(layer(figure, "marks", "rule")["encoding"]) == {"x"}
    assert set(layer(figure, "levels", "rule")["encoding"]) == {"y"}
    assert {"here", "high"} <= set(labels(figure))
    assert set(lines(NUMBERS, {"a": NUMBERS}, *PLAIN).frames) == {"lines"}


def test_a_chosen_place_and_dots_on_every_line():
    rows = parts.series(WHERE, {"a": NUMBERS, "b": -NUMBERS})
    figure = layered(curves(rows, *PLAIN), parts.chosen(0), parts.dotted(rows, 2))
    assert figure.frames["chosen"].x.to_list() == [0]
    assert figure.frames["dotted"][["y", "name"]].to_numpy().tolist() == [[3.0, "a"], [-3.0, "b"]]
    assert layer(figure, "chosen", "rule")["mark"]["color"] == CATEGORICAL[4]


def test_a_file_has_the_words_of_the_axes():
    axes = across("Distance m − n"), upwards("Wavelength (tokens)")
    figure = lines(WHERE, {"a": NUMBERS}, *axes, parts.levels([("high", 2.0)]), line="Rule")
    tables = figure.tables()
    assert tables["lines"].iloc[0].to_dict() == {"Distance m − n": 0, "Wavelength (tokens)": 1.0, "Rule": "a"}
    assert list(tables["levels"]) == ["Label", "Wavelength (tokens)"]


def test_a_band_goes_from_the_lowest_to_the_highest():
    named = {"a": (WHERE, NUMBERS, NUMBERS - 1, NUMBERS + 2), "b": (WHERE[:1], NUMBERS[:1], NUMBERS[:1], NUMBERS[:1])}
    figure = layered(curves(ranges(named), *PLAIN, band=True, spread=True))
    frame = figure.frames["lines"]
    assert frame["min"].to_list() == [0, 1, 2, 1]
    assert frame["max"].to_list() == [3, 4, 5, 1]
    assert frame.name.to_list() == ["a"] * 3 + ["b"]
    bands = figure.frames["bands"]
    assert bands[["left", "bottom", "top"]].to_numpy().tolist() == [[0, 0, 3], [1, 1, 4], [2, 2, 5]]
    area = layer(figure, "bands", "area")["encoding"]
    assert [area[channel]["field"] for channel in ("x", "y", "y2")] == ["left", "bottom", "top"]
    assert area["color"] == encoding(figure, "color")
    told = [one["field"] for one in encoding(figure, "tooltip", "circle")]
    assert told == ["name", "x", "y", "min", "max"]


@pytest.mark.parametrize("axes", [PLAIN, LOG, ENDS, (across("x", log=True), Y)])
@pytest.mark.parametrize("looks", [{}, {"dots": True, "wide_first": True}])
@pytest.mark.parametrize("marks", [(), [("a mark", 2.0)]])
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


@pytest.mark.parametrize("at", [3, 7])
def test_a_line_that_is_dragged_tells_the_value_of_each_series_there(at):
    where = torch.arange(9)
    named = {"square": where.double() ** 2 + 0.25, "root": where.double().sqrt()}
    figure = lines(where, named, *PLAIN, parts.values_read("x", at, 8))
    written = set(re.findall(r">([^<>]+)</text>", figure.svg()))
    assert {f"{at**2 + 0.25:.4g}", f"{at**0.5:.4g}"} <= written
    assert not {f"{(10 - at) ** 2 + 0.25:.4g}", f"{(10 - at) ** 0.5:.4g}"} & written


@pytest.mark.parametrize(("place", "seen"), [(-1, "0"), (2, "1")])
def test_a_line_stands_where_a_picture_beside_it_is_pointed_at(place, seen):
    spec = copy.deepcopy(lines(WHERE, {"a": NUMBERS}, *PLAIN, parts.together()).standalone())
    [signal] = spec["config"]["signals"]
    signal["value"] = place
    svg = vl_convert.vegalite_to_svg({**spec, "width": 400, "height": 100})
    [(left, right, opacity)] = re.findall(rf'd="M([-\d.]+),0h([\d.]+)v100\S+" fill="{GREY}" opacity="(.)"', svg)
    assert (float(left) + float(right) / 2, opacity) == (200 * place, seen)
    assert "signals" not in lines(WHERE, {"a": NUMBERS}, *PLAIN).spec["config"]


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
