"""Colours are told apart in a grey print and by the colour-blind, an encoding keeps its own; words grow with a room."""

import json
import re
import tomllib
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from pe_core.chapters import lab
from pe_core.encodings import ENCODINGS
from pe_core.figures.curves import across, lines, marks, upwards
from pe_core.figures.looks.palette import (
    ALIKE,
    CATEGORICAL,
    CONFIG,
    DASHES,
    DIVERGING,
    GREY,
    INK,
    INKS,
    QUIET_INK,
    SEQUENTIAL,
    SHADES,
    colour_of,
    contrast,
    dashes_of,
    ink,
    lookup_table,
    shade,
)
from tests.cases import each
from tests.figures.colours import EYES, difference, luminance
from tests.figures.colours import lab as seen

TOLD_APART = 10  # CIEDE2000; 2.3 is what one just sees, side by side
USUAL = ("none", "learned", "sinusoidal", "rope", "alibi", "t5", "kerple_log", "fire")
PAPER, NIGHT = "#FFFFFF", "#0E1117"  # backgrounds of the two themes


@each(
    ("one", "other", "expected"),
    [  # Sharma, Wu & Dalal 2005, table 1
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
        ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
    ],
)
def test_the_measure_of_colours_is_that_of_its_paper(one, other, expected):
    assert difference(one, other) == pytest.approx(expected, abs=1e-4)


@each("eyes", EYES)
@each(("stops", "sign"), [(DIVERGING, 1), (SEQUENTIAL, -1)])
def test_every_step_of_a_scale_is_lighter_or_every_one_darker(stops, sign, eyes):
    steps = np.diff([seen(colour, eyes)[0] for colour in stops])
    assert (sign * steps > 5).all()  # in L*, 0 to 100
    colours = ["#" + bytes(row).hex() for row in lookup_table(stops)[::5]]  # neighbours are rounded
    between = np.diff([luminance(colour, eyes) for colour in colours])
    assert (sign * between > 0).all()


def test_bits_and_what_is_below_or_above_0_differ_in_grey():
    assert contrast(DIVERGING[0], DIVERGING[-1]) >= 10
    assert min(contrast(end, DIVERGING[4]) for end in (DIVERGING[0], DIVERGING[-1])) >= 3
    assert contrast(SEQUENTIAL[0], SEQUENTIAL[-1]) >= 3


@each("eyes", EYES)
def test_lines_of_two_colours_are_told_apart_by_the_colour_or_the_dash(eyes):
    for one, other in combinations(CATEGORICAL, 2):
        if (other, one) not in ALIKE.items() and (one, other) not in ALIKE.items():
            assert difference(seen(one, eyes), seen(other, eyes)) >= TOLD_APART


def test_colours_that_are_alike_are_so_for_some_eyes_and_have_another_dash():
    for one, other in ALIKE.items():
        assert min(difference(seen(one, eyes), seen(other, eyes)) for eyes in EYES) < TOLD_APART
        assert dashes_of((one, other)) == (DASHES[1], DASHES[0])
        assert dashes_of((other, one)) == (DASHES[0], DASHES[1])


def test_every_colour_shows_on_light_and_dark():
    assert min(contrast(colour, PAPER) for colour in CATEGORICAL) > 2.2
    assert min(contrast(colour, NIGHT) for colour in CATEGORICAL) > 3


def words_of(part):
    """Every part of a spec that writes words into a picture."""
    if isinstance(part, dict) and isinstance(part.get("mark"), dict) and part["mark"]["type"] == "text":
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from words_of(inner)


def test_no_words_have_the_colour_of_a_series_which_is_too_pale_for_letters():
    specs = [json.loads(path.read_text()) for path in sorted(Path(__file__).with_name("specs").glob("*.json"))]
    words = [one for spec in specs for one in words_of(spec)]
    assert len(words) > 100
    assert [one for one in words if "color" in one.get("encoding", ()) or one["mark"].get("color") in CATEGORICAL] == []


@each("words", [INK, QUIET_INK])
def test_inks_are_read_on_the_grounds_of_both_themes(words):
    themes = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())["theme"]
    for colour, theme in zip(re.findall("#[0-9A-F]{6}", words), ("dark", "light"), strict=True):
        assert contrast(colour, themes[theme]["backgroundColor"]) >= 4.5


def test_the_usual_encodings_have_eight_colours_and_no_encoding_is_hidden_by_the_grey_of_none():
    assert len({colour_of(ENCODINGS[key].title) for key in USUAL}) == len(USUAL)
    assert [key for key, spec in ENCODINGS.items() if colour_of(spec.title) == GREY] == ["none"]
    typed = [colour_of(f"-{factor}*distance") for factor in range(40)]  # any other title has one of seven, and keeps it
    assert typed == [colour_of(f"-{factor}*distance") for factor in range(40)]
    assert {*typed} == {*CATEGORICAL[:7]}


def test_of_equal_colours_each_has_its_dash_as_far_as_they_go():
    blue, orange = CATEGORICAL[:2]
    assert dashes_of((blue, orange, blue, blue)) == (DASHES[0], DASHES[0], DASHES[1], DASHES[2])
    assert dashes_of([blue] * 6) == (*DASHES, *DASHES[:2])


def test_an_encoding_has_one_colour_in_runs_of_two_and_of_eight():
    def drawn(*keys):
        lines = tuple((ENCODINGS[key].title, ((32, 2.0), (64, 3.0))) for key in keys)
        scale = lab.two_runs(first=lines, second=lines[:1]).spec["layer"][0]["encoding"]["color"]["scale"]
        return dict(zip(scale["domain"], scale["range"], strict=True))

    few, many = drawn("rope", "t5"), drawn(*USUAL)
    assert few.items() <= many.items()
    assert few == {ENCODINGS[key].title: colour_of(ENCODINGS[key].title) for key in ("rope", "t5")}


def test_every_shade_is_darker_than_the_one_before_from_the_palest_to_the_darkest():
    greys = [luminance(shade(place / 255)) for place in range(256)]
    assert all(after < before for before, after in pairwise(greys))
    assert (shade(0), shade(1)) == (SHADES[0], SHADES[-1])


@given(st.floats(0, 1))
def test_words_can_be_read_on_every_shade(grade):
    colour = shade(grade)
    assert contrast(ink(colour), colour) >= 4.5
    assert contrast(ink(colour), colour) == max(contrast(words, colour) for words in INKS)


@each(
    ("one", "other", "expected"),
    [
        ("#000000", "#FFFFFF", 21),
        ("#777777", "#FFFFFF", 4.478),
        ("#0000FF", "#FFFFFF", 8.592),
        ("#123456", "#123456", 1),
    ],
)
def test_contrast_is_that_of_the_guidelines(one, other, expected):
    assert contrast(one, other) == contrast(other, one) == pytest.approx(expected, abs=5e-4)


@each(("width", "low", "high"), [(250, 12, 12), (760, 13.9, 14.5), (1800, 18, 20)])
def test_words_grow_with_the_width_of_the_picture(width, low, high):
    figure = lines(torch.arange(3), {"a": torch.ones(3)}, across("x"), upwards("y"), marks([("here", 1.0)]))
    config = {**figure.spec["config"], **CONFIG}
    svg = vl_convert.vegalite_to_svg({**figure.standalone(), "width": width, "height": 200, "config": config})
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', svg)]
    assert len(sizes) > 5
    assert low <= min(sizes) <= max(sizes) <= high


@each(("last", "width"), [(500, 300), (511, 360), (540, 300), (511, 900)])
def test_labels_stand_at_the_middle_of_their_ticks_and_within_the_picture(last, width):
    svg = lines(torch.tensor([0, last]), {"a": torch.ones(2)}, across("x"), upwards("y")).svg(width=width)
    seen = r'<text text-anchor="(\w+)" transform="translate\(([\d.]+),[\d.]+\)"[^>]*opacity="1">(\d+)</text>'
    anchors, places, numbers = zip(*re.findall(seen, svg), strict=True)
    assert {*anchors} == {"middle"}
    per_unit = [
        (float(there) - float(here)) / (int(to) - int(at))
        for (here, at), (there, to) in pairwise(zip(places, numbers, strict=True))
    ]
    assert len(per_unit) >= 4
    assert per_unit == pytest.approx([per_unit[0]] * len(per_unit), rel=0.02)
    start = float(re.search(r'stroke-miterlimit="10" transform="translate\((\d+),', svg)[1])  # of the plot
    assert start + float(places[-1]) + 10 < width  # "500" is 20 pixels wide and more
