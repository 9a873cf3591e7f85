"""The figures of windows and sinks: their frames hold the numbers given, and their specs never change."""

import base64
import io
import math

import numpy as np
import pytest
import torch
from PIL import Image

from pe_core.figures import sinks as sink_figures
from pe_core.figures.windows import COLOURS, HEARD, LOST, SEEN, Axes, lines, reached
from pe_core.masks import causal, prefix, sinks, sliding_window
from pe_core.measures.sinks import cache, row

PLAIN = Axes("x", "y")
LOG = Axes("x", "y", (1.0, 64.0), (4, 16, 64))
NUMBERS = torch.tensor([1.0, 2.0, 3.0])


def pixels(figure):
    (url,) = figure.frames["image"].url
    image = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGBA")
    return np.array(image)


def test_every_cell_has_the_colour_of_its_meaning():
    drawn = pixels(reached(sliding_window(4, 2), sliding_window(4, 3)))
    expected = ["S...", "SS..", "HSS.", "LHSS"]
    names = {"S": SEEN, "H": HEARD, "L": LOST}
    for line, texts in zip(drawn, expected, strict=True):
        for pixel, letter in zip(line, texts, strict=True):
            assert (pixel[3] == 0) == (letter == ".")
            if letter != ".":
                colour = bytes.fromhex(COLOURS[names[letter]][1:])
                assert pixel[:3].tolist() == pytest.approx(list(colour), abs=1)


def test_what_a_prefix_sees_ahead_is_seen():
    assert pixels(reached(prefix(4, 3), prefix(4, 3)))[0, :, 3].tolist() == [255, 255, 255, 0]


def test_behind_the_image_stand_its_cells():
    table = reached(sinks(5, 1, 1), sinks(5, 2, 1)).tables()["image"]
    assert len(table) == 15
    assert table[table["query"] == 3].to_dict("list") == {
        "query": [3] * 4,
        "key": [0, 1, 2, 3],
        "meaning": [SEEN, LOST, HEARD, SEEN],
    }


def test_lines_hold_the_numbers_in_the_order_given():
    frame = lines(NUMBERS, {"b": NUMBERS, "a": -NUMBERS}, {"rule": 2 * NUMBERS}, PLAIN).frames["lines"]
    assert frame.name.to_list() == ["b"] * 3 + ["a"] * 3 + ["rule"] * 3
    assert frame.y.to_list() == [1, 2, 3, -1, -2, -3, 2, 4, 6]


def test_what_is_infinite_or_has_no_logarithm_is_left_out():
    values = torch.tensor([math.inf, -0.5, 64.0])
    assert lines(NUMBERS, {"a": values}, {}, LOG).frames["lines"].y.to_list() == [64]
    assert lines(NUMBERS, {"a": values}, {}, PLAIN).frames["lines"].y.to_list() == [-0.5, 64]


def test_a_line_is_cut_where_it_leaves_the_axis():
    axes = Axes("x", "y", (0.0, 4.0))
    figure = lines(NUMBERS, {"a": torch.tensor([0.0, 2.0, 400.0])}, {}, axes)
    assert figure.frames["lines"].y.to_list() == [0, 2, 400]
    assert [layer["mark"]["clip"] for layer in figure.spec["layer"]] == [True, True]


def test_marks_are_named():
    figure = lines(NUMBERS, {"a": NUMBERS}, {}, LOG, [("here", 16.0)])
    assert figure.frames["marks"].to_dict("records") == [{"label": "here", "x": 16.0}]
    assert "marks" not in lines(NUMBERS, {"a": NUMBERS}, {}, LOG).frames


def test_each_key_has_its_weight_with_the_sink_and_without():
    found = row(1.0, torch.tensor([0.0, 2.0]))
    frame = sink_figures.attention(found).frames["weights"]
    assert frame.key.to_list() == ["sink", "1", "2"] * 2
    assert frame.weight.to_list() == [*found.with_sink.tolist(), *found.without.tolist()]


def test_ids_and_distances_stand_in_four_rows_and_what_is_too_large_is_marked():
    frame = sink_figures.cache_ids(cache(9, 2, 1), 3).frames["ids"]
    rows = {name: own.number.to_list() for name, own in frame.groupby("row", sort=False)}
    assert rows == {
        "Text: id": [0, 8, 9],
        "Text: distance": [9, 1, 0],
        "Cache: id": [0, 1, 2],
        "Cache: distance": [2, 1, 0],
    }
    assert (frame.meaning == sink_figures.NOT_MET).to_list() == [False, True, True, True] + [False] * 8


PAIRS = {
    "reached": [reached(causal(n), causal(n)) for n in (3, 70)],
    "lines": [lines(NUMBERS * n, {"a": NUMBERS * n}, {"r": NUMBERS}, PLAIN) for n in (1, 9)],
    "marked": [lines(NUMBERS * n, {"a": NUMBERS * n}, {}, LOG, [("L", n)]) for n in (4, 9)],
    "attention": [sink_figures.attention(row(float(n), torch.zeros(n))) for n in (1, 9)],
    "cache": [sink_figures.cache_ids(cache(n, 2, 1), n) for n in (1, 9)],
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_spec_stays_the_same_while_numbers_change(name):
    one, other = PAIRS[name]
    assert one.spec == other.spec


@pytest.mark.parametrize("name", PAIRS)
def test_every_figure_can_be_drawn(name):
    for figure in PAIRS[name]:
        assert figure.svg().startswith("<svg")
