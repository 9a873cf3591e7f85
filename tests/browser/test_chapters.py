"""A presenter's clicker leads through the chapters and back; a click on the words does the same."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser


def test_page_down_and_page_up_turn_the_chapters(visit):
    page = visit("/")
    for key, name in (("PageDown", "why_position"), ("PageDown", "counting"), ("PageUp", "why_position")):
        expect(page.get_by_text(key, exact=True)).to_be_visible()  # the button, drawn last
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"/{name}"))
        wait_until_idle(page)
    page.locator(".st-key-to_counting").get_by_role("button").click()
    expect(page).to_have_url(re.compile("/counting"))


def test_a_page_whose_controls_were_moved_can_be_left_and_is_found_as_it_was(visit):
    page = visit("/rope?rope_width=16")
    expect(page.get_by_text("PageDown", exact=True)).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("/biases$"))
    wait_until_idle(page)
    expect(page.get_by_text("PageUp", exact=True)).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile(r"/rope\?rope_width=16$"))
