"""Colours and sizes of every figure.

Colours are chosen by meaning and safe for colour-blind eyes: one encoding has one colour everywhere. Type and marks
grow with the width of a picture, so that a projector shows what a telephone shows: the spec stays the same, and Vega
computes the sizes from the width of the plot, also where a picture fills the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:  # Home's first picture has colours and needs no library
    import numpy as np


# Okabe & Ito 2008, "Color Universal Design"; yellow darkened and black greyed, to show on light and dark.
CATEGORICAL = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6D00", "#7F7F7F")
GREY = CATEGORICAL[7]  # what others are compared with
FAR_APART = tuple(CATEGORICAL[place] for place in (0, 1, 4, 2, 7, 3, 5, 6))  # the first few of them

_BLUE, _ORANGE, _GREEN, _PINK, _VERMILION, _SKY, _BROWN, _ = CATEGORICAL
# Hardly told apart without red or green cones (CIEDE2000 below 10): beside the second colour the first is dashed.
ALIKE = {_BROWN: _VERMILION, _GREEN: GREY}
DASHED = (6, 4)  # of a rule, and of a mark across the picture
SOLID: tuple[int, ...] = ()  # with the [1, 0] that Vega uses, a canvas draws a line pixel by pixel
DASHES = (SOLID, (6, 3), (2, 2), (9, 3, 2, 3))
# Those that stand beside each other most often; the others take the colours in turn, in the order of the registry.
PINNED = {
    "none": GREY,
    "learned": _BROWN,
    "sinusoidal": _BLUE,
    "rope": _VERMILION,
    "t5": _ORANGE,
    "alibi": _SKY,
    "kerple_log": _GREEN,
    "kerple_power": _BLUE,
    "sandwich": _BROWN,
    "fire": _PINK,
}

# Signed values around 0: blue below, grey in the middle, yellow above. Every colour is lighter than the one before, by
# equal steps of lightness (CIE L* 14 to 91, hues 282 and 93 degrees, the colours of cividis by Nunez et al. 2017,
# arXiv:1712.01662, with more of each): the sign shows in a grey print, and to eyes that do not tell red from green.
DIVERGING = ("#00234B", "#023870", "#004E97", "#4B649C", "#7D7D7D", "#A79559", "#C8AF40", "#E8C936", "#FFE488")

# What has a size but no sign: from light to dark.
SEQUENTIAL = ("#F7F7F7", "#FDD0A2", "#FD8D3C", "#D94801", "#7F2704")

# Text that is a mark, as a Vega expression: the theme colours axes and legends, but not marks, and sets the background.
INK = "background && luminance(background) < 0.4 ? '#E8EDF2' : '#1B2430'"

# What a picture is drawn on: behind words that may stand on a line, and in gaps.
PAPER = "background || '#FFFFFF'"

# Words of axes and legends: Streamlit's own grey is too pale on white for a projector.
QUIET_INK = "background && luminance(background) < 0.4 ? '#E8EDF2' : '#424C58'"
SHADES = DIVERGING[::-1]  # yellow to blue: each is darker than the one before, for grey prints
INKS = ("#000000", "#FFFFFF")  # one of them has a contrast of 4.58 or more on any colour

MIN_SIZE, MAX_SIZE = 12, 20  # pixels of the words at an axis
# How large all is, as a fraction of what it is in a narrow picture: 1 up to 350 pixels, 1.15 at 700, 1.55 at 1,750.
GROWTH = f"clamp(0.87 + width / 2600, 1, {MAX_SIZE / MIN_SIZE:.2f})"


def grown(pixels: float) -> dict[str, str]:
    """Return a size that is `pixels` in a narrow picture and grows with the width, as an expression of Vega."""
    return {"expr": f"{pixels:g} * {GROWTH}"}


def area(pixels: float) -> dict[str, str]:
    """Return the area of a mark that is `pixels` in a narrow picture, and whose sides grow with the width."""
    return {"expr": f"{pixels:g} * pow({GROWTH}, 2)"}


def inked(pixels: float, *, bold: bool = False) -> dict[str, Any]:
    """Return the look of words that are a mark, `pixels` high in a narrow picture: in ink."""
    return {"fontSize": grown(pixels), "color": {"expr": INK}, **({"fontWeight": "bold"} if bold else {})}


def gradient(length: float) -> dict[str, Any]:
    """Return the look of a legend of colours that run into each other, so many pixels long in a narrow picture."""
    sizes = {"gradientLength": grown(length), "gradientThickness": grown(10)}
    return {"type": "gradient", "titleOrient": "left", **sizes}


_WORDS = {"labelFontSize": grown(MIN_SIZE), "titleFontSize": grown(MIN_SIZE)}
_COLOURS = {"labelColor": {"expr": QUIET_INK}, "titleColor": {"expr": QUIET_INK}}
# Settings of every picture, for what has no size or colour of its own.
CONFIG: dict[str, dict[str, Any]] = {
    # Every label stands at the middle of its tick: Streamlit pushes those at the ends inwards, off their grid lines.
    "axis": {**_WORDS, **_COLOURS, "labelFlush": False},
    "legend": {**_WORDS, **_COLOURS, "symbolSize": area(100)},
    "text": {"fontSize": grown(MIN_SIZE)},
}


def on_ground(width: float | dict[str, str]) -> dict[str, Any]:
    """Return the look of words that lie under the same words in ink: paper around their letters, where lines cross."""
    return {"stroke": {"expr": PAPER}, "strokeWidth": width, "strokeJoin": "round", "fill": None}


@cache
def lookup_table(colours: tuple[str, ...] = DIVERGING) -> np.ndarray:
    """Return 256 colours, evenly interpolated from the given ones, uint8, shape (256, 3)."""
    import numpy as np

    stops = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours])
    where = np.linspace(0, len(colours) - 1, 256)
    channels = [np.interp(where, np.arange(len(colours)), stops[:, channel]) for channel in range(3)]
    table: np.ndarray = np.stack(channels, axis=-1).round().astype(np.uint8)
    table.flags.writeable = False
    return table


def colour_of(title: str) -> str:
    """Return the colour of the encoding of this title; one that is not in the registry has that of its letters."""
    return _colours().get(title) or CATEGORICAL[crc32(title.encode()) % 7]


def dashes_of(colours: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the dash of each line of a picture by their colours: another one where colours are equal or alike."""
    dashes: dict[int, tuple[int, ...]] = {}
    for place in sorted(range(len(colours)), key=lambda place: colours[place] in ALIKE):
        like = (colours[place], ALIKE.get(colours[place]))
        used = [dash for other, dash in dashes.items() if colours[other] in like]
        dashes[place] = min(DASHES, key=lambda dash: (used.count(dash), DASHES.index(dash)))
    return tuple(dashes[place] for place in range(len(colours)))


@cache
def _colours() -> dict[str, str]:
    from pe_core.encodings import ENCODINGS  # loads torch, which pictures of pinned colours alone do without

    others = [spec.title for key, spec in ENCODINGS.items() if key not in PINNED]
    in_turn = {title: CATEGORICAL[place % 7] for place, title in enumerate(others)}
    return {ENCODINGS[key].title: colour for key, colour in PINNED.items()} | in_turn


def shade(grade: float) -> str:
    """Return the colour of a grade from 0, the palest, to 1, the darkest, as "#RRGGBB"."""
    red, green, blue = lookup_table(SHADES)[round(255 * grade)]
    return f"#{red:02X}{green:02X}{blue:02X}"


def ink(colour: str) -> str:
    """Return the colour of words on a colour "#RRGGBB": black or white, whichever stands out more."""
    return max(INKS, key=lambda words: contrast(words, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours "#RRGGBB", from 1 to 21, as WCAG 2.2 of the W3C defines it."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour "#RRGGBB", 0 black to 1 white, as WCAG 2.2 of the W3C defines it."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
