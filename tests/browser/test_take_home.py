"""What a visitor takes home: a link that brings back the slider of a picture, and a picture for a slide."""

import re
import struct

import pytest
from playwright.sync_api import expect

from tests.browser.looking import DEADLINE, press
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

PAGE, NAME = "/binary_vs_sinusoid", "bs_table_at_position"
OTHER = "bs_lanes_at_position"  # of the picture that shows the same position
SLIDER = ".vega-bindings input[name=at_position]"
CLICKS = (
    "addEventListener('click', event => { if (event.isTrusted) sessionStorage.n = 1 + +(sessionStorage.n ?? 0) }, true)"
)


def test_the_slider_of_a_picture_stands_in_the_link_and_comes_back(visit, app):
    page = visit(f"{PAGE}?{NAME}=20&tab=x")
    slider = page.locator(SLIDER).first
    expect(slider).to_have_value("20")
    sent = []
    page.on("websocket", lambda socket: sent.append(socket))  # none is opened anew either
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    page.wait_for_url(f"**{NAME}=23*")
    wait_until_idle(page)
    expect(page).to_have_url(re.compile(rf"{re.escape(PAGE)}\?{NAME}=23&tab=x&{OTHER}=23$"))
    press(page, "bits", "ArrowRight")  # the server writes the address now
    expect(slider).to_have_value("23")
    expect(page).to_have_url(re.compile(f"{NAME}=23"))
    page.get_by_role("button", name="Link, pictures, Python").click()
    expect(page.get_by_role("dialog").get_by_text(f"{NAME}=23")).to_be_visible()
    page.keyboard.press("Escape")
    before = page.evaluate("history.length")
    page.reload()
    wait_until_idle(page)
    expect(page.locator(SLIDER).first).to_have_value("23")
    assert page.evaluate("history.length") == before
    assert sent == sent[-1:]


def test_a_picture_is_in_a_slide_three_clicks_from_home(visit, tmp_path):
    page = visit("/")
    page.evaluate(CLICKS)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Counting").click()
    page.get_by_role("button", name="Link, pictures, Python").click()
    with page.expect_download(timeout=1_000 * DEADLINE) as download:
        page.get_by_role("dialog").get_by_role("button", name="PNG").first.click()
    download.value.save_as(tmp_path / "slide.png")
    content = (tmp_path / "slide.png").read_bytes()
    assert struct.unpack(">II", content[16:24]) == (1920, 1080)
    assert page.evaluate("sessionStorage.n") == "3"
