"""Every page opens at its top, and leads to its neighbours at its foot."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture_if_any
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

MAIN = "document.querySelector('[data-testid=stMain]')"
ENDS = {"start": "0", "middle": f"({MAIN}.scrollHeight - {MAIN}.clientHeight) / 2", "end": f"{MAIN}.scrollHeight"}
SCROLLED = f"() => ({{top: {MAIN}.scrollTop}})"


def opened(page, name):
    """The page once it is there to its foot, and its first picture drawn."""
    expect(page).to_have_url(re.compile(rf"/{name}(\?|$)"))
    expect(page.get_by_text("Link, pictures, Python")).to_be_visible()
    wait_until_idle(page)
    picture_if_any(page)


def scrolled(page, before=None):
    """How far the page is scrolled, once it is at rest, and elsewhere than before."""
    page.wait_for_function(f"before => {MAIN}.scrollTop !== before", arg=before)
    return settled(page, SCROLLED, frames=10)["top"]


def scroll_to(page, end):
    page.evaluate(f"{MAIN}.scrollTop = {ENDS[end]}")
    return scrolled(page)


@pytest.fixture
def chapter(visit):
    """Opens a chapter in a window in which it is some screens long."""

    def visited(name):
        name = name.replace("home", "")
        page = visit(f"/{name}", still=not name)  # where a picture plays by itself
        opened(page, name)
        return page

    return visited


def test_a_page_that_is_opened_from_far_down_opens_at_its_top(chapter):
    """By a link within a page, from the sidebar, and by the link at the foot."""
    page = chapter("home")
    main, sidebar = page.get_by_test_id("stMainBlockContainer"), page.get_by_test_id("stSidebarNav")
    for way, name, title in (
        (main.locator('a[href$="gallery"]').last, "gallery", "Gallery"),
        (sidebar.get_by_role("link", name="Inspect a model"), "models", "Inspect a model"),
        (main.locator('a[href$="scorecard"]').last, "scorecard", "Scorecard"),
    ):
        scroll_to(page, "end")
        way.click()
        opened(page, name)
        expect(page.get_by_role("heading", level=1)).to_contain_text(title)
        page.wait_for_function(f"{MAIN}.scrollTop === 0")
