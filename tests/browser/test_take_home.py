"""What a visitor takes home: a link that brings back the slider of a picture; and what a newcomer does from Home on."""

import re
import struct
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from pe_core.lab.results.statistics import HOLDS_UP_TO
from tests.browser.looking import press
from tests.browser.serving import wait_until_idle
from tests.browser.training import TRAINED, button, stopped

pytestmark = pytest.mark.browser

PAGE, NAME = "/binary_vs_sinusoid", "bs_table_at_position"
OTHER = "bs_lanes_at_position"  # of the picture that shows the same position
SLIDER = ".vega-bindings input[name=at_position]"
# Heard at the document: a click that lands beside its target is stopped at the window, and made anew.
CLICKS = """document.addEventListener('click', event => {
    if (event.isTrusted) sessionStorage.clicks = 1 + +(sessionStorage.clicks ?? 0);
}, true)"""
# How many times as high RoPE's loss is at eight times the training length, as a run that goes on shows it.
CLIFF = r"""() => {
    const seen = /RoPE after \d+ steps: loss ([\d.]+) at 64, loss ([\d.]+) at 512/.exec(document.body.textContent);
    return seen ? seen[2] / seen[1] : 0;
}"""


def test_the_slider_of_a_picture_stands_in_the_link_and_comes_back(visit, app):
    page = visit(f"{PAGE}?{NAME}=20&tab=x", fresh=True)
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


@contextmanager
def task(page, name, most):
    """What a newcomer does from Home on, in at most so many clicks; it tells how many."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="Positional Encoding Explorer")).to_be_visible()
    page.evaluate("sessionStorage.clicks = 0")
    yield
    clicks = int(page.evaluate("sessionStorage.clicks"))
    print(f"{name}: {clicks} clicks")
    assert 0 < clicks <= most, name


def test_a_newcomer_has_done_three_things_after_few_clicks(visit, tmp_path):
    page = visit("/requirements", fresh=True)
    page.evaluate(CLICKS)
    with task(page, "sees the length cliff live", 2):
        page.get_by_test_id("stMain").get_by_role("link", name="Lab").click()
        button(page, "train").click()
        page.wait_for_function(f"({CLIFF})() > {HOLDS_UP_TO}", timeout=TRAINED)
    button(page, "stop").click()
    expect(stopped(page)).to_be_visible(timeout=TRAINED)
    with task(page, "brings a text of their own", 3):
        page.get_by_role("link", name="Train on your own text").click()
        page.get_by_role("textbox", name="Your text").click()
        page.keyboard.insert_text(" ".join(str(number**2) for number in range(2_000)))
        page.get_by_role("heading", level=1).click()
        expect(page).to_have_url(re.compile("text=paste"))
        expect(button(page, "train")).to_be_enabled()
    with task(page, "has a picture for a slide", 3):
        page.get_by_test_id("stSidebarNav").get_by_role("link", name="Counting").click()
        page.get_by_role("button", name="Link, pictures, Python").click()
        with page.expect_download() as download:
            page.get_by_role("dialog").get_by_role("button", name="PNG").first.click()
        download.value.save_as(tmp_path / "slide.png")
    content = (tmp_path / "slide.png").read_bytes()
    assert struct.unpack(">II", content[16:24]) == (1920, 1080)
