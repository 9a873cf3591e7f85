"""A run keeps nobody from looking at other pages."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, press, wait_for_other_picture
from tests.browser.training import LONG, button, train

pytestmark = pytest.mark.browser


def test_a_run_keeps_nobody_from_moving_a_slider(visit, app):
    page, other = visit(LONG), visit("/binary_vs_sinusoid")
    page.bring_to_front()  # what is behind draws once a second
    train(page)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Binary against sinusoid").click()
    page.wait_for_url(f"{app}/binary_vs_sinusoid")
    for visitor in (page, other):
        visitor.bring_to_front()
        shown = picture(visitor)
        press(visitor, "positions", "ArrowRight")
        wait_for_other_picture(visitor, shown)
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text(re.compile(r"Lab: Step [1-9]"))
    expect(other.get_by_test_id("stSidebar")).not_to_contain_text("Lab: Step")
    page.bring_to_front()
    sidebar.get_by_role("link", name="See the run").click()
    button(page, "stop").click()
    expect(page.get_by_text(re.compile(r"^Stopped\."))).to_be_visible()
