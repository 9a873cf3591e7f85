"""A finger: a swipe up or down scrolls whatever it begins on, and one sideways drags."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import in_the_middle, picture
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle
from tests.browser.test_motion import CONTROLS
from tests.browser.test_pointing import chart, place_of, said, says
from tests.browser.visiting import TELEPHONE, window
from tests.waiting import until
from ui.frame.room import PICTURE

pytestmark = pytest.mark.browser

TOP = "document.querySelector('[data-testid=\"stMain\"]').scrollTop"
FRAME = "() => new Promise(requestAnimationFrame)"
VALUES = f"""[...document.querySelectorAll('{CONTROLS["slider"]} input, {CONTROLS["scrubber"]}')]
    .map(control => control.value)"""


@pytest.fixture(scope="module")
def finger(browser, app):
    """Opens a link on the one page of a telephone; what swipes over a control tells how far the page has scrolled."""
    with window(browser, viewport={"width": TELEPHONE, "height": 844}, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        devices = context.new_cdp_session(page)

        def touch(kind, *points):
            devices.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
            )

        def swipe(control, across, down):
            box, before = in_the_middle(control), page.evaluate(TOP)
            x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.7 * box["height"]
            touch("touchStart", (x, y))
            for part in range(1, 11):
                touch("touchMove", (x + across * part / 10, y + down * part / 10))
                page.evaluate(FRAME)
            touch("touchEnd")
            return settled(page, f"() => ({{top: {TOP}}})", frames=10)["top"] - before

        def opened(link):
            page.goto(app + link)
            wait_until_idle(page)
            picture(page)
            return page, swipe

        yield opened


def test_a_swipe_up_scrolls_and_changes_nothing_and_one_sideways_drags(finger):
    page, swipe = finger("/binary_vs_sinusoid")
    for place in CONTROLS.values():
        control, before, address = page.locator(place).first, page.evaluate(VALUES), page.url
        assert swipe(control, 3, -150) > 50 or swipe(control, 3, 150) < -50  # there may be nothing below it
        assert (page.evaluate(VALUES), page.url) == (before, address)
    assert swipe(page.locator(CONTROLS["slider"]).first, -60, 2) == 0
    assert page.evaluate(VALUES) != before


def test_pictures_side_by_side_are_swiped_and_the_page_is_too(finger):
    page, swipe = finger("/learned")
    one, row = page.locator(CONTROLS["picture"]).first, page.locator(f".st-key-{PICTURE} .stHorizontalBlock")
    assert swipe(one, 3, -150) > 50
    assert row.evaluate("element => element.scrollLeft") == 0
    assert swipe(one, -180, 3) == 0
    assert row.evaluate("element => element.scrollLeft") > 50


def test_a_tap_shows_a_number_and_a_swipe_that_begins_on_it_scrolls_and_hides_it(finger):
    page, swipe = finger("/mend")
    table, number = page.locator(CONTROLS["picture"]).first, page.locator(".vg-tooltip.visible")
    box = table.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(number).to_contain_text("Channel")
    assert swipe(page.locator(".vg-tooltip"), 3, -150) > 50
    expect(number).to_be_hidden()


def test_a_finger_drags_the_key_and_a_hand(finger):
    page, swipe = finger("/rope")
    key, query = (page.locator(f"input[name=of_page_{who}]") for who in ("key", "query"))
    assert swipe(page.locator(".token_marks path").nth(9), -60, 2) == 0
    assert int(key.input_value()) in {6, 7}
    assert swipe(page.locator(".dial_marks path").nth(2), 40, 3) == 0
    assert (key.input_value(), query.input_value()) != ("9", "12")


def test_a_tap_says_the_number_of_a_cell_and_it_stays_until_the_next_tap(finger):
    page, _ = finger("/sinusoidal")
    found = chart(page)
    page.touchscreen.tap(*place_of(found, 9, 2, (64, 64)))
    says(page, found, "Position 9", "Channel 2")
    page.touchscreen.tap(5, 5)
    until(lambda: said(page, found) == [], "the box goes")
