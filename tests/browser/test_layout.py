"""Every page fits a telephone, in the light and in the dark."""

import pytest

from tests.browser.looking import picture, put_into
from tests.browser.visiting import HEIGHT, TELEPHONE

pytestmark = pytest.mark.browser

TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
    .filter(part => part.scrollWidth > part.clientWidth)
    .map(part => `${part.tagName}: ${part.scrollWidth} in ${part.clientWidth}`)"""
SET_WIDTH = "width => document.querySelector('[data-testid=stMainBlockContainer]').style.width = width"


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
