"""Two runs in one picture: every loss is there, and the spec does not change with the numbers."""

import xml.etree.ElementTree as tree

import pytest

from pe_core.figures.lab_tasks import quantity
from pe_core.figures.palette import CATEGORICAL
from pe_core.figures.two_runs import RUNS, two_runs

FIRST = {"RoPE": [(1.0, 2.0), (8.0, 3.5)], "ALiBi": [(1.0, 2.1), (8.0, 2.2)]}
SECOND = {"RoPE": [(1.0, 1.9), (2.0, 1.8)]}


def test_every_loss_is_a_point():
    frame = two_runs(FIRST, SECOND).frames["lines"]
    assert frame.to_numpy().tolist() == [
        [1.0, 2.0, "RoPE", "first run"],
        [8.0, 3.5, "RoPE", "first run"],
        [1.0, 2.1, "ALiBi", "first run"],
        [8.0, 2.2, "ALiBi", "first run"],
        [1.0, 1.9, "RoPE", "second run"],
        [2.0, 1.8, "RoPE", "second run"],
    ]


def test_the_spec_depends_on_the_encodings_only():
    assert two_runs(FIRST, SECOND).spec == two_runs(FIRST, {"ALiBi": [(1.0, 9.0)]}).spec
    assert two_runs(FIRST, SECOND).spec != two_runs(FIRST, {"T5": [(1.0, 9.0)]}).spec


def test_an_encoding_of_both_runs_has_one_colour():
    colour = two_runs(FIRST, SECOND).spec["layer"][0]["encoding"]["color"]["scale"]
    assert colour == {"domain": ["RoPE", "ALiBi"], "range": list(CATEGORICAL[:2])}


def test_more_encodings_than_colours_share_them():
    many = {str(number): [(1.0, 2.0)] for number in range(16)}
    colour = two_runs(many, many).spec["layer"][0]["encoding"]["color"]["scale"]
    assert len(colour["domain"]) == len(colour["range"]) == 16


@pytest.mark.parametrize("second", [SECOND, {}], ids=["two", "one of them empty"])
def test_it_is_drawn(second):
    drawn = two_runs(FIRST, second).svg()
    tree.fromstring(drawn)
    for word in ("RoPE", "ALiBi", *RUNS):
        assert word in drawn


def test_of_tasks_the_share_of_right_answers_is_shown():
    figure = two_runs({"RoPE": [(1.0, 0.9), (8.0, 0.2)]}, {"RoPE": [(1.0, 1.0)]}, quantity("accuracy"))
    assert figure.frames["lines"].to_dict("list") == {
        "times": [1.0, 8.0, 1.0],
        "share": [0.9, 0.2, 1.0],
        "encoding": ["RoPE"] * 3,
        "run": ["first run", "first run", "second run"],
    }
    line, dots = figure.spec["layer"]
    assert line["encoding"]["y"]["title"] == "Right answers"
    assert line["encoding"]["y"]["scale"] == {"domain": [0, 1]}
    assert dots["encoding"]["y"]["field"] == "share"
    assert "Loss" not in figure.svg()


def test_the_key_of_the_dashes_can_be_seen():
    drawn = two_runs(FIRST, SECOND).svg()
    keys = [path for path in drawn.split("<path") if 'stroke="#808080"' in path]
    assert ['stroke-dasharray="1,0"' in key for key in keys] == [True, False]
