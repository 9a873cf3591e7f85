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

TOLD_APART = 10  # CIEDE2000; 2.3 is what one just sees, side by side
USUAL = ("none", "learned", "sinusoidal", "rope", "alibi", "t5", "kerple_log", "fire")
PAPER, NIGHT = "#FFFFFF", "#0E1117"  # backgrounds of the two themes


# Machado, Oliveira & Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# severity 1.0, on linear RGB.
EYES = {
    "normal": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# sRGB (D65) to XYZ, IEC 61966-2-1.
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str, eyes: str = "normal") -> np.ndarray:
    """Linear RGB of "#RRGGBB", as these eyes see it."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.clip(np.asarray(EYES[eyes]) @ light, 0, 1)


def luminance(colour: str, eyes: str = "normal") -> float:
    """Relative luminance, 0 to 1."""
    return float(_XYZ[1] @ linear(colour, eyes))


def seen(colour: str, eyes: str = "normal") -> tuple[float, float, float]:
    """CIE L*a*b* in D65."""
    x, y, z = (
        np.cbrt(part) if part > (6 / 29) ** 3 else part / (3 * (6 / 29) ** 2) + 4 / 29
        for part in _XYZ @ linear(colour, eyes) / _XYZ.sum(axis=1)
    )
    return float(116 * y - 16), float(500 * (x - y)), float(200 * (y - z))


def difference(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """CIEDE2000 of two colours in L*a*b* (Sharma, Wu & Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    c1, c2 = np.hypot(a1 * stretch, b1), np.hypot(a2 * stretch, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cosines = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    t = 1 + sum(weight * np.cos(np.radians(times * hue + ahead)) for weight, times, ahead in cosines)
    in_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    in_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    in_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(in_light**2 + in_chroma**2 + in_hue**2 + rotation * in_chroma * in_hue))


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
