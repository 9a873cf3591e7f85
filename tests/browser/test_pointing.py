"""A cell that is pointed at or touched says its row, its column and the number of pe_core; and what a swipe does."""

import re

import pytest
import torch
from playwright.sync_api import expect

from pe_core.encodings import sinusoidal
from tests.app.opened import opened
from tests.browser.looking import CONTROLS, in_the_middle, picture, press, value, wait_for_other_picture
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle
from tests.browser.visiting import TELEPHONE, window
from tests.waiting import until
from ui.frame.room import PICTURE

pytestmark = pytest.mark.browser


def chart(page):
    """The chart with the first image of the page, at rest in the middle of the window."""
    picture(page)
    found = page.locator('[data-testid="stVegaLiteChart"]', has=page.locator("svg.marks image")).first
    in_the_middle(found)
    return found


def place_of(found, row, column, shape):
    """Where the middle of a cell is on the page."""
    box = found.locator("image").first.bounding_box()  # of one that is played, all looks have the same place
    return box["x"] + (column + 0.5) / shape[1] * box["width"], box["y"] + (row + 0.5) / shape[0] * box["height"]


def said(page, found):
    """What stands in the box, line by line, once the page is at rest; nothing where there is no box."""
    wait_until_idle(page)
    return [line.replace("−", "-") for line in found.locator(".said_marks tspan").all_text_contents()]


def says(page, found, *lines):
    """Wait until the box says these lines, and maybe more."""
    until(lambda: said(page, found)[: len(lines)] == [*lines], lambda: f"{lines}, but: {said(page, found)}")


def pointed(page, found, row, column, shape):
    page.mouse.move(*place_of(found, row, column, shape))
    return said(page, found)


def test_the_sinusoid_says_the_number_of_the_cell_wherever_it_is(visit):
    length, width = 512, 768
    page = visit(f"/sinusoidal?length={length}&width={width}")
    found, values = chart(page), sinusoidal.table(torch.arange(length), width)
    plot = found.locator("image").bounding_box()
    for row, column in ((0, 0), (0, width - 1), (length - 1, 0), (length - 1, width - 1), (17, 5), (length // 2, 33)):
        number = f"{float(values[row, column]):.5f}"
        assert pointed(page, found, row, column, (length, width)) == [
            f"Position {row}",
            f"Channel {column}",
            f"Value {number}",
        ]
        for line in found.locator(".said_marks text").all():  # inside of the plot
            box = line.bounding_box()
            assert plot["x"] <= box["x"] <= box["x"] + box["width"] <= plot["x"] + plot["width"]
            assert plot["y"] <= box["y"] <= box["y"] + box["height"] <= plot["y"] + plot["height"]
    page.mouse.move(1, 1)
    assert said(page, found) == []
    assert page.locator("#vg-tooltip-element.visible").count() == 0


def test_a_table_that_changes_under_the_pointer_says_its_new_number_and_a_drag_chooses_a_part(visit):
    page = visit("/sinusoidal")
    found = chart(page)
    assert pointed(page, found, 3, 4, (64, 64))[2] == f"Value {float(sinusoidal.table(torch.arange(4), 64)[3, 4]):.5f}"
    page.locator(".st-key-base").get_by_role("slider").press("ArrowRight")
    number = float(sinusoidal.table(torch.arange(4), 64, base=20_000)[3, 4])
    says(page, found, "Position 3", "Channel 4", f"Value {number:.5f}")
    assert len(said(page, found)) == 3
    page.mouse.move(*place_of(found, 40, 20, (64, 64)))
    page.mouse.down()
    page.mouse.move(*place_of(found, 50, 30, (64, 64)), steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile("topic=Detail"))
    wait_until_idle(page)
    assert (value(page, "detail_position"), value(page, "detail_channel")) == ("45", "25")


def test_inside_says_the_probability(visit, monkeypatch):
    monkeypatch.setenv("PE_STORE", "")
    drawn = opened("inside").session_state["_pictures"]["ins_own"].picture()
    cells = drawn.tables()["image"].pivot(index="Query", columns="Key", values="Attention").to_numpy()
    page = visit("/inside")
    found, last = chart(page), len(cells) - 1
    for row, column in ((0, 0), (last, 0), (last, last), (last // 2, last // 4)):
        lines = pointed(page, found, row, column, cells.shape)
        assert lines == [f"Query {row}", f"Key {column}", f"Attention {cells[row, column]:.5f}"]
    assert pointed(page, found, 0, last, cells.shape) == ["Query 0", f"Key {last}", "Attention not seen"]


def test_windows_says_what_a_cell_means_and_marks_the_place_in_the_picture_beside_it(visit):
    page = visit("/windows")
    found = chart(page)
    shape = (64, 64)
    assert pointed(page, found, 63, 63, shape) == ["Query 63", "Key 63", "seen directly"]
    assert pointed(page, found, 63, 25, shape) == ["Query 63", "Key 25", "through layers"]
    assert pointed(page, found, 63, 0, shape) == ["Query 63", "Key 0", "never"]
    assert pointed(page, found, 0, 63, shape) == ["Query 0", "Key 63", "lies ahead, not seen"]
    places = page.locator("input[name=pointed_at]")
    for number, other in ((0, 1), (1, 0)):
        box = page.get_by_test_id("stVegaLiteChart").nth(number).bounding_box()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"], steps=10)
        expect(places.nth(number)).not_to_have_value("-1")
        expect(places.nth(other)).to_have_value(places.nth(number).input_value())
    page.mouse.move(1, 1)
    for place in places.all():
        expect(place).to_have_value("-1")


def test_a_click_on_a_patch_moves_the_sliders_and_the_link_again_and_again(visit):
    page = visit("/images")

    def clicked(x, y):
        shown = picture(page)
        page.locator('[data-testid="stVegaLiteChart"] canvas').first.click(position={"x": x, "y": y})
        wait_for_other_picture(page, shown)
        wait_until_idle(page)
        row, column = (value(page, f"img_{name}_of_14") for name in ("row", "column"))
        expect(page).to_have_url(re.compile(rf"img_row_of_14={row}(&|$)"))
        expect(page).to_have_url(re.compile(rf"img_column_of_14={column}(&|$)"))
        return row, column

    first, second = clicked(40, 120), clicked(260, 150)
    assert first != second
    assert clicked(40, 120) == first
    press(page, "img_row_of_14", "ArrowRight")
    assert clicked(40, 120) == first


# A finger: a swipe up or down scrolls whatever it begins on, and one sideways drags.

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
