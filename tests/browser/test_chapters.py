"""A presenter's clicker leads through the chapters and back; a click on the words does the same."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser


def test_page_down_and_page_up_turn_the_chapters(visit):
    page = visit("/")
    for key, name in (("PageDown", "why_position"), ("PageDown", "binary_vs_sinusoid"), ("PageUp", "why_position")):
        expect(page.get_by_text(key, exact=True)).to_be_visible()  # the button, drawn last
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"/{name}"))
        wait_until_idle(page)
    page.locator(".st-key-to_binary_vs_sinusoid").get_by_role("button").click()
    expect(page).to_have_url(re.compile("/binary_vs_sinusoid"))
