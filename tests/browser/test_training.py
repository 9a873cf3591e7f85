"""Train, watch, pause, stop, reload: a run in the browser, as its visitor sees it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import PICTURE, picture, wait_for_other_picture
from tests.browser.serving import wait_until_idle
from tests.browser.training import LONG, TINY, TRAINED, button, steps, stopped, train, words

pytestmark = pytest.mark.browser

LINES = '[data-testid="stVegaLiteChart"] >> nth=0 >> .mark-line path'


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
