"""Every page fits a telephone, in the light and in the dark."""

import pytest

from tests.browser.looking import LUMINANCE, picture
from tests.browser.serving import ROOT

pytestmark = pytest.mark.browser

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
    .filter(part => part.scrollWidth > part.clientWidth)
    .map(part => `${part.tagName}: ${part.scrollWidth} in ${part.clientWidth}`)"""


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_telephone(visit, name):
    page = visit("/" if name == "home" else f"/{name}", width=390)
    drawn = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        drawn[scheme] = picture(page)
        assert (page.evaluate(LUMINANCE) < 0.2) == (scheme == "dark")
        assert page.evaluate(TOO_WIDE) == []
    assert drawn["light"] != drawn["dark"]
    page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').style.width = '500px'")
    assert page.evaluate(TOO_WIDE) != []  # the measure itself sees what is too wide
