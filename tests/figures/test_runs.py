"""Curves of runs: means, ends and blocks by hand, what the spec depends on, and two runs in one picture."""

import xml.etree.ElementTree as tree

import pytest

from pe_core.figures import curves
from pe_core.figures.looks.palette import CATEGORICAL, colour_of
from pe_core.figures.runs import (
    RUNS,
    Named,
    Quantity,
    block_means,
    over_lengths,
    over_runs,
    two_runs,
)
from tests.figures.layers import layers

FIRST = {"RoPE": [(1.0, 2.0), (8.0, 3.5)], "ALiBi": [(1.0, 2.1), (8.0, 2.2)]}
LOSS, FRACTION = Quantity("Loss"), Quantity("Right answers", ".1%", is_fraction=True)
SECOND = {"RoPE": [(1.0, 1.9), (2.0, 1.8)]}


def test_every_loss_is_a_point():
    frame = two_runs(FIRST, SECOND, LOSS).frames["lines"]
    assert frame.to_numpy().tolist() == [
        [1.0, 2.0, "RoPE", "first run"],
        [8.0, 3.5, "RoPE", "first run"],
        [1.0, 2.1, "ALiBi", "first run"],
        [8.0, 2.2, "ALiBi", "first run"],
        [1.0, 1.9, "RoPE", "second run"],
        [2.0, 1.8, "RoPE", "second run"],
    ]


def test_the_spec_depends_on_the_encodings_only():
    assert two_runs(FIRST, SECOND, LOSS).spec == two_runs(FIRST, {"ALiBi": [(1.0, 9.0)]}, LOSS).spec
    assert two_runs(FIRST, SECOND, LOSS).spec != two_runs(FIRST, {"T5": [(1.0, 9.0)]}, LOSS).spec


def test_an_encoding_of_both_runs_has_one_colour():
    colour = two_runs(FIRST, SECOND, LOSS).spec["layer"][0]["encoding"]["color"]["scale"]
    assert colour == {"domain": ["RoPE", "ALiBi"], "range": [colour_of("RoPE"), colour_of("ALiBi")]}


def test_encodings_of_one_colour_have_points_of_several_shapes():
    many = {str(number): [(1.0, 2.0)] for number in range(16)}
    looks = two_runs(many, many, LOSS).spec["layer"][1]["encoding"]
    colour = two_runs(many, many, LOSS).spec["layer"][0]["encoding"]["color"]["scale"]
    assert len(colour["domain"]) == len(colour["range"]) == 16
    assert len({*colour["range"]}) < len({*zip(colour["range"], looks["shape"]["scale"]["range"], strict=True)})
    assert "shape" not in two_runs(FIRST, SECOND, LOSS).spec["layer"][1]["encoding"]


@pytest.mark.parametrize("second", [SECOND, {}], ids=["two", "one of them empty"])
def test_it_is_drawn(second):
    drawn = two_runs(FIRST, second, LOSS).svg()
    tree.fromstring(drawn)
    for word in ("RoPE", "ALiBi", *RUNS):
        assert word in drawn


def test_of_tasks_the_fraction_of_right_answers_is_shown():
    figure = two_runs({"RoPE": [(1.0, 0.9), (8.0, 0.2)]}, {"RoPE": [(1.0, 1.0)]}, FRACTION)
    assert figure.frames["lines"].to_dict("list") == {
        "x": [1.0, 8.0, 1.0],
        "y": [0.9, 0.2, 1.0],
        "name": ["RoPE"] * 3,
        "run": ["first run", "first run", "second run"],
    }
    line, dots = figure.spec["layer"]
    assert line["encoding"]["y"]["title"] == "Right answers"
    assert line["encoding"]["y"]["scale"] == {"domain": [0, 1], "nice": False}
    assert dots["encoding"]["y"]["field"] == "y"
    assert "Loss" not in figure.svg()


def test_the_key_of_the_dashes_can_be_seen():
    drawn = two_runs(FIRST, SECOND, LOSS).svg()
    keys = [path for path in drawn.split("<path") if 'stroke="#7F7F7F"' in path]
    assert [f'stroke-dasharray="{dash}"' in key for key, dash in zip(keys, ("", "6,4"), strict=True)] == [True, True]


NAMED = Named(("a", "b"), CATEGORICAL[:2])
CURVES = {"a": [[(16, 1.0), (32, 2.0)], [(16, 3.0), (32, 5.0), (64, 9.0)]], "b": [[(16, 4.0), (32, 1.0)]]}


def drawn(curves=CURVES, named=NAMED, shown=LOSS, **changed):
    return over_lengths(curves, named, "Length (tokens)", shown, **{"train_length": 16, "lengths": (16, 32), **changed})


def test_a_point_is_the_mean_of_the_runs_with_its_ends_as_far_as_all_have_come():
    assert list(over_runs(CURVES["a"])) == [(16, 2.0, 1.0, 3.0, 2), (32, 3.5, 2.0, 5.0, 2)]
    frame = drawn(spread=True).frames["lines"]
    assert list(frame) == ["x", "y", "min", "max", "n", "name"]
    assert frame.to_numpy().tolist() == [
        [16, 2.0, 1.0, 3.0, 2, "a"],
        [32, 3.5, 2.0, 5.0, 2, "a"],
        [16, 4.0, 4.0, 4.0, 1, "b"],
        [32, 1.0, 1.0, 1.0, 1, "b"],
    ]


def test_a_block_is_a_mean_at_its_last_place_and_what_fills_none_is_left():
    assert block_means([1.0, 3.0, 2.0, 6.0, 9.0], 2) == [(2, 2.0), (4, 4.0)]
    assert block_means([], 3) == []


def test_a_file_has_the_words_of_the_axes():
    assert drawn(train_length=None).csv().splitlines()[0] == "Length (tokens),Loss,Minimum,Maximum,Runs,Encoding"
    assert two_runs(FIRST, SECOND, LOSS).csv().startswith("Evaluated length (training lengths),Loss,Encoding,Run\n")


def test_a_length_axis_is_logarithmic_and_names_the_lengths_and_any_other_starts_at_0():
    x = layers(drawn(), "lines", "line")[0]["encoding"]["x"]
    assert (x["scale"]["type"], x["axis"]["values"]) == ("log", [16, 32])
    assert "type" not in layers(drawn(lengths=()), "lines", "line")[0]["encoding"]["x"]["scale"]
    assert drawn(lengths=()).frames["end"].x.to_list() == [0]


def test_bands_go_from_min_to_max_in_the_colour_of_their_line():
    figure = drawn(banded=True, spread=True)
    (band,), (line,) = layers(figure, "bands", "area"), layers(figure, "lines", "line")
    assert figure.frames["bands"].to_numpy().tolist() == [["a", 16, 1, 3], ["a", 32, 2, 5]]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("bottom", "top")
    assert band["encoding"]["color"] == line["encoding"]["color"]
    assert layers(drawn(), "bands") == []


def test_one_guess_is_named_in_the_picture_and_two_in_a_legend():
    (rule,) = layers(drawn(guesses={"often": 3.0, "even": 4.0}), "guesses")
    assert rule["encoding"]["strokeDash"]["scale"]["domain"] == ["often", "even"]
    rule, paper, word = layers(drawn(guesses={"even": 4.0}), "guesses")
    assert "strokeDash" not in rule["encoding"]
    assert word["encoding"] == paper["encoding"]
    assert word["encoding"]["text"]["field"] == "label"
    assert drawn(guesses={"even": 4.0}).spec["layer"][-3:-1] == [paper, word]  # over the lines
    assert ">even</text>" in drawn(guesses={"even": 4.0}).svg()


@pytest.mark.parametrize(("lengths", "end"), [((16, 32), (0, "left")), ((), ("width", "right"))])
def test_the_name_of_a_guess_stands_where_no_line_ends_near_it(lengths, end):
    """Over lengths losses end near the guess, over steps they start there."""
    for word in layers(drawn(guesses={"even": 4.0}, lengths=lengths), "guesses", "text"):
        assert (word["encoding"]["x"]["value"], word["mark"]["align"]) == end


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


def test_the_training_length_and_the_end_of_the_axis_are_there_only_where_asked_for():
    figure = drawn(last=64)
    assert figure.frames["marks"].to_dict("records") == [{"x": 16, "label": "training length"}]
    assert figure.frames["end"].x.to_list() == [64]
    assert set(drawn(train_length=None).frames) == {"lines"}


def test_the_spec_of_runs_stays_while_numbers_change():
    other = drawn({"b": [[(16, 7.0)]]}, train_length=8, last=99, guesses={"even": 1.0})
    assert drawn(last=64, guesses={"even": 4.0}).spec == other.spec
    assert drawn(shown=FRACTION).spec != drawn().spec


@pytest.mark.parametrize("banded", [False, True])
@pytest.mark.parametrize("guesses", [{}, {"even": 4.0}, {"often": 3.0, "even": 4.0}])
def test_runs_are_drawn_without_a_warning(banded, guesses, capfd):
    import vl_convert

    spec = drawn(last=64, guesses=guesses, banded=banded, spread=banded).standalone()
    assert vl_convert.vegalite_to_png(spec, show_warnings=True).startswith(b"\x89PNG\r\n\x1a\n")
    assert capfd.readouterr().err == ""
