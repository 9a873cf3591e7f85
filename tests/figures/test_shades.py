"""Shades fall in lightness, so that grey prints keep their order, and words stand out on each of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_core.figures.looks.palette import INKS, SHADES, contrast, ink, lookup_table, luminance, shade


def test_every_shade_is_darker_than_the_one_before():
    greys = [luminance(shade(place / 255)) for place in range(256)]
    assert all(after < before for before, after in pairwise(greys))


def test_the_ends_are_the_palest_and_the_darkest_and_the_middle_lies_between():
    assert (shade(0), shade(1)) == (SHADES[0], SHADES[-1])
    red, green, blue = lookup_table(SHADES)[128]
    assert shade(128 / 255) == f"#{red:02X}{green:02X}{blue:02X}"


@given(st.floats(0, 1))
def test_words_can_be_read_on_every_shade(grade):
    colour = shade(grade)
    assert contrast(ink(colour), colour) >= 4.5
    assert contrast(ink(colour), colour) == max(contrast(words, colour) for words in INKS)


@pytest.mark.parametrize(
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
