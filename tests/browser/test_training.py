"""Train, watch, pause, stop, reload: a run as its visitor sees it; and what a newcomer has done after few clicks."""

import re
import struct
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from pe_core.lab.results.statistics import HOLDS_UP_TO
from tests.browser.looking import PICTURE, picture, wait_for_other_picture
from tests.browser.serving import wait_until_idle
from tests.waiting import GIVES_WAY, until

pytestmark = pytest.mark.browser

TINY = "/lab?train_length=16&d_model=16&n_heads=1&n_layers=1"
LONG = "/lab?steps=5000"  # minutes also where nothing else runs: it must not end before who looks at it does
TRAINED = 1_000 * GIVES_WAY  # milliseconds until a trainer has done what is waited for
LINES = '[data-testid="stVegaLiteChart"] >> nth=0 >> .mark-line path'


def button(page, key):
    return page.locator(f".st-key-{key}").get_by_role("button")


def train(page):
    """Press Train and wait until the run is seen to go on."""
    button(page, "train").click()
    expect(words(page)).to_contain_text(re.compile(r"Step [1-9]"), timeout=TRAINED)


def words(page):
    """The words beside the bar of the run, which is in the sidebar on the other pages, beside that of the course."""
    return page.get_by_test_id("stProgress").filter(has_not_text="chapters")


def steps(page):
    """How many steps the run of the page has done."""
    found = until(lambda: re.search(r"Step ([\d,]+)", words(page).inner_text()), "no step is said")
    return int(found[1].replace(",", ""))


def stopped(page):
    """The sentence on a run that was stopped."""
    return page.get_by_text(re.compile(r"^Stopped\. Step [1-9]"))


def test_a_run_goes_on_is_found_again_by_its_link_and_its_curves_stay_when_it_is_stopped(visit, app):
    page = visit(LONG)
    kept = page.evaluate(PICTURE, 0)  # of a run from before, which has its three lines, too
    train(page)
    wait_for_other_picture(page, kept, timeout=TRAINED)
    expect(page.locator(LINES)).to_have_count(3, timeout=TRAINED)
    wait_for_other_picture(page, page.evaluate(PICTURE, 0), timeout=TRAINED)
    expect(button(page, "train")).to_be_disabled()

    button(page, "pause").click()
    expect(words(page)).to_contain_text("paused")
    held = steps(page)
    button(page, "pause").click()
    expect(button(page, "pause")).to_contain_text("Pause")
    page.wait_for_function(
        "held => Number(/Step ([0-9,]+)/.exec(document.body.innerText)?.[1].replace(',', '')) > held",
        arg=held + 10,
        timeout=TRAINED,
    )

    expect(page).to_have_url(re.compile("[?&]run="))
    before = steps(page)
    page.reload()
    wait_until_idle(page)
    expect(words(page)).to_contain_text("Step")
    assert steps(page) >= before
    other = visit(page.url.removeprefix(app))
    expect(words(other)).to_contain_text("Step")
    assert steps(other) >= before
    button(other, "stop").click()
    for window in (page, other):
        expect(stopped(window)).to_be_visible(timeout=TRAINED)
        expect(button(window, "train")).to_be_enabled()
        expect(button(window, "stop")).to_be_disabled()
        expect(window.locator(LINES)).to_have_count(3)


def test_a_run_that_ends_brings_its_table_and_its_four_pictures(visit):
    page = visit(f"{TINY}&steps=50")
    train(page)
    expect(words(page)).to_contain_text("Step 150 of 150", timeout=TRAINED)
    expect(words(page)).to_contain_text("done", timeout=TRAINED)
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(4)
    assert all(picture(page, number) for number in range(4))
    expect(button(page, "train")).to_be_enabled()


# Heard at the document: a click that lands beside its target is stopped at the window, and made anew.
CLICKS = """document.addEventListener('click', event => {
    if (event.isTrusted) sessionStorage.clicks = 1 + +(sessionStorage.clicks ?? 0);
}, true)"""
# How many times as high RoPE's loss is at eight times the training length, as a run that goes on shows it.
CLIFF = r"""() => {
    const seen = /RoPE after \d+ steps: loss ([\d.]+) at 64, loss ([\d.]+) at 512/.exec(document.body.textContent);
    return seen ? seen[2] / seen[1] : 0;
}"""


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
