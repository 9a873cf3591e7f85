"""Every page fits a telephone, in the light and in the dark, and its pictures have words that can be read."""

import pytest

from tests.browser.looking import picture, put_into
from tests.browser.visiting import HEIGHT, TELEPHONE

pytestmark = pytest.mark.browser

TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
    .filter(part => part.scrollWidth > part.clientWidth)
    .map(part => `${part.tagName}: ${part.scrollWidth} in ${part.clientWidth}`)"""
SET_WIDTH = "width => document.querySelector('[data-testid=stMainBlockContainer]').style.width = width"
SIZES = ((390, 12), (1280, 12), (1920, 12.5))  # pixels of width, and of the smallest words of a picture there
# The words of every picture whose marks are elements, by their size, and how many pictures there are.
WORDS = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')].flatMap(drawn =>
    [...drawn.querySelectorAll('text')].filter(word => word.textContent.trim())
        .map(word => [parseFloat(getComputedStyle(word).fontSize), word.textContent]))"""


def test_the_smallest_words_of_a_picture_can_be_read_and_grow(loaded):
    """Of pictures on a canvas the same sizes are read from their specs (tests/figures/test_growth.py)."""
    if loaded.get_by_test_id("stVegaLiteChart").count() == 0:
        return
    put_into(loaded, "light")
    for width, smallest in SIZES:
        loaded.set_viewport_size({"width": width, "height": HEIGHT})
        picture(loaded)
        assert [word for word in loaded.evaluate(WORDS) if word[0] < smallest - 0.01] == []


def test_no_page_is_wider_than_a_telephone(loaded):
    loaded.set_viewport_size({"width": TELEPHONE, "height": HEIGHT})
    drawn = {}
    for scheme in ("light", "dark"):
        put_into(loaded, scheme)
        drawn[scheme] = picture(loaded)
        assert loaded.evaluate(TOO_WIDE) == []
    assert drawn["light"] != drawn["dark"]
    loaded.evaluate(SET_WIDTH, "500px")
    assert loaded.evaluate(TOO_WIDE) != []  # the measure itself sees what is too wide
    loaded.evaluate(SET_WIDTH, "")
